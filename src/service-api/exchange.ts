// Sends one request with a text answer: sent once, read whole, and bounded in size and time. A request that was never
// sent can safely be repeated.
import type { Agent } from 'undici';
import { GivenUp } from './given-up.ts';
import type { OpenRequests } from './open-requests.ts';
import { type Headers, RequestHandler } from './request-handler.ts';

const decoder = new TextDecoder();

interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: none. */
  readonly body: string | null;
}

export interface Bounds {
  /** The most bytes of an answer to read. */
  readonly bytes: number;
  /** Milliseconds from sending the request until its answer must be complete. */
  readonly totalMs: number;
  /** The requests that end and are looked at together. */
  readonly open: OpenRequests;
  /** If it is aborted, the wait for this answer ends. */
  readonly known?: AbortSignal | undefined;
  /** Asked right before the first byte is sent; false: the request is not sent. Default: it is always in time. */
  readonly inTime?: () => boolean;
}

interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type Exchanged =
  | ({ readonly is: 'answered' } & HttpReply)
  /** `sent` is false if certainly no byte of the request was sent. */
  | { readonly is: 'failed'; readonly sent: boolean; readonly error: unknown };

/** Where a request to this URL goes. */
export function placeOf(url: string): Pick<HttpRequest, 'origin' | 'path'> {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}` };
}

export function exchange(agent: Agent, request: HttpRequest, bounds: Bounds): Promise<Exchanged> {
  return new Promise((resolve) => {
    const { known } = bounds;
    if (known === undefined) return new Exchange(bounds, resolve).dispatch(agent, request);
    const one = new Exchange(bounds, (exchanged) => {
      known.removeEventListener('abort', stop);
      resolve(exchanged);
    });
    const stop = (): void => one.stop();
    if (known.aborted) return stop();
    known.addEventListener('abort', stop);
    one.dispatch(agent, request);
  });
}

class Exchange extends RequestHandler {
  readonly #bounds: Bounds;
  readonly #end: (exchanged: Exchanged) => void;
  /** When the answer must be complete. */
  #until = Number.POSITIVE_INFINITY;
  #head: Omit<HttpReply, 'text'> | undefined;
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  constructor(bounds: Bounds, end: (exchanged: Exchanged) => void) {
    super(bounds.open);
    this.#bounds = bounds;
    this.#end = end;
  }

  protected starts(): GivenUp | undefined {
    const { inTime, totalMs } = this.#bounds;
    if (inTime?.() === false) return new GivenUp('old', 'its permission had become too old');
    this.#until = performance.now() + totalMs;
    return undefined;
  }

  look(now: number): void {
    if (now >= this.#until) this.giveUp(new GivenUp('late', 'the answer was not complete in time'));
  }

  protected answers(status: number, headers: Headers): void {
    this.#head = { status, headers };
  }

  protected receives(chunk: Buffer): void {
    const { bytes } = this.#bounds;
    this.#bytes += chunk.length;
    if (this.#bytes > bytes)
      return this.giveUp(new GivenUp('long', `the answer is longer than ${bytes} bytes`));
    this.#parts.push(chunk);
  }

  protected completes(): void {
    const [first, second] = this.#parts;
    if (this.#head === undefined)
      return this.fails(new GivenUp('odd', 'the answer has no status'), true);
    const whole = second === undefined ? first : Buffer.concat(this.#parts);
    this.#end({ is: 'answered', ...this.#head, text: decoder.decode(whole) });
  }

  protected fails(error: unknown, sent: boolean): void {
    this.#end({ is: 'failed', sent, error });
  }
}
