// A receiver of events: a real HTTP server that keeps what came, checks who signed it, and answers as it is told.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { isSignatureOf, signatureHeader, timestampHeader } from '../../src/api/event.ts';
import { asJson, isObject, type JsonObject } from '../../src/base/json.ts';
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

/** Starts a receiver and registers it in the hub of a service. */
export async function receiver(
  address: string,
  {
    reply = () => 200,
    events,
  }: { readonly reply?: Reply; readonly events?: readonly string[] } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  let secret = '';
  const answer = (response: ServerResponse, status: number | 'silence'): void => {
    if (status === 'silence') return;
    response.statusCode = status;
    response.end();
  };
  const server = createServer((request, response) => {
    let raw = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      raw += chunk;
    });
    request.on('end', () => {
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
    server.closeAllConnections();
    server.close();
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the receiver has no port');
  const url = `http://127.0.0.1:${bound.port}/events?from=shotlist`;
  const registered = await hub(address, '/hub/webhooks', { url, ...(events && { events }) });
  secret = textAt(registered, 'secret');
  return { url, events: received, webhook: registered };
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
