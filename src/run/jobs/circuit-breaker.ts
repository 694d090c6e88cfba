// A circuit breaker. While a service is down, calls wait here instead of failing one after the other: one call at a
// time probes the service, with backoff, and the others continue when the service is back.

import { err, ok, type Result } from '../../base/result.ts';
import type { ApiFailure } from '../../contract/api/failure.ts';
import type { Clock } from '../../core/ports.ts';
import { askedPause, backoffAfter, maxPauseMs } from '../../core/retry.ts';

/** An outage in progress. Times are in milliseconds. */
export interface OutageWait {
  /** Epoch milliseconds. */
  readonly since: number;
  readonly failure: ApiFailure;
  /** The number of probes so far. */
  readonly tries: number;
  readonly nextTryMs: number;
}

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  /** If it is aborted, all waits end. */
  readonly stop: AbortSignal;
  /** The first pause, in milliseconds. */
  readonly backoffMs: number;
  /** How long calls wait during an outage, in milliseconds. */
  readonly limitMs: number;
  readonly waiting: (wait: OutageWait) => void;
  readonly back: (waitedMs: number) => void;
  /** The failure of a call after an outage of `limitMs`. */
  readonly givenUp: (failure: ApiFailure) => ApiFailure;
}

/** Permission to make a call. `probe`: the result of this call decides when the next one is made. */
export interface CallPermit {
  readonly probe: boolean;
}

interface Outage {
  readonly since: { readonly now: number; readonly elapsed: number };
  failure: ApiFailure;
  tries: number;
  /** When the next call is made, by the clock's `elapsed`. */
  nextAt: number;
  givenUp: boolean;
  /** Aborted to wake the waiting calls. */
  changed: AbortController;
}

/**
 * This many answers of 429, 502 or 503 in a row are an outage. By default a call has at least as many tries, so no call
 * has failed for good by then.
 */
export const answersToOutage = 3;

export class CircuitBreaker {
  readonly #o: CircuitBreakerOptions;
  #outage: Outage | undefined;
  #busyInARow = 0;
  #cutInARow = 0;
  #waitedMs = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#o = options;
  }

  get isOpen(): boolean {
    return this.#outage !== undefined;
  }

  /** How many answers in a row got lost. */
  get cutInARow(): number {
    return this.#cutInARow;
  }

  /** True in an outage that cuts connections. A single request may be cut for its own sake, so none of these is a probe. */
  get isCut(): boolean {
    return this.#outage?.failure.reason === 'unanswered';
  }

  /** How long calls have waited so far, in all outages together. */
  get waitedMs(): number {
    const since = this.#outage?.since.elapsed;
    return this.#waitedMs + (since === undefined ? 0 : this.#o.clock.elapsed() - since);
  }

  /** Waits until a call may be made. */
  async turn(): Promise<Result<CallPermit, ApiFailure>> {
    const { clock, stop, givenUp } = this.#o;
    for (;;) {
      if (stop.aborted) return err({ reason: 'aborted', message: '' });
      const outage = this.#outage;
      if (outage === undefined) return ok({ probe: false });
      if (outage.givenUp) return err(givenUp(outage.failure));
      const now = clock.elapsed();
      if (now >= outage.nextAt) {
        // A probe without a result delays the others by no more than this.
        outage.nextAt = now + maxPauseMs;
        return ok({ probe: true });
      }
      await clock.sleep(outage.nextAt - now, AbortSignal.any([stop, outage.changed.signal]));
    }
  }

  /** True if the failure belongs to an outage, and says nothing about the call itself. */
  hear(answer: Result<unknown, ApiFailure>, { probe }: CallPermit): boolean {
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
    if (sign === 'cut') this.#cutInARow += 1;
    if (outage !== undefined) {
      if (probe) this.#failedAgain(outage, answer.error);
      return true;
    }
    if (sign === 'cut' || (sign === 'busy' && this.#busyInARow < answersToOutage)) return false;
    this.#open(answer.error);
    return true;
  }

  /** Call if lost answers are known to be an outage. */
  open(failure: ApiFailure): void {
    if (this.#outage === undefined) this.#open(failure);
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
    // The last probe is made when the time is up.
    this.#wake(outage, Math.min(now + pause, end));
    if (outage.givenUp) return;
    const { since, tries, nextAt } = outage;
    waiting({ since: since.now, failure, tries, nextTryMs: nextAt - now });
  }

  #close(): void {
    this.#busyInARow = 0;
    this.#cutInARow = 0;
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
 * - `alive`: the service answered, possibly with a refusal.
 * - `down`: no connection was made.
 * - `busy`: the service asked to come back later.
 * - `cut`: the answer got lost. That is not an outage by itself, and does not end one. If several get lost in a row, a read
 *   tells whether it is one (outages.ts).
 * - `none`: the call says nothing about the service.
 */
export type Sign = 'alive' | 'down' | 'busy' | 'cut' | 'none';

export function signOf(answer: Result<unknown, ApiFailure>): Sign {
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
    case 'no-answers':
    case 'late':
    case 'damaged':
      return 'none';
    case 'refused':
      // A file or an address is unusable: nothing was sent.
      return answer.error.status === 0 ? 'none' : 'alive';
    default:
      return 'alive';
  }
}
