// A circuit breaker. While a service is away, calls to it wait here instead of failing one after the other: one call
// at a time tries whether it is back, with backoff, and the others go on when it is.
import type { ApiFailure } from '../../../contract/api/failure.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { Clock } from './ports.ts';
import { askedPause, backoffAfter, longestPauseMs } from './retry.ts';

/** An outage that lasts. Times in milliseconds. */
export interface Waiting {
  /** Epoch milliseconds. */
  readonly since: number;
  readonly failure: ApiFailure;
  /** How often it was tried so far. */
  readonly tries: number;
  readonly nextTryMs: number;
}

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  /** Aborted: nobody waits any more. */
  readonly stop: AbortSignal;
  /** The first pause, in milliseconds. */
  readonly backoffMs: number;
  /** For how long an outage is waited for, in milliseconds. */
  readonly limitMs: number;
  readonly waiting: (inbox: Waiting) => void;
  readonly back: (waitedMs: number) => void;
  /** What a call answers when an outage has lasted for `limitMs`. */
  readonly givenUp: (failure: ApiFailure) => ApiFailure;
}

/** A call may be made. `probe`: on its answer depends when the next one is made. */
export interface Turn {
  readonly probe: boolean;
}

interface Outage {
  readonly since: { readonly now: number; readonly elapsed: number };
  failure: ApiFailure;
  tries: number;
  /** When the next call is made, by the clock's `elapsed`. */
  nextAt: number;
  givenUp: boolean;
  /** Wakes those who wait. */
  changed: AbortController;
}

/**
 * So many answers of 429, 502 or 503 in a row are an outage. A call has at least as many tries, unless a pipeline
 * says otherwise: so none has failed for good by then.
 */
const many = 3;

export class CircuitBreaker {
  readonly #o: CircuitBreakerOptions;
  #outage: Outage | undefined;
  #busyInARow = 0;
  #waitedMs = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#o = options;
  }

  get isOpen(): boolean {
    return this.#outage !== undefined;
  }

  /** For how long calls have had to wait so far, all outages together. */
  get waitedMs(): number {
    const since = this.#outage?.since.elapsed;
    return this.#waitedMs + (since === undefined ? 0 : this.#o.clock.elapsed() - since);
  }

  /** Waits until a call may be made. */
  async turn(): Promise<Result<Turn, ApiFailure>> {
    const { clock, stop, givenUp } = this.#o;
    for (;;) {
      if (stop.aborted) return err({ reason: 'aborted', message: '' });
      const outage = this.#outage;
      if (outage === undefined) return ok({ probe: false });
      if (outage.givenUp) return err(givenUp(outage.failure));
      const now = clock.elapsed();
      if (now >= outage.nextAt) {
        // Whoever does not come back with an answer holds up the others for no longer than this.
        outage.nextAt = now + longestPauseMs;
        return ok({ probe: true });
      }
      await clock.sleep(outage.nextAt - now, AbortSignal.any([stop, outage.changed.signal]));
    }
  }

  /** True: the failure belongs to an outage, and says nothing about the call itself. */
  hear(answer: Result<unknown, ApiFailure>, { probe }: Turn): boolean {
    const sign = signOf(answer);
    if (answer.ok || sign === 'alive') {
      this.#close();
      return false;
    }
    const outage = this.#outage;
    if (sign === 'none') {
      if (outage !== undefined && probe) this.#wake(outage, this.#o.clock.elapsed());
      return false;
    }
    if (sign === 'busy') this.#busyInARow += 1;
    if (outage !== undefined) {
      if (probe) this.#failedAgain(outage, answer.error);
      return true;
    }
    if (sign === 'cut' || (sign === 'busy' && this.#busyInARow < many)) return false;
    this.#open(answer.error);
    return true;
  }

  #open(failure: ApiFailure): void {
    const { clock } = this.#o;
    const since = { now: clock.now(), elapsed: clock.elapsed() };
    const changed = new AbortController();
    this.#outage = { since, failure, tries: 0, nextAt: 0, givenUp: false, changed };
    this.#failedAgain(this.#outage, failure);
  }

  #failedAgain(outage: Outage, failure: ApiFailure): void {
    const { clock, backoffMs, limitMs, waiting } = this.#o;
    const now = clock.elapsed();
    const end = outage.since.elapsed + limitMs;
    outage.failure = failure;
    outage.tries += 1;
    outage.givenUp = now >= end;
    const pause = askedPause(failure) + backoffAfter(outage.tries, backoffMs, clock.chance());
    // The last try is made when the time is up.
    this.#wake(outage, Math.min(now + pause, end));
    if (outage.givenUp) return;
    const { since, tries, nextAt } = outage;
    waiting({ since: since.now, failure, tries, nextTryMs: nextAt - now });
  }

  #close(): void {
    this.#busyInARow = 0;
    const outage = this.#outage;
    if (outage === undefined) return;
    const waited = this.#o.clock.elapsed() - outage.since.elapsed;
    this.#waitedMs += waited;
    this.#outage = undefined;
    outage.changed.abort();
    this.#o.back(waited);
  }

  #wake(outage: Outage, nextAt: number): void {
    outage.nextAt = nextAt;
    outage.changed.abort();
    outage.changed = new AbortController();
  }
}

/**
 * - `alive`: it answered, be it with a refusal.
 * - `down`: no connection came to be.
 * - `busy`: it asked to come back later.
 * - `cut`: the answer got lost, which is no outage by itself, and does not end one.
 * - `none`: the call says nothing about the service.
 */
type Sign = 'alive' | 'down' | 'busy' | 'cut' | 'none';

function signOf(answer: Result<unknown, ApiFailure>): Sign {
  if (answer.ok) return 'alive';
  switch (answer.error.reason) {
    case 'unreachable':
      return 'down';
    case 'throttled':
    case 'unavailable':
      return 'busy';
    case 'unanswered':
      return 'cut';
    case 'local':
    case 'aborted':
    case 'outage':
      return 'none';
    case 'refused':
      // A file or an address that cannot be used: nothing was sent.
      return answer.error.status === 0 ? 'none' : 'alive';
    default:
      return 'alive';
  }
}
