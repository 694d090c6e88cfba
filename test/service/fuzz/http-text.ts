// HTTP requests as text, to be sent whole, changed or in pieces, and what must hold of all that comes back for them.
import { expect } from 'vitest';
import type { LocalService } from '../../../src/service/start.ts';
import { answersIn, bodyIn, exchange, type WireAnswer } from './wire.ts';

/** A head, and what follows it. */
export function message(line: string, headers: readonly string[], body = ''): string {
  return `${[line, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

export const json = 'Content-Type: application/json';
export const close = 'Connection: close';
export const chunked = 'Transfer-Encoding: chunked';

/** A body as one chunk. */
export const inChunks = (text: string): string =>
  `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/** The lines that make a request one that this service answers. */
export function linesFor(local: LocalService): { readonly host: string; readonly key: string } {
  return {
    host: `Host: ${new URL(local.address).host}`,
    key: `Authorization: Bearer ${local.key}`,
  };
}

/** The body of a creation that is taken. */
export const order = '{"end_seconds":3,"style":{"prompt":"x"}}';
export const lengthOf = (body: string): string => `Content-Length: ${body.length}`;

/** A creation that is taken; the connection stays open. */
export function creationFor(local: LocalService): string {
  const { host, key } = linesFor(local);
  return message('POST /v1/text-to-video HTTP/1.1', [host, key, json, lengthOf(order)], order);
}

/** What came back on one connection: nothing that is the service's own fault, and refusals in words. */
export async function answersTo(
  local: LocalService,
  pieces: readonly (string | Buffer)[],
  after: Parameters<typeof exchange>[2],
): Promise<readonly WireAnswer[]> {
  const received = await exchange(local, pieces, after);
  const about = received.toString('latin1').slice(0, 500);
  const answers = answersIn(received);
  for (const answer of answers) {
    expect(answer.status, about).toBeLessThan(500);
    if (answer.status >= 400 && answer.bytes.length > 0)
      expect(typeof bodyIn(answer)['message'], about).toBe('string');
  }
  return answers;
}
