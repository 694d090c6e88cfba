// A hostile behaviour as data: where it is met, what it does, and how the victim's item may stand after it.
import { gzipSync } from 'node:zlib';
import { isObject, type JsonObject } from '../../src/base/json.ts';
import type { ClientOptions } from '../../src/service-api/http-client.ts';
import type { Operation, Place } from './front.ts';

/**
 * - `done`: nothing is wrong with it.
 * - `doubt`, `pending`, `failed`: how one of its tasks ended. What is pending or failed is done by the next run.
 * - `lost`: the service gave a wrong id, so that its project is never found again. It stays pending and is not paid for again.
 * - `refused`: the run does not begin.
 */
export type After = 'done' | 'doubt' | 'pending' | 'failed' | 'lost' | 'refused';

export interface Behaviour {
  readonly name: string;
  readonly at: Place;
  readonly operation: Operation;
  /** How the victim may stand after the run. */
  readonly after: readonly After[];
  /** Default `one`: the victim alone meets it. */
  readonly who?: 'one' | 'all';
  /** The honest service never sees the request. */
  readonly withheld?: true;
  /** Credits that the service has charged for the victim in the end; default 10. More: the service lied about a charge. */
  readonly charged?: number;
  readonly client?: Partial<ClientOptions>;
}

type Ending = 'end' | 'reset' | 'open';

/** These bytes on the socket, and then its end, a reset, or nothing more. */
export const raw =
  (bytes: string | Buffer, ending: Ending = 'end'): Operation =>
  ({ response }) => {
    const { socket } = response;
    socket?.on('error', () => undefined);
    socket?.write(bytes, () => {
      if (ending === 'end') socket.end();
      if (ending === 'reset') socket.resetAndDestroy();
    });
  };

/** The honest answer as text, changed, with status 200. */
export const text =
  (change: (honest: string, key: string) => string | Buffer, headers = {}): Operation =>
  ({ honest, response, key }) => {
    const type = { 'content-type': 'application/json', ...headers };
    response.writeHead(200, type).end(change(honest.body.toString(), key));
  };

/** The honest answer as an object, with some fields changed. */
export const fields = (change: (honest: JsonObject, key: string) => object): Operation =>
  text((honest, key) => {
    const value: unknown = JSON.parse(honest);
    if (!isObject(value)) throw new Error('the honest answer is no object');
    return JSON.stringify({ ...value, ...change(value, key) });
  });

/** A status with this body. */
export const status =
  (
    code: number,
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Operation =>
  ({ response }) =>
    void response.writeHead(code, headers).end(body);

/** A byte every few milliseconds, for ever. */
export const drip =
  (head: string): Operation =>
  ({ response }) => {
    const { socket } = response;
    socket?.on('error', () => undefined);
    socket?.write(head);
    const timer = setInterval(() => socket?.write('x'), 5);
    socket?.on('close', () => clearInterval(timer));
  };

/** The same piece again and again, as fast as it is read. */
export const forever =
  (head: string, piece: string | Buffer): Operation =>
  ({ response }) => {
    const { socket } = response;
    socket?.on('error', () => undefined);
    // Whoever reads has a turn between two pieces, and nothing is written to who is gone.
    const more = (error?: Error | null): void => {
      if (socket?.destroyed !== false || (error ?? undefined) !== undefined) return;
      setImmediate(() => socket.write(piece, more));
    };
    socket?.write(head, more);
  };

export const ok = (body: string, ...headers: readonly string[]): string =>
  ['HTTP/1.1 200 OK', ...headers, '', body].join('\r\n');

/** 64 MiB of spaces, in 64 KB. */
export const bomb = (): Buffer => gzipSync(Buffer.alloc(64 << 20, ' '));

/** What moves a cursor, changes colours, reorders and hides. */
export const wild = '\u001b[2J\u001b]0;x\u0007\u202eevil\u2066\u009b31m\u0000\r\n';
