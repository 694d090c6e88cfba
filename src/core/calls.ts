// Everything that is asked of the service and of its storage. A free call is sent again if that may help. While the service or a
// host of its storage is away, all calls to it wait at one gate, and no attempt is used up. Creations have a gate of their own,
// because a read that is answered proves nothing about them.
import pRetry from 'p-retry';
import { digestOf } from '../base/digest.ts';
import type { JsonObject } from '../base/json.ts';
import { err } from '../base/result.ts';
import { scrubbed } from '../base/scrub.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { AcceptedCreation, Account, Project, RecordKind } from '../contract/api/project.ts';
import { Ended, endedBy, stopped } from './ended.ts';
import { givenUpText, unansweredText, whyAway } from './outage-text.ts';
import type { Clock, MediaApi, ServiceAnswer } from './ports.ts';
import { askedPause, backoffAfter } from './retry.ts';
import type { Outage, OutageEvent } from './run-event.ts';

/** Who pays with this key: a digest of the account's id; '' where the deployment has no account endpoint, or tells no id. */
export type Owner = string;

export function ownerOf(account: Account | undefined): Owner {
  const id = account?.id;
  return typeof id === 'string' && id !== '' ? digestOf({ account: id }) : '';
}

/** Leave to send one creation. Take it before the body is filled and before the intent is written. */
export interface Permit {
  /** False: creations wait again, or it is over. Then nothing is sent with it. */
  readonly isGood: boolean;
  /** False for a creation that tries whether an outage is over, or had to wait for its end. */
  readonly usesAttempt: boolean;
  /**
   * - `answered`: the service took the creation, or refused it.
   * - `unanswered`: nobody knows. Say `answered` afterwards if an event tells what became of it.
   * - `unsent`: the service certainly did not take it, or it was not sent after all.
   */
  over(outcome: 'answered' | 'unanswered' | 'unsent'): void;
}

/** Times in milliseconds. */
export interface CallsOptions {
  readonly api: MediaApi;
  /** The service's base address. Storage at the same host is away when the service is. */
  readonly address: string;
  readonly clock: Clock;
  /** If it is aborted, all waits end. */
  readonly signal: AbortSignal;
  readonly emit: (event: OutageEvent) => void;
  /** How long the run waits during one outage (`limits.outage`). */
  readonly outageMs: number;
  /** The first pause before something is tried again. */
  readonly backoffMs: number;
  /** Resolves when the request rate allows another creation. */
  readonly pace: () => Promise<void>;
}

/** Lost answers to creations in a row: each may be paid for, and is a doubt that a person must settle. */
const lostUntilClosed = 2;
const lostUntilGivenUp = 4;
/** A trial may cost another doubt, so the pauses between trials are longer. */
const lostPauseFactor = 5;
/** A longer wait has a reason on the screen. */
const maxQuietMs = 2_000;
const accountAttempts = 3;

export class Calls {
  readonly #o: CallsOptions;
  readonly #service: Gate;
  readonly #creations: Gate;
  readonly #storage = new Map<string, Gate>();
  readonly #turns = new WeakMap<Permit, Turn>();
  #lostInARow = 0;
  /** When a free call was answered last. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  #account: Promise<Account | undefined> | undefined;

  constructor(options: CallsOptions) {
    this.#o = options;
    const probe = async (): Promise<ApiFailure | undefined> => {
      const answer = await options.api.account();
      return answer.ok || signOf(answer.error) === 'alive' ? undefined : answer.error;
    };
    this.#service = new Gate(options, { of: 'service' }, probe);
    this.#creations = new Gate(options, { of: 'creations' }, async () => {
      const failure = await probe();
      // Before another doubt is risked, the service itself must be back.
      if (failure !== undefined) await this.#service.close(failure);
      return undefined;
    });
  }

  /** How long the service was away so far. The timeouts of projects do not count that time. */
  get waitedMs(): number {
    return this.#service.waitedMs;
  }

  /** The value of a free call of the service. Throws `Ended`. */
  free<T>(call: () => ServiceAnswer<T>, attempts: number): Promise<T> {
    return this.#repeated(this.#service, call, attempts);
  }

  /** The same for an upload to, or a download from, this address. */
  storage<T>(address: string, call: () => ServiceAnswer<T>, attempts: number): Promise<T> {
    const host = originOf(address);
    if (host === originOf(this.#o.address)) return this.free(call, attempts);
    const gate = this.#storage.get(host) ?? new Gate(this.#o, { of: 'storage', at: host });
    this.#storage.set(host, gate);
    return this.#repeated(gate, call, attempts);
  }

  project(record: RecordKind, id: string, attempts: number): Promise<Project> {
    return this.free(() => this.#o.api.project(record, id), attempts);
  }

  /** Waits until outages and lost answers are over, then for the request rate. Throws `Ended`. */
  async readyToCreate(): Promise<Permit> {
    for (;;) {
      const service = await this.#service.pass();
      const turn = await this.#creations.pass();
      await this.#o.pace();
      const permit = this.#permit(turn, !turn.isAfterOutage && !service.isAfterOutage);
      if (permit.isGood && !this.#o.signal.aborted) return permit;
      permit.over('unsent');
    }
  }

  /** One request. The caller decides about the answer by `remedy`, and ends the permit. */
  async create(
    tool: string,
    body: JsonObject,
    permit: Permit,
    known?: AbortSignal,
  ): ServiceAnswer<AcceptedCreation> {
    const turn = this.#turns.get(permit);
    if (turn === undefined || !permit.isGood)
      return err({ reason: 'late', message: 'other creations got no answer meanwhile' });
    const answer = await this.#o.api.create(tool, body, known);
    if (answer.ok) return answer;
    turn.failure = answer.error;
    const sign = signOf(answer.error);
    if (sign === 'down') void this.#service.close(answer.error);
    if (sign === 'busy') this.#failed(turn, answer.error);
    return answer;
  }

  /** Asked once a run. */
  async owner(): Promise<Owner> {
    this.#account ??= this.free(() => this.#o.api.account(), accountAttempts);
    return ownerOf(await this.#account);
  }

  #repeated<T>(gate: Gate, call: () => ServiceAnswer<T>, attempts: number): Promise<T> {
    const since = this.#o.clock.elapsed();
    return pRetry(() => this.#answered(gate, call, since), {
      retries: attempts - 1,
      // p-retry counts, and this clock waits.
      minTimeout: 0,
      shouldRetry: async ({ error, attemptNumber }) => {
        if (!(error instanceof Ended) || !error.mayPass) return false;
        await this.#pause(attemptNumber);
        return true;
      },
    });
  }

  /** Makes a call until its answer is its own, and not that of an outage. */
  async #answered<T>(gate: Gate, call: () => ServiceAnswer<T>, since: number): Promise<T> {
    for (let tries = 1; ; tries++) {
      const turn = await gate.pass();
      try {
        const answer = await call();
        const sign = answer.ok ? 'alive' : signOf(answer.error);
        if (sign === 'alive') turn.told('answered');
        if (answer.ok) {
          this.#answeredAt = this.#o.clock.elapsed();
          return answer.value;
        }
        const { error } = answer;
        if (sign === 'alive' || sign === 'none') throw endedBy('free', error);
        if (turn.isTrial) turn.told(error);
        // A transfer may be cut for its own sake.
        else if (gate !== this.#service && sign !== 'cut') void gate.close(error);
        else if (await this.#service.close(error)) continue;
        else if (sign === 'busy') await this.#later(error, since, tries);
        else throw endedBy('free', error);
      } finally {
        turn.told('nothing');
      }
    }
  }

  /** The service answers, but not this call for now: it is not the fault of the task. */
  async #later(failure: ApiFailure, since: number, tries: number): Promise<void> {
    const { clock, outageMs } = this.#o;
    if (clock.elapsed() - since >= outageMs) {
      if (this.#answeredAt >= since) throw endedBy('free', failure);
      throw givenUp({ of: 'service' }, failure, outageMs);
    }
    await this.#pause(tries);
  }

  async #pause(tries: number): Promise<void> {
    const { clock, signal, backoffMs } = this.#o;
    const pauseMs = backoffAfter(tries, backoffMs, clock.chance());
    await clock.sleep(Math.min(pauseMs, maxQuietMs), signal);
  }

  #permit(turn: Turn, usesAttempt: boolean): Permit {
    const isOpen = (): boolean =>
      !this.#service.isClosed && (turn.isTrial || !this.#creations.isClosed);
    let said: 'unanswered' | 'rest' | undefined;
    const permit: Permit = {
      get isGood() {
        return said === undefined && isOpen();
      },
      usesAttempt,
      over: (outcome) => {
        const isNews = said === 'unanswered' || turn.isTrial || !this.#creations.isClosed;
        if (outcome === 'answered' && isNews) this.#lostInARow = 0;
        if (outcome === 'unanswered' && isNews && said === undefined) this.#lost(turn);
        turn.told(outcome === 'answered' ? 'answered' : 'nothing');
        said = outcome === 'unanswered' ? outcome : 'rest';
      },
    };
    this.#turns.set(permit, turn);
    return permit;
  }

  /** Two in a row close creations, and two trials more end buying for this run. */
  #lost(turn: Turn): void {
    this.#lostInARow += 1;
    const failure = turn.failure ?? { reason: 'unanswered', message: '' };
    const more = { code: 'no-answers', stops: 'buying' } as const;
    if (this.#lostInARow >= lostUntilGivenUp)
      turn.told(new Ended('pending', scrubbed(unansweredText(failure)), more));
    else if (this.#lostInARow >= lostUntilClosed || turn.isTrial) this.#failed(turn, failure);
  }

  #failed(turn: Turn, failure: ApiFailure): void {
    if (turn.isTrial) turn.told(failure);
    else void this.#creations.close(failure);
  }
}

const givenUp = (outage: Outage, failure: ApiFailure, outageMs: number): Ended => {
  const why = scrubbed(givenUpText(outage, whyAway(failure), outageMs));
  return new Ended('pending', why, { code: 'outage', stops: 'run' });
};

/** Empty for what is no address: the call itself says so. */
const originOf = (address: string): string => URL.parse(address)?.origin ?? '';

/**
 * What a failure says about whoever was asked: it answers; no connection was made; it asks to come back later; the answer got lost;
 * nothing, because nothing was sent, or the bytes were bad.
 */
type Sign = 'alive' | 'down' | 'busy' | 'cut' | 'none';

const signs: Partial<Record<ApiFailure['reason'], Sign>> = {
  unreachable: 'down',
  throttled: 'busy',
  unavailable: 'busy',
  unanswered: 'cut',
  damaged: 'none',
  local: 'none',
  outage: 'none',
  'no-answers': 'none',
  late: 'none',
  aborted: 'none',
};

const signOf = (failure: ApiFailure): Sign =>
  failure.reason === 'refused' && failure.status === 0
    ? 'none'
    : (signs[failure.reason] ?? 'alive');

/** What a trial shows: what still fails, or that nothing more may be tried. */
type Verdict = ApiFailure | Ended | 'answered' | 'nothing';

/** Leave to make one call. */
interface Turn {
  /** Others wait for what it shows. The first verdict counts. */
  readonly isTrial: boolean;
  /** It had to wait for the end of an outage, or tries whether that has come. */
  readonly isAfterOutage: boolean;
  told(verdict: Verdict): void;
  failure?: ApiFailure;
}

/**
 * Closed at the first trouble, and opened by one probe at a time, for which everybody waits. At the service, that is a read; elsewhere
 * one of those who wait goes alone.
 */
class Gate {
  readonly #o: CallsOptions;
  readonly #outage: Outage;
  /** Resolves with what still fails. */
  readonly #probe: () => Promise<ApiFailure | undefined>;
  /** Resolves when it opens: whether there was an outage. Rejects once nobody may pass any more. */
  #closed: Promise<boolean> | undefined;
  readonly #line: ((turn: Turn) => void)[] = [];
  #arrived: () => void = () => undefined;
  readonly #stopped: Promise<Ended>;
  #waitedMs = 0;
  #since: number | undefined;

  constructor(
    options: CallsOptions,
    outage: Outage,
    probe: () => Promise<ApiFailure | undefined> = async () => undefined,
  ) {
    this.#o = options;
    this.#outage = outage;
    this.#probe = probe;
    const { signal } = options;
    this.#stopped = new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve(stopped())),
    );
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  get waitedMs(): number {
    const now = this.#o.clock.elapsed();
    return this.#waitedMs + now - (this.#since ?? now);
  }

  get #needsTrial(): boolean {
    return this.#outage.of !== 'service';
  }

  /** Waits until a call may be made. Throws `Ended` if the run stops or has waited for too long. */
  async pass(): Promise<Turn> {
    if (this.#o.signal.aborted) throw stopped();
    const freely = (isAfterOutage: boolean): Turn => ({
      isTrial: false,
      isAfterOutage,
      told: () => undefined,
    });
    if (this.#closed === undefined) return freely(false);
    const alone = new Promise<Turn>((resolve) => this.#line.push(resolve));
    this.#arrived();
    return await Promise.race([alone, this.#closed.then(freely)]);
  }

  /** Call if no usable answer came. */
  close(failure: ApiFailure): Promise<boolean> {
    if (this.#closed === undefined) {
      this.#closed = this.#opened(failure);
      // Whoever passes hears of it.
      this.#closed.catch(() => undefined);
    }
    return this.#closed;
  }

  async #opened(failure: ApiFailure): Promise<boolean> {
    const { clock, signal, outageMs, backoffMs, emit } = this.#o;
    const [since, at] = [clock.elapsed(), new Date(clock.now()).toISOString()];
    const over = new AbortController();
    let [fault, tries, isTold] = [failure, 0, false];
    const tell = (nextTryMs: number): void => {
      isTold = true;
      const said = { why: scrubbed(whyAway(fault)), since: at, tries, nextTryMs };
      emit({ type: 'waiting', ...this.#outage, ...said, limitMs: outageMs });
    };
    // The first probe may wait for its answer for a long time.
    void clock.sleep(maxQuietMs, signal, over.signal).then(() => {
      if (!isTold && !signal.aborted && !over.signal.aborted) tell(0);
    });
    this.#since = since;
    try {
      for (let failed = 0; ; failed++) {
        const isLost = this.#outage.of === 'creations' && fault.reason === 'unanswered';
        // Trials whose answers get lost are counted instead. The last probe is made when the time is up.
        const leftMs = isLost ? Number.POSITIVE_INFINITY : since + outageMs - clock.elapsed();
        if (failed > 0 && leftMs <= 0) throw givenUp(this.#outage, fault, outageMs);
        if (failed > 0 || this.#needsTrial || askedPause(fault) > 0) {
          const firstMs = isLost ? lostPauseFactor * backoffMs : backoffMs;
          const backoff = backoffAfter(++tries, firstMs, clock.chance());
          const pauseMs = Math.min(leftMs, askedPause(fault) + backoff);
          tell(pauseMs);
          await clock.sleep(pauseMs, signal);
        }
        if (signal.aborted) throw stopped();
        const tried = this.#needsTrial ? this.#trial() : this.#probe();
        const verdict = await Promise.race([this.#stopped, tried]);
        if (verdict instanceof Ended) throw verdict;
        if (verdict === undefined) {
          const waitedMs = clock.elapsed() - since;
          this.#waitedMs += waitedMs;
          this.#since = this.#closed = undefined;
          this.#line.length = 0;

          if (isTold) emit({ type: 'back', ...this.#outage, waitedMs });
          return failed > 0;
        }
        fault = verdict;
      }
    } finally {
      over.abort();
    }
  }

  /** Lets one of those who wait go alone: any of them, because a call may be at fault itself. */
  async #trial(): Promise<ApiFailure | Ended | undefined> {
    for (;;) {
      if (this.#line.length === 0)
        await new Promise<void>((resolve) => {
          this.#arrived = resolve;
        });
      await this.#probe();
      const chosen = Math.floor(this.#o.clock.chance() * this.#line.length);
      const { promise, resolve } = Promise.withResolvers<Verdict>();
      for (const go of this.#line.splice(chosen, 1))
        go({ isTrial: true, isAfterOutage: true, told: resolve });
      const verdict = await promise;
      if (verdict !== 'nothing') return verdict === 'answered' ? undefined : verdict;
    }
  }
}
