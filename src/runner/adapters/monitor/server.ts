// The web server of a monitor. It needs no key and gives nothing away: no paths, no items, no projects.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ok, type Result } from '../../../contract/base/result.ts';
import { limitConnections } from '../http/connection-limits.ts';
import { type ListenAddress, listenOn } from '../http/listen.ts';
import { isOwnHost } from './host-header.ts';

// `import` from node:http takes 100 ms, because it loads everything that the module names, WebSocket too.
const { createServer } = process.getBuiltinModule('node:http');

export interface MonitorPages {
  /** Why the process is not ready; empty if it is. */
  readonly reasons: () => Promise<readonly string[]>;
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
}

export interface MonitorServer {
  readonly address: string;
  close(): Promise<void>;
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** In milliseconds. */
const senderMs = 5_000;
const connectionsMost = { perPeer: 32, total: 64 };

/** The error says why the server cannot listen there. */
export async function openMonitorServer(
  listen: ListenAddress,
  pages: MonitorPages,
): Promise<Result<MonitorServer, string>> {
  const server = createServer(
    { requestTimeout: senderMs, headersTimeout: senderMs, maxHeaderSize: 8_192 },
    async (request, response) => {
      const answering = pageFor(request, listen, pages).then((page) => send(response, page));
      await connections.busyWhile(request.socket, answering);
    },
  );
  const connections = limitConnections(server, connectionsMost);
  const address = await listenOn(server, listen);
  if (!address.ok) return address;
  return ok({
    address: address.value,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  });
}

const says = (status: number, text: string): Page => ({
  ...{ status, type: 'text/plain; charset=utf-8', text: `${text}\n` },
});

async function pageFor(
  request: IncomingMessage,
  { host }: ListenAddress,
  { reasons, metrics }: MonitorPages,
): Promise<Page> {
  if (!isOwnHost(request.headersDistinct['host'] ?? [], host))
    return says(403, 'The monitor does not answer to this name.');
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return says(405, 'The monitor is read with GET.');
  switch (request.url?.split('?')[0]) {
    case '/healthz':
      return says(200, 'ok');
    case '/readyz': {
      const why = await reasons();
      return why.length === 0 ? says(200, 'ok') : says(503, why.join('\n'));
    }
    case '/metrics':
      return { status: 200, ...(await metrics()) };
    default:
      return says(404, 'There are /healthz, /readyz and /metrics.');
  }
}

/** Resolves when the answer is sent, or the client has disconnected. */
function send(response: ServerResponse, { status, type, text }: Page): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    if (response.destroyed) resolve();
    else response.once('close', resolve);
  });
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  // Node.js leaves the body out of an answer to HEAD.
  response.end(text);
  return gone;
}
