// Outages are a state of the run, not failures of its tasks: while the service is down, the run waits. Storage may be
// on other hosts than the service, and creations may be throttled while everything else works, so each has its own
// circuit breaker. Creations whose answers get lost have one that never repeats what may be paid for.

import { err, ok, type Result } from '../../base/result.ts';
import { scrubbed } from '../../base/scrub.ts';
import type { ApiFailure } from '../../contract/api/failure.ts';
import { givenUpText, unansweredText, whyAway } from '../../core/outage-text.ts';
import type { Clock, JobApi, MediaApi, ServiceAnswer } from '../../core/ports.ts';
import { aborted, askedPause, backoffAfter } from '../../core/retry.ts';
import type { Outage, OutageEvent } from '../../core/run-event.ts';
import { UploadAddresses } from '../../core/upload-addresses.ts';
import {
  answersToOutage,
  type CallPermit,
  CircuitBreaker,
  type CircuitBreakerOptions,
  signOf,
} from './circuit-breaker.ts';

export interface OutageOptions {
  readonly api: MediaApi;
  /** The service's base address. */
  readonly address: string;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** The first pause before the service is tried again, in milliseconds. */
  readonly backoffMs: number;
  /** How long the run waits during an outage, in milliseconds (`limits.outage`). */
  readonly limitMs: number;
  readonly onEvent: (event: OutageEvent) => void;
}

export class Outages {
  /** The same service, but free calls wait while the service is down, and are repeated when it is back. */
  readonly api: JobApi;
  readonly #o: OutageOptions;
  readonly #service: CircuitBreaker;
  readonly #creations: CircuitBreaker;
  readonly #lostAnswers: LostAnswers;
  readonly #storage = new Map<string, CircuitBreaker>();
  /** Of the service. */
  readonly #origin: string;

  constructor(options: OutageOptions) {
    this.#o = options;
    this.#origin = originOf(options.address);
    this.#service = this.#breaker({ of: 'service' });
    this.#creations = this.#breaker({ of: 'creations' });
    this.#lostAnswers = this.#breakerOfLostAnswers(options.api);
    this.api = this.#waiting(options.api);
  }

  /** How long the service was down so far, in milliseconds. Timeouts of projects do not count that time. */
  get waitedMs(): number {
    return this.#service.waitedMs;
  }

  /** True if a creation would have to wait. */
  get holdCreations(): boolean {
    return this.#service.isOpen || this.#creations.isOpen || this.#lostAnswers.isClosed;
  }

  /**
   * Waits until a creation may be sent. A creation is never used as a probe, because its answer could get lost: a free
   * call goes first. Give the permit back with `release`.
   */
  async readyToCreate(): ServiceAnswer<CallPermit> {
    const back = await this.#serviceIsBack();
    if (!back.ok) return back;
    const turn = await this.#creations.turn();
    if (!turn.ok) return turn;
    const permit = turn.value;
    const answered = await this.#lostAnswers.turn(permit);
    return answered.ok ? ok(permit) : answered;
  }

  /** Asked right before a creation is sent: false if too many answers were lost since it got its permit. */
  maySend(permit: CallPermit): boolean {
    return this.#lostAnswers.allows(permit);
  }

  /** The creation was sent and answered, or is not sent after all. */
  release(permit: CallPermit): void {
    this.#lostAnswers.release(permit);
  }

  /** An event has told what became of a creation whose answer was lost. */
  toldByEvent(): void {
    this.#lostAnswers.told();
  }

  /** True if the creation was not accepted because of an outage. */
  hearOfCreation(answer: Result<unknown, ApiFailure>, turn: CallPermit): boolean {
    const lost = !answer.ok && answer.error.reason === 'unreachable';
    const busy =
      !answer.ok && (answer.error.reason === 'throttled' || answer.error.reason === 'unavailable');
    if (!busy) this.#service.hear(answer, { probe: false });
    this.#lostAnswers.hear(answer, turn);
    // The service must be back before creations are tried again.
    const told = lost ? err<ApiFailure>({ reason: 'aborted', message: '' }) : answer;
    return this.#creations.hear(told, turn) || lost;
  }

  /** Waits until no outage of the service is known. A read is the probe. */
  async #serviceIsBack(): ServiceAnswer<void> {
    for (;;) {
      const turn = await this.#service.turn();
      if (!turn.ok) return turn;
      if (!turn.value.probe) return ok(undefined);
      this.#service.hear(await this.#o.api.account(), turn.value);
    }
  }

  /** After several lost answers: true if a read is not answered either. */
  async #isAway(): Promise<boolean> {
    const answer = await this.#o.api.account();
    if (!answer.ok && signOf(answer) === 'cut') this.#service.open(answer.error);
    else this.#service.hear(answer, { probe: false });
    return this.#service.isOpen;
  }

  /** A free call: waits for permission, and is repeated while an outage lasts. */
  async #through<T>(breaker: CircuitBreaker, call: () => ServiceAnswer<T>): ServiceAnswer<T> {
    for (;;) {
      const back = this.#service.isCut ? await this.#serviceIsBack() : ok(undefined);
      if (!back.ok) return back;
      const turn = await breaker.turn();
      if (!turn.ok) return turn;
      const answer = await call();
      if (breaker.hear(answer, turn.value)) continue;
      const isCut = signOf(answer) === 'cut' && breaker.cutInARow >= answersToOutage;
      if (!isCut || !(await this.#isAway())) return answer;
    }
  }

  #waiting(api: MediaApi): JobApi {
    const service = <T>(call: () => ServiceAnswer<T>): ServiceAnswer<T> =>
      this.#through(this.#service, call);
    const storage = <T>(url: string, call: () => ServiceAnswer<T>): ServiceAnswer<T> =>
      this.#through(this.#storageAt(url), call);
    const { clock, stop } = this.#o;
    const addresses = new UploadAddresses(
      (items) => service(() => api.uploadAddresses(items)),
      clock,
      stop,
    );
    return {
      uploadAddress: (item) => addresses.one(item),
      put: async (target, file) => {
        const put = await storage(target.uploadUrl, () => api.put(target, file));
        if (!put.ok) addresses.forgetSpares();
        return put;
      },
      detectFaces: (body) => service(() => api.detectFaces(body)),
      faceDetection: (id) => service(() => api.faceDetection(id)),
      account: () => service(() => api.account()),
      create: (tool, body, known) => api.create(tool, body, known),
      project: (record, id) => service(() => api.project(record, id)),
      deleteProject: (record, id) => service(() => api.deleteProject(record, id)),
      download: (url, into) => storage(url, () => api.download(url, into)),
    };
  }

  /** The breaker for the host of an address. The service's own breaker if the host is the same. */
  #storageAt(url: string): CircuitBreaker {
    const origin = originOf(url);
    if (origin === this.#origin) return this.#service;
    const known = this.#storage.get(origin);
    if (known !== undefined) return known;
    const made = this.#breaker({ of: 'storage', at: origin });
    this.#storage.set(origin, made);
    return made;
  }

  #breaker(outage: Outage): CircuitBreaker {
    return new CircuitBreaker(this.#terms(outage));
  }

  #breakerOfLostAnswers(api: MediaApi): LostAnswers {
    return new LostAnswers({
      ...this.#terms({ of: 'creations' }),
      ended: (failure) => ({ reason: 'no-answers', message: unansweredText(failure) }),
      read: async () => {
        const answer = await api.account();
        this.#service.hear(answer, { probe: false });
        return answer;
      },
    });
  }

  #terms(outage: Outage): CircuitBreakerOptions {
    const { clock, stop, backoffMs, limitMs, onEvent } = this.#o;
    return {
      clock,
      stop,
      backoffMs,
      limitMs,
      waiting: ({ since, failure, tries, nextTryMs }) =>
        onEvent({
          type: 'waiting',
          ...outage,
          why: scrubbed(whyAway(failure)),
          since: new Date(since).toISOString(),
          tries,
          nextTryMs,
          limitMs,
        }),
      back: (waitedMs) => onEvent({ type: 'back', ...outage, waitedMs }),
      givenUp: (failure) => ({
        reason: 'outage',
        message: givenUpText(outage, whyAway(failure), limitMs),
      }),
    };
  }
}

/** Empty for an invalid address: the call itself will report that. */
const originOf = (url: string): string => URL.parse(url)?.origin ?? '';

// Creations whose answers get lost. Each may be paid for, so each is a doubt that a person must settle, and an outage that
// cuts connections would make a doubt of every creation that is left. Two in a row close creations. Then one goes at a time,
// as a trial, after the service has answered a read. A read that succeeds proves nothing about creations, so only a trial
// opens them again, and two failed trials end them for this run.

/** The time limit is that for an answer to a read. */
interface LostAnswersOptions extends CircuitBreakerOptions {
  /** A free call. */
  readonly read: () => ServiceAnswer<unknown>;
  /** The failure of a creation after two failed trials. */
  readonly ended: (failure: ApiFailure) => ApiFailure;
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

const maxLostInARow = 2;
const maxFailedTrials = 2;
/** A trial costs a doubt, so its pauses are longer than those of other calls. */
const pauseFactor = 5;

class LostAnswers {
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
      if (this.#inARow === maxLostInARow) this.#close(answer.error);
      return;
    }
    if (closed.trial !== permit) return;
    if (sign === 'alive') return this.#open(closed);
    if (sign !== 'cut' || answer.ok) return;
    closed.failure = answer.error;
    closed.failedTrials += 1;
    if (closed.failedTrials === maxFailedTrials) closed.over = this.#o.ended(answer.error);
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
    const pause = backoffAfter(tries, pauseFactor * backoffMs, clock.chance());
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
