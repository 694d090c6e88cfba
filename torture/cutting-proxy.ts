// A wire that is cut: a TCP proxy that passes so many bytes of the first creation's exchange, in both directions
// together, and then closes the connection. What comes after goes through untouched.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** How the runner sees its connection end: in order, or with a reset, as when a router forgets it. */
export type Cut = 'close' | 'reset';

export interface CuttingProxy {
  readonly address: string;
  /** How many creations were begun on it. */
  creations(): number;
  /** Bytes of the first creation's exchange that have passed: of the request, of the answer. */
  passed(): { readonly request: number; readonly answer: number };
  close(): Promise<void>;
}

/** `after` bytes, counted from the first one of a `POST /v1/<tool>`. */
export async function openCuttingProxy(
  service: string,
  tool: string,
  { after, cut }: { readonly after: number; readonly cut: Cut },
): Promise<CuttingProxy> {
  const port = Number(new URL(service).port);
  const start = `POST /v1/${tool} `;
  const sockets = new Set<Socket>();
  let creations = 0;
  let request = 0;
  let answer = 0;
  /** The connection of the first creation, until its exchange is over. */
  let watched: Socket | 'over' | undefined;

  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
    }
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    // Towards the service always in order: a reset would take back bytes that have passed.
    const end = (): void => {
      server.destroySoon();
      if (cut === 'reset') client.resetAndDestroy();
      else client.destroySoon();
    };
    const left = (): number => after - request - answer;
    client.on('data', (chunk) => {
      if (chunk.toString('latin1').startsWith(start)) creations += 1;
      if (creations === 1 && watched === undefined) watched = client;
      else if (watched === client && answer > 0) watched = 'over';
      if (watched !== client) return void server.write(chunk);
      const part = chunk.subarray(0, Math.max(0, left()));
      request += part.length;
      server.write(part, () => {
        if (left() <= 0) end();
      });
    });
    server.on('data', (chunk) => {
      if (watched !== client) return void client.write(chunk);
      const part = chunk.subarray(0, Math.max(0, left()));
      answer += part.length;
      client.write(part, () => {
        if (left() <= 0) end();
      });
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const bound = proxy.address();
  if (bound === null || typeof bound === 'string') throw new Error('the wire has no port');
  return {
    address: `http://127.0.0.1:${bound.port}`,
    creations: () => creations,
    passed: () => ({ request, answer }),
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
