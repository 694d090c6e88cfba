// A receiver of events: a real HTTP server that keeps what came, checks who signed it, and answers as it is told.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { asJson, isObject, type JsonObject } from '../../src/base/json.ts';
import { isSignatureOf, signatureHeader, timestampHeader } from '../../src/contract/api/event.ts';
import { send, textAt } from './client.ts';

export interface Received {
  readonly type: string;
  readonly payload: JsonObject;
  /** The bytes as they came. */
  readonly raw: string;
  readonly headers: IncomingHttpHeaders;
  readonly signed: boolean;
}

export interface Receiver {
  readonly url: string;
  readonly events: readonly Received[];
  /** What the hub said when this was registered, with the secret. */
  readonly webhook: JsonObject;
}

/** What the receiver answers to an event; a number is a status, `silence` none at all. */
export type Reply = (event: Received, before: readonly Received[]) => number | 'silence';

/** A receiver that no service knows yet. */
export interface Listening {
  readonly url: string;
  readonly events: readonly Received[];
  /** From now on signatures are checked by this secret. */
  trust(secret: string): void;
}

/** Listens until the test ends. */
export async function listen(reply: Reply = () => 200): Promise<Listening> {
  const received: Received[] = [];
  let secret = '';
  const answer = (response: ServerResponse, status: number | 'silence'): void => {
    if (status !== 'silence') response.writeHead(status).end();
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const body = asJson(JSON.parse(raw));
      if (!isObject(body) || !isObject(body['payload'])) throw new Error(`no event: ${raw}`);
      const { [signatureHeader]: signature, [timestampHeader]: timestamp } = request.headers;
      const signed = isSignatureOf(`${signature}`, secret, `${timestamp}`, raw);
      const { headers } = request;
      const event = { type: textAt(body, 'type'), payload: body['payload'], raw, headers, signed };
      const status = reply(event, [...received]);
      received.push(event);
      answer(response, status);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the receiver has no port');
  const url = `http://127.0.0.1:${bound.port}/events?from=shotlist`;
  const trust = (shared: string): void => {
    secret = shared;
  };
  return { url, events: received, trust };
}

/** Starts a receiver and registers it in the hub of a service. */
export async function receiver(
  address: string,
  { reply, events }: { readonly reply?: Reply; readonly events?: readonly string[] } = {},
): Promise<Receiver> {
  const listening = await listen(reply);
  const body = { url: listening.url, ...(events && { events }) };
  const webhook = await hub(address, '/hub/webhooks', body);
  listening.trust(textAt(webhook, 'secret'));
  return { url: listening.url, events: listening.events, webhook };
}

/** Asks the hub, in JSON: a POST when there is a body. Anything but success is an error. */
export async function hub(address: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const headers = { 'content-type': 'application/json' };
  const answer = await (body === undefined
    ? send(address, { method: 'GET', path })
    : send(address, { method: 'POST', path, headers, body: JSON.stringify(body) }));
  if (answer.status >= 300)
    throw new Error(`${path} was answered with ${answer.status}: ${answer.bytes.toString()}`);
  return answer.body;
}
