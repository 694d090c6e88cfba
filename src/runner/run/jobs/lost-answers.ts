// Creations whose answers get lost. Each may be paid for, so each is a doubt that a person must settle, and an outage that
// cuts connections would make a doubt of every creation that is left. Two in a row close creations. Then one goes at a time,
// as a trial, after the service has answered a read. A read that succeeds proves nothing about creations, so only a trial
// opens them again, and two failed trials end them for this run.
import type { ApiFailure } from '../../../contract/api/failure.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { type CallPermit, type OutageWait, signOf } from './circuit-breaker.ts';
import type { Clock, ServiceAnswer } from './ports.ts';
import { askedPause, backoffAfter } from './retry.ts';

export interface LostAnswersOptions {
  readonly clock: Clock;
  /** If it is aborted, all waits end. */
  readonly stop: AbortSignal;
  /** The first pause of other calls, in milliseconds. A trial costs a doubt, so it waits longer. */
  readonly backoffMs: number;
  /** How long creations wait for the service to answer a read, in milliseconds. */
  readonly limitMs: number;
  /** A free call. */
  readonly read: () => ServiceAnswer<unknown>;
  readonly waiting: (wait: OutageWait) => void;
  readonly back: (waitedMs: number) => void;
  /** The failure of a creation after two failed trials. */
  readonly ended: (failure: ApiFailure) => ApiFailure;
  /** The failure of a creation after no read was answered for `limitMs`. */
  readonly givenUp: (failure: ApiFailure) => ApiFailure;
}

interface Closed {
  readonly since: { readonly now: number; readonly elapsed: number };
  failure: ApiFailure;
  tries: number;
  failedTrials: number;
  /** The creation that is tried now. */
  trial: CallPermit | undefined;
  /** When the next one is tried, by the clock's `elapsed`. */
  nextAt: number;
  /** Why no creation is tried any more. */
  over: ApiFailure | undefined;
  /** Aborted to wake the waiting creations. */
  changed: AbortController;
}

const mostInARow = 2;
const mostFailedTrials = 2;
const pausesOfOthers = 5;

export class LostAnswers {
  readonly #o: LostAnswersOptions;
  #inARow = 0;
  #closed: Closed | undefined;

  constructor(options: LostAnswersOptions) {
    this.#o = options;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Asked right before a creation is sent, because others may have lost their answers since it got its permit. */
  allows(permit: CallPermit): boolean {
    return this.#closed === undefined || this.#closed.trial === permit;
  }

  /** Waits until a creation may be sent. `permit` stands for the creation in the other calls. */
  async turn(permit: CallPermit): Promise<Result<void, ApiFailure>> {
    const { clock, stop } = this.#o;
    for (;;) {
      if (stop.aborted) return err({ reason: 'aborted', message: '' });
      const closed = this.#closed;
      if (closed === undefined) return ok(undefined);
      if (closed.over !== undefined) return err(closed.over);
      const woken = AbortSignal.any([stop, closed.changed.signal]);
      const pauseMs = closed.nextAt - clock.elapsed();
      if (closed.trial !== undefined) await aborted(woken);
      else if (pauseMs > 0) await clock.sleep(pauseMs, woken);
      else {
        closed.trial = permit;
        if (await this.#isAnswered(closed)) return ok(undefined);
        this.release(permit);
      }
    }
  }

  /** A read that fails says that a trial would be in vain. */
  async #isAnswered(closed: Closed): Promise<boolean> {
    const { clock, limitMs, givenUp, read } = this.#o;
    const answer = await read();
    if (answer.ok || signOf(answer) === 'alive') return this.#closed === closed;
    closed.failure = answer.error;
    if (clock.elapsed() >= closed.since.elapsed + limitMs) closed.over = givenUp(answer.error);
    return false;
  }

  /** Call with the answer of each creation that was sent. */
  hear(answer: Result<unknown, ApiFailure>, permit: CallPermit): void {
    const closed = this.#closed;
    const sign = signOf(answer);
    if (closed === undefined) {
      if (sign === 'alive') this.#inARow = 0;
      if (sign !== 'cut' || answer.ok) return;
      this.#inARow += 1;
      if (this.#inARow === mostInARow) this.#close(answer.error);
      return;
    }
    if (closed.trial !== permit) return;
    if (sign === 'alive') return this.#open(closed);
    if (sign !== 'cut' || answer.ok) return;
    closed.failure = answer.error;
    closed.failedTrials += 1;
    if (closed.failedTrials === mostFailedTrials) closed.over = this.#o.ended(answer.error);
    this.release(permit);
  }

  /** An event has told what became of a creation whose answer was lost, so creations do arrive, and none is in doubt. */
  told(): void {
    this.#inARow = 0;
    if (this.#closed !== undefined && this.#closed.over === undefined) this.#open(this.#closed);
  }

  /** Call when a creation needs its permit no longer, sent or not. */
  release(permit: CallPermit): void {
    if (this.#closed?.trial !== permit) return;
    this.#closed.trial = undefined;
    this.#pause(this.#closed);
  }

  #close(failure: ApiFailure): void {
    const { clock } = this.#o;
    const since = { now: clock.now(), elapsed: clock.elapsed() };
    const changed = new AbortController();
    const counts = { tries: 0, failedTrials: 0, nextAt: 0 };
    this.#closed = { since, failure, ...counts, trial: undefined, over: undefined, changed };
    this.#pause(this.#closed);
  }

  #pause(closed: Closed): void {
    const { clock, backoffMs, waiting } = this.#o;
    const { failure, since } = closed;
    closed.tries += 1;
    const tries = closed.tries;
    const pause = backoffAfter(tries, pausesOfOthers * backoffMs, clock.chance());
    const nextTryMs = askedPause(failure) + pause;
    closed.nextAt = clock.elapsed() + nextTryMs;
    closed.changed.abort();
    closed.changed = new AbortController();
    if (closed.over === undefined) waiting({ since: since.now, failure, tries, nextTryMs });
  }

  #open(closed: Closed): void {
    this.#inARow = 0;
    this.#closed = undefined;
    closed.changed.abort();
    this.#o.back(this.#o.clock.elapsed() - closed.since.elapsed);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
