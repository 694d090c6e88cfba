// One request whose answer is text: sent once, read whole, and bounded in size and time. Built on undici's dispatch,
// because only its handler learns whether a request has left: what never left can safely be sent again.
import { type Agent, type Dispatcher, errors } from 'undici';

export interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface Bounds {
  /** The most bytes of an answer that are read. */
  readonly bytes: number;
  /** Milliseconds from when the request leaves until its answer must be complete. */
  readonly totalMs: number;
  /** Any of them aborted: the answer is not waited for any more. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

export interface Reply {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
}

export type Exchanged =
  | ({ readonly is: 'answered' } & Reply)
  /** `sent` is false when surely no byte of the request has left. */
  | { readonly is: 'failed'; readonly sent: boolean; readonly error: unknown };

/** The answer was given up. */
export class GivenUp extends Error {
  readonly code = 'GIVEN_UP';
  /** `stopped`: nobody waits for it any more; `odd`: it continues without ever being an answer. */
  readonly because: 'long' | 'late' | 'slow' | 'stopped' | 'odd';
  constructor(because: GivenUp['because'], message: string) {
    super(message);
    this.because = because;
  }
}

/** Interim answers (1xx) to one request. A service that sends more sends them without end. */
const mostInterim = 20;

export function exchange(agent: Agent, question: Question, bounds: Bounds): Promise<Exchanged> {
  return new Promise((resolve) => {
    const { origin, pathname, search } = new URL(question.url);
    const parts: Buffer[] = [];
    let bytes = 0;
    let interim = 0;
    let head: Omit<Reply, 'text'> | undefined;
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
          // Given up while it waited for a connection: it does not leave at all.
          if (over) return started.abort(new errors.RequestAbortedError());
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
