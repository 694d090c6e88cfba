// A wire to Postgres that is cut: a TCP proxy that knows where a COMMIT is sent, and where its answer comes back. A script
// lets either pass, holds it, or cuts the connection: then a client does not know whether its transaction was committed.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { asksToEncrypt, type Message, Messages, Transcript } from './postgres-wire.ts';

/**
 * - `commit`: the client has sent it, and the server has not seen it.
 * - `committed`: the server has made it durable, and the client has no answer.
 */
export interface WireMoment {
  readonly at: 'commit' | 'committed';
  /** Counts the commits of all connections, from 1. */
  readonly commit: number;
}

/** A promise delays what is about to pass; one that never resolves freezes the connection. */
export type WireScript = (moment: WireMoment) => 'pass' | 'cut' | Promise<'pass' | 'cut'>;

type Side = 'server' | 'client';

export interface PostgresProxyOptions {
  readonly script?: WireScript;
  /** The connection on which this byte would pass is cut, once. Counted over all connections, from 0. */
  readonly cutAt?: { readonly to: Side; readonly byte: number };
}

export interface PostgresProxy {
  /** The address of the database, by way of the proxy. */
  readonly url: string;
  /** The commits that clients sent, and those of them that the server answered. */
  commits(): { readonly sent: number; readonly done: number };
  /** Bytes that have passed. */
  passed(): Readonly<Record<Side, number>>;
  /** Nothing passes in either direction until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Cuts all connections. */
  cut(): void;
  close(): Promise<void>;
}

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
}

const noEncryption = 'N';

export async function openPostgresProxy(
  database: string,
  { script = () => 'pass', cutAt }: PostgresProxyOptions = {},
): Promise<PostgresProxy> {
  const target = new URL(database);
  const connections = new Set<Connection>();
  const passed = { server: 0, client: 0 };
  let sent = 0;
  let done = 0;
  let cutLeft = cutAt;
  let frozen = Promise.withResolvers<void>();
  frozen.resolve();

  /** Both sides see a reset, as when a router forgets a connection. */
  const cut = (connection: Connection): void => {
    connections.delete(connection);
    connection.client.resetAndDestroy();
    connection.server.resetAndDestroy();
  };

  /** False: the connection was cut before all of it had passed. */
  const pass = async (connection: Connection, to: Side, bytes: Buffer): Promise<boolean> => {
    await frozen.promise;
    const left =
      cutLeft?.to === to ? Math.max(0, cutLeft.byte - passed[to]) : Number.POSITIVE_INFINITY;
    const part = bytes.subarray(0, left);
    passed[to] += part.length;
    await new Promise<unknown>((resolve) => connection[to].write(part, resolve));
    if (part.length === bytes.length) return true;
    cutLeft = undefined;
    cut(connection);
    return false;
  };

  const allows = async (connection: Connection, moment: WireMoment): Promise<boolean> => {
    if ((await script(moment)) === 'pass') return true;
    cut(connection);
    return false;
  };

  /** Passes on what one side says, message by message, until its end. */
  const relay = async (
    connection: Connection,
    from: Side,
    heard: (message: Message) => boolean | Promise<boolean>,
  ): Promise<void> => {
    const to = from === 'client' ? 'server' : 'client';
    const messages = new Messages(from);
    try {
      for await (const chunk of connection[from])
        for (const message of messages.take(chunk)) {
          if (from === 'client' && asksToEncrypt(message)) connection.client.write(noEncryption);
          else if (!(await heard(message)) || !(await pass(connection, to, message.bytes))) return;
        }
      connection[to].end();
    } catch (error) {
      if (!isBroken(error)) throw error;
      connection[to].destroy();
    }
  };

  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const connection = { client, server };
    connections.add(connection);
    // What breaks is heard where it is read.
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', () => undefined);
    server.on('close', () => connections.delete(connection));
    const transcript = new Transcript(() => {
      sent += 1;
      return sent;
    });
    void relay(connection, 'client', (message) => {
      const commit = transcript.asked(message);
      return commit === undefined || allows(connection, { at: 'commit', commit });
    });
    void relay(connection, 'server', (message) => {
      const commit = transcript.answered(message);
      if (commit === undefined) return true;
      done += 1;
      return allows(connection, { at: 'committed', commit });
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const bound = proxy.address();
  if (bound === null || typeof bound === 'string') throw new Error('the wire has no port');
  target.hostname = '127.0.0.1';
  const { port } = target;
  target.port = `${bound.port}`;
  const url = target.href;
  target.port = port;
  return {
    url,
    commits: () => ({ sent, done }),
    passed: () => ({ ...passed }),
    freeze() {
      frozen = Promise.withResolvers();
    },
    thaw: () => frozen.resolve(),
    cut() {
      for (const connection of connections) cut(connection);
    },
    async close() {
      for (const connection of connections) cut(connection);
      frozen.resolve();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

const isBroken = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(`${error.code}`);
