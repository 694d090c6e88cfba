// A small real HTTP server that answers as a test says and remembers what it was asked.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type ClientOptions,
  type HttpClient,
  httpClient,
} from '../../src/service-api/http-client.ts';
import { FakeClock } from '../files/places.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface TestServer {
  readonly address: string;
  readonly asked: Asked[];
  client(options?: Partial<ClientOptions>): HttpClient;
}

type Handler = (asked: Asked, response: ServerResponse) => void;

/** Undefined: its sender left in the middle. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part);
  } catch (error) {
    if (request.destroyed) return undefined;
    throw error;
  }
  return Buffer.concat(parts).toString('latin1');
}

export async function serve(handler: Handler): Promise<TestServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (body === undefined) return;
    const one = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body,
    };
    asked.push(one);
    handler(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = addressOf(server.address());
  return { address, asked, client: (options = {}) => clientFor(address, options) };
}

export function clientFor(base: string, options: Partial<ClientOptions> = {}): HttpClient {
  const client = httpClient({ base, key: 'the-secret-key', clock: new FakeClock(), ...options });
  // Not waited for: a connection that is held for ever is a test's own business to find.
  onTestFinished(() => void client.close());
  return client;
}

function addressOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

/** An address at which nobody listens. */
export async function nobody(): Promise<string> {
  const server = createSocketServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = addressOf(server.address());
  await new Promise((resolve) => server.close(resolve));
  return address;
}

/** Answers with a status and JSON. */
export function answer(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(value === undefined ? '' : JSON.stringify(value));
}
