// Sends one request with a text answer: sent once, read whole, and bounded in size and time. Built on undici's
// dispatch, because only its handler learns whether a request was sent. A request that was never sent can safely be
// repeated.
import { type Agent, type Dispatcher, errors } from 'undici';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface Bounds {
  /** The most bytes of an answer to read. */
  readonly bytes: number;
  /** Milliseconds from sending the request until its answer must be complete. */
  readonly totalMs: number;
  /** If any of them is aborted, the wait for the answer ends. */
  readonly signals: readonly (AbortSignal | undefined)[];
  /** Asked right before the first byte is sent; false: the request is not sent. Default: it is always in time. */
  readonly inTime?: () => boolean;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
}

export type Exchanged =
  | ({ readonly is: 'answered' } & HttpReply)
  /** `sent` is false if certainly no byte of the request was sent. */
  | { readonly is: 'failed'; readonly sent: boolean; readonly error: unknown };

/** The wait for the answer was given up. */
export class GivenUp extends Error {
  readonly code = 'GIVEN_UP';
  /**
   * `stopped`: the run no longer waits for the answer. `old`: the request waited for so long that it was not sent. `odd`: the response continues without ever becoming an answer.
   */
  readonly because: 'long' | 'late' | 'slow' | 'stopped' | 'odd' | 'old';
  constructor(because: GivenUp['because'], message: string) {
    super(message);
    this.because = because;
  }
}

/** The most interim answers (1xx) to one request. A service that sends more would send them without end. */
const mostInterim = 20;

export function exchange(agent: Agent, question: HttpRequest, bounds: Bounds): Promise<Exchanged> {
  return new Promise((resolve) => {
    const { origin, pathname, search } = new URL(question.url);
    const parts: Buffer[] = [];
    let bytes = 0;
    let interim = 0;
    let head: Omit<HttpReply, 'text'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let late: NodeJS.Timeout | undefined;
    let over = false;

    const end = (exchanged: Exchanged): void => {
      if (over) return;
      over = true;
      clearTimeout(late);
      for (const signal of bounds.signals) signal?.removeEventListener('abort', stop);
      resolve(exchanged);
    };
    const fail = (error: unknown): void =>
      end({ is: 'failed', sent: controller !== undefined, error });
    const giveUp = (because: GivenUp['because'], message: string): void => {
      const error = new GivenUp(because, message);
      fail(error);
      controller?.abort(error);
    };
    const stop = (): void => giveUp('stopped', 'the run stopped waiting for it');

    for (const signal of bounds.signals) {
      if (signal?.aborted) return stop();
      signal?.addEventListener('abort', stop);
    }
    const { method, headers, body } = question;
    agent.dispatch(
      { origin, path: `${pathname}${search}`, method, headers, body: body ?? null },
      {
        onRequestStart(started) {
          // Given up while it waited for a connection, so it is never sent.
          if (over) return started.abort(new errors.RequestAbortedError());
          if (bounds.inTime?.() === false) {
            fail(new GivenUp('old', 'its permission had become too old'));
            return started.abort(new errors.RequestAbortedError());
          }
          controller = started;
          late = setTimeout(
            () => giveUp('late', 'the answer was not complete in time'),
            bounds.totalMs,
          );
        },
        onResponseStart(_, status, received) {
          if (status >= 200) head = { status, headers: received };
          else if (++interim > mostInterim) giveUp('odd', 'only interim answers came');
        },
        onResponseData(_, chunk) {
          bytes += chunk.length;
          if (bytes > bounds.bytes)
            return giveUp('long', `the answer is longer than ${bounds.bytes} bytes`);
          parts.push(chunk);
        },
        onResponseEnd() {
          if (head === undefined) return fail(new GivenUp('odd', 'the answer has no status'));
          end({ is: 'answered', ...head, text: new TextDecoder().decode(Buffer.concat(parts)) });
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}
