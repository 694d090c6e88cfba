// A relay before the local service: it counts what storage sends, can stop sending in the middle, and passes the rest
// through. Addresses in answers lead to it, so that transfers go through it too.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { LocalService } from '../../src/service/start.ts';
import { listening } from '../listening.ts';

export interface Relay {
  /** The same service, behind the relay. */
  readonly service: LocalService;
  /** The bytes of each download that went through, in the order in which they were asked for. */
  readonly sent: number[];
  /** The `Range` of each download. */
  readonly ranges: (string | undefined)[];
  /** The next downloads stop moving after so many bytes; undefined: they do not. */
  holdAfter: number | undefined;
}

/** `lacks`: a path that the relay answers with 404, as a deployment without that endpoint does. */
export async function relayTo(
  local: LocalService,
  { lacks }: { readonly lacks?: string } = {},
): Promise<Relay> {
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  const address = await listening(server);
  const relay: Relay = {
    service: { ...local, address },
    sent: [],
    ranges: [],
    holdAfter: undefined,
  };

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method = 'GET', url = '/', headers } = incoming;
    if (url === lacks) {
      incoming.resume();
      outgoing
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"message":"Not Found"}');
      return;
    }
    const onward = request(`${local.address}${url}`, { method, headers }, (answer) => {
      if (url.startsWith('/downloads/')) return count(headers, answer, outgoing);
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => void parts.push(part));
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString().replaceAll(local.address, address);
        const { 'content-length': _, ...others } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 500, others).end(text);
      });
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  };

  const count = (
    asked: IncomingHttpHeaders,
    answer: IncomingMessage,
    outgoing: ServerResponse,
  ): void => {
    const hold = relay.holdAfter;
    const index = relay.sent.push(0) - 1;
    relay.ranges.push(asked.range);
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    outgoing.on('close', () => answer.destroy());
    answer.on('data', (part: Buffer) => {
      const before = relay.sent[index] ?? 0;
      const piece = hold === undefined ? part : part.subarray(0, Math.max(0, hold - before));
      relay.sent[index] = before + piece.length;
      if (!outgoing.write(piece)) {
        answer.pause();
        outgoing.once('drain', () => answer.resume());
      }
    });
    if (hold === undefined) answer.on('end', () => outgoing.end());
  };
  return relay;
}
