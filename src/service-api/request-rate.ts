// How fast requests may be sent, by what the service answers (facts.md, Rate limits): the limits are not published. When
// the service says 429, requests wait for as long as it asks, and go on at half their rate; each answer after that raises
// the rate a little (additive increase, multiplicative decrease, as in TCP).
import type { Result } from '../base/result.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { Clock } from '../core/ports.ts';
import { askedPause } from '../core/retry.ts';

export interface RequestRateOptions {
  readonly clock: Clock;
  /** If it is aborted, all waits end. */
  readonly stop: AbortSignal;
  /** Another limit, which holds besides. */
  readonly pace: Pace;
  /** Requests whose pauses are also pauses of these. */
  readonly within?: RequestRate;
  /** The first pause before a request is sent again, in milliseconds. Requests never wait longer for one another. */
  readonly backoffMs: number;
}

/** How much faster requests become in a second without a 429: by so many a second. */
const increasePerSecond = 0.5;

/** The time over which the rate is measured before the first 429, in milliseconds. */
const measuredMs = 1000;

export interface RequestRates {
  readonly all: RequestRate;
  /** Within `all`. Creations may be throttled while everything else works. */
  readonly creations: RequestRate;
}

/** `pace`: the pipeline's own limit. */
export function requestRates(options: RequestRateOptions): RequestRates {
  const all = new RequestRate(options);
  const creations = new RequestRate({ ...options, within: all, pace: () => all.turn() });
  return { all, creations };
}

export class RequestRate {
  readonly #o: RequestRateOptions;
  /** Requests a second; undefined until the first 429. */
  #perSecond: number | undefined;
  /** By the clock's `elapsed`: when the next request may be sent, … */
  #next = 0;
  /** … until when the service wants none, … */
  #heldUntil = 0;
  /** … and when the rate was last lowered. */
  #loweredAt = Number.NEGATIVE_INFINITY;
  /** When the latest requests were sent, for as long as the rate is not known. */
  #sent: number[] = [];

  constructor(options: RequestRateOptions) {
    this.#o = options;
  }

  /** Waits until a request may be sent. */
  async turn(): Promise<void> {
    const { stop, pace } = this.#o;
    do {
      await pace();
      await this.#ownTurn();
    } while (this.isHeld && !stop.aborted);
  }

  /** True while the service wants no request. Ask right before one is sent whose turn came some time ago. */
  get isHeld(): boolean {
    return this.#heldUntil > this.#o.clock.elapsed() || this.#o.within?.isHeld === true;
  }

  async #ownTurn(): Promise<void> {
    const { clock, stop } = this.#o;
    for (;;) {
      const now = clock.elapsed();
      const at = Math.max(now, this.#next, this.#heldUntil);
      this.#next = at + this.#gapMs;
      if (at > now) await clock.sleep(at - now, stop);
      // The service may have asked for a pause meanwhile.
      if (stop.aborted || this.#heldUntil <= clock.elapsed()) return;
    }
  }

  /** Call right before a request is sent; hand the result to `heard`. */
  begin(): number {
    const now = this.#o.clock.elapsed();
    if (this.#perSecond === undefined) {
      this.#sent.push(now);
      // Amortized: the list never holds more than twice what is measured.
      if (now - (this.#sent[0] ?? now) > 2 * measuredMs) this.#sent = this.#latest(now);
    }
    return now;
  }

  heard(answer: Result<unknown, ApiFailure>, begun: number): void {
    if (answer.ok) this.#raise();
    else if (answer.error.reason === 'throttled') this.#lower(answer.error, begun);
  }

  #raise(): void {
    if (this.#perSecond !== undefined) this.#perSecond += increasePerSecond / this.#perSecond;
  }

  #lower(failure: ApiFailure, begun: number): void {
    const now = this.#o.clock.elapsed();
    this.#heldUntil = Math.max(this.#heldUntil, now + askedPause(failure));
    // Requests that were under way when the rate was lowered say nothing about the new rate.
    if (begun < this.#loweredAt) return;
    this.#loweredAt = now;
    const before = this.#perSecond ?? (this.#latest(now).length * 1000) / measuredMs;
    this.#perSecond = Math.max(1000 / this.#o.backoffMs, before / 2);
    this.#sent = [];
  }

  get #gapMs(): number {
    return this.#perSecond === undefined ? 0 : 1000 / this.#perSecond;
  }

  #latest(now: number): number[] {
    return this.#sent.filter((at) => now - at < measuredMs);
  }
}

// Spreads requests evenly over each minute, if the pipeline limits their number.

/** Waits until this request may be sent. */
type Pace = () => Promise<void>;

/** If `stop` is aborted, all waits end. */
export function pacer(perMinute: number | undefined, clock: Clock, stop?: AbortSignal): Pace {
  if (perMinute === undefined) return async () => undefined;
  const gap = 60_000 / perMinute;
  const signal = stop ?? new AbortController().signal;
  let next = 0;
  return async () => {
    const now = clock.elapsed();
    const turn = Math.max(now, next);
    next = turn + gap;
    if (turn > now) await clock.sleep(turn - now, signal);
  };
}
