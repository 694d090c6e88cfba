// A wire that is cut now and then: a TCP proxy before a service, a database or a bucket.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CutWire {
  readonly port: number;
  /** Cuts all connections, and resets new ones for so many milliseconds. */
  cut(ms: number): void;
  /** How many creations were cut at most: those that had no answer, and connections that were reset at once. */
  lost(): number;
  close(): Promise<void>;
}

const creation = /^POST \/v1\/(face-swap-photo|photo-colorizer)\b/;

export async function openCutWire(port: number): Promise<CutWire> {
  /** Whether a creation is on it. */
  const connections = new Map<Socket, boolean>();
  let downUntil = 0;
  let lost = 0;
  const proxy = createServer((client) => {
    if (Date.now() < downUntil) {
      lost += 1;
      return void client.resetAndDestroy();
    }
    const server = connect(port, '127.0.0.1');
    connections.set(client, false);
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', () => undefined);
    client.on('close', () => {
      connections.delete(client);
      server.destroy();
    });
    server.on('close', () => client.destroy());
    client.on('data', (chunk) => {
      if (creation.test(chunk.toString('latin1', 0, 60))) connections.set(client, true);
    });
    server.on('data', () => connections.set(client, false));
    client.pipe(server).pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const bound = proxy.address();
  if (bound === null || typeof bound === 'string') throw new Error('the wire has no port');
  const cut = (ms: number): void => {
    lost += [...connections.values()].filter((is) => is).length;
    downUntil = Date.now() + ms;
    for (const client of connections.keys()) client.resetAndDestroy();
  };
  return {
    port: bound.port,
    cut,
    lost: () => lost,
    async close() {
      cut(60_000);
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
