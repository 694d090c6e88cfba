// Bytes on a socket, and the answers that come back: for requests that no HTTP library would send.
import { connect } from 'node:net';
import { expect } from 'vitest';
import { asJson, isObject, type JsonObject } from '../../../src/base/json.ts';
import type { LocalService } from '../../../src/service/start.ts';
import { send } from '../client.ts';

export interface WireAnswer {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Buffer;
}

/** A text for the wire: a letter above 255 goes out as its UTF-8 bytes, every other one as the byte that it is. */
export function bytesOf(text: string): Buffer {
  return Buffer.concat(
    [...text].map((letter) =>
      Buffer.from(letter, (letter.codePointAt(0) ?? 0) > 255 ? 'utf8' : 'latin1'),
    ),
  );
}

/**
 * Sends pieces, each in a packet of its own, on one connection, and answers what came until it was over. `after`
 * says who ends it: `hear-out` waits for the service to hang up, `hang-up` ends our side once the service has looked
 * at the bytes, `cut` resets the connection then.
 */
export async function exchange(
  local: LocalService,
  pieces: readonly (string | Buffer)[],
  after: 'hear-out' | 'hang-up' | 'cut',
): Promise<Buffer> {
  const { hostname, port } = new URL(local.address);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  // A reset is one of the ways in which a connection may be over.
  socket.on('error', () => socket.destroy());
  const over = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  for (const piece of pieces) {
    const bytes = typeof piece === 'string' ? bytesOf(piece) : piece;
    // Gone, or never to go: the service may have hung up already.
    await Promise.race([over, new Promise((resolve) => socket.write(bytes, resolve))]);
  }
  if (after !== 'hear-out') {
    // Nothing says that the service has read them; but it answers a request that came later.
    await send(local.address, { method: 'GET', path: '/v1/account' });
    if (after === 'cut') socket.resetAndDestroy();
    else socket.end();
  }
  await over;
  return Buffer.concat(received);
}

/** The answers in what came back; a last one that was cut short counts with what is there of it. */
export function answersIn(received: Buffer): readonly WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = received;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest
      .subarray(0, end < 0 ? rest.length : end)
      .toString('latin1')
      .split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
    expect(status, `what came back: ${first.slice(0, 200)}`).toBeDefined();
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const after = end < 0 ? Buffer.alloc(0) : rest.subarray(end + 4);
    const chunked = headers.get('transfer-encoding') === 'chunked';
    const length = Number(headers.get('content-length') ?? 0);
    const [bytes, next] = chunked ? unchunked(after) : [after.subarray(0, length), length];
    answers.push({ status: Number(status), headers, bytes });
    rest = after.subarray(next);
  }
  return answers;
}

/** The content of a body in chunks, and how long the body was. */
function unchunked(body: Buffer): readonly [Buffer, number] {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at);
    if (line < 0) return [Buffer.concat(chunks), body.length];
    const length = Number.parseInt(body.toString('latin1', at, line), 16);
    chunks.push(body.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
    if (length === 0) return [Buffer.concat(chunks), at];
  }
}

export function bodyIn({ bytes }: WireAnswer): JsonObject {
  const text = bytes.toString();
  const value = text.startsWith('{') ? asJson(JSON.parse(text)) : null;
  return isObject(value) ? value : {};
}
