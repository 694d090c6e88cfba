// Everything that is asked of the service and of its storage. A free call is sent again if that may help. While the service or a
// host of its storage is away, all calls to it wait at one gate, and no attempt is used up. Creations have a gate of their own,
// because a read that is answered proves nothing about them.
import pRetry from 'p-retry';
import { digestOf } from '../base/digest.ts';
import type { JsonObject } from '../base/json.ts';
import { err } from '../base/result.ts';
import { scrubbed } from '../base/scrub.ts';
import { type ApiFailure, remedy } from '../contract/api/failure.ts';
import type { AcceptedCreation, Account, Project, RecordKind } from '../contract/api/project.ts';
import { givenUpText, unansweredText, whyAway } from '../run/jobs/outage-text.ts';
import type { Clock, MediaApi, ServiceAnswer } from '../run/jobs/ports.ts';
import type { Outage, OutageEvent } from '../run/run-event.ts';
import { Ended, endedBy, stopped } from './ended.ts';

/** Who pays with this key: a digest of the account's id; '' where the deployment has no account endpoint, or tells no id. */
export type Owner = string;

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
const maxPauseMs = 30_000;
/** A longer wait has a reason on the screen. */
const maxQuietMs = 2_000;
const accountAttempts = 3;

export class Calls {
  readonly #o: CallsOptions;
  readonly #service: Gate;
  readonly #creations: Gate;
  readonly #storage = new Map<string, Gate>();
  readonly #turns = new WeakMap<Permit, Turn>();
  readonly #shown = new Set<string>();
  #lostInARow = 0;
  #account: Promise<Account | undefined> | undefined;
  #owner: Owner | undefined;

  constructor(options: CallsOptions) {
    this.#o = options;
    this.#service = new Gate(options, { of: 'service' }, () => this.#probe());
    this.#creations = new Gate(options, { of: 'creations' }, async () => {
      const failure = await this.#probe();
      // Before anything is risked, the service itself must be back.
      if (failure !== undefined) await this.#isAway(failure);
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
    return this.#repeated(this.#gateOf(address), call, attempts);
  }

  async project(record: RecordKind, id: string, attempts: number): Promise<Project> {
    const project = await this.free(() => this.#o.api.project(record, id), attempts);
    this.#shown.add(id);
    return project;
  }

  /** Waits until outages and lost answers are over, then for the request rate. Throws `Ended`. */
  async readyToCreate(): Promise<Permit> {
    for (;;) {
      const service = await this.#service.pass();
      const turn = await this.#creations.pass();
      await this.#o.pace();
      const usesAttempt = !turn.isTrial && !turn.isAfterOutage && !service.isAfterOutage;
      const permit = this.#permit(turn, usesAttempt);
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
    const sign = answer.ok ? 'alive' : signOf(answer.error);
    if (sign === 'alive') this.#service.open();
    if (answer.ok) return answer;
    if (sign === 'down') this.#service.close(answer.error);
    if (sign === 'busy') this.#creations.close(answer.error, turn);
    turn.failure = answer.error;
    return answer;
  }

  /** Asked once a run; undefined if this deployment has no account endpoint. */
  account(): Promise<Account | undefined> {
    this.#account ??= this.free(() => this.#o.api.account(), accountAttempts);
    return this.#account;
  }

  async owner(): Promise<Owner> {
    const id = (await this.account())?.id;
    this.#owner = typeof id === 'string' && id !== '' ? digestOf({ account: id }) : '';
    return this.#owner;
  }

  /**
   * Whether the account that paid for a project has answered in this run. Where accounts have no id, another project shows that: one
   * of `siblings`, which the same run made.
   */
  vouches(paidBy: Owner | undefined, siblings: Iterable<string>): boolean {
    if (paidBy !== undefined && paidBy !== '') return paidBy === this.#owner;
    for (const project of siblings) if (this.#shown.has(project)) return true;
    return false;
  }

  async #repeated<T>(gate: Gate, call: () => ServiceAnswer<T>, attempts: number): Promise<T> {
    const { clock, signal, backoffMs } = this.#o;
    const send = async (): Promise<T> => {
      const answer = await this.#answered(gate, call);
      if (answer.ok) return answer.value;
      throw new Unsuccessful(answer.error);
    };
    // p-retry counts, and this clock waits.
    const options = {
      retries: attempts - 1,
      minTimeout: 0,
      async shouldRetry({ error, attemptNumber }: { error: Error; attemptNumber: number }) {
        if (!(error instanceof Unsuccessful) || remedy('free', error.failure) !== 'retry')
          return false;
        const pauseMs = backoffAfter(attemptNumber, backoffMs, clock.chance());
        await clock.sleep(Math.min(pauseMs, maxQuietMs), signal);
        return true;
      },
    };
    try {
      return await pRetry(send, options);
    } catch (error) {
      throw error instanceof Unsuccessful ? endedBy('free', error.failure) : error;
    }
  }

  /** Sends a call until its answer is its own, and not that of an outage. */
  async #answered<T>(gate: Gate, call: () => ServiceAnswer<T>): ServiceAnswer<T> {
    for (;;) {
      const turn = await gate.pass();
      try {
        const answer = await call();
        const sign = answer.ok ? 'alive' : signOf(answer.error);
        if (sign === 'alive') gate.open();
        if (answer.ok || sign === 'alive' || sign === 'none') return answer;
        // A transfer may be cut for its own sake.
        const asksService = gate === this.#service || (sign === 'cut' && !turn.isTrial);
        if (!asksService) gate.close(answer.error, turn);
        else if (!(await this.#isAway(answer.error))) return answer;
      } finally {
        gate.release(turn);
      }
    }
  }

  /** Whether a failure is that of an outage, which is over then: an outage fails the probe, too. */
  async #isAway(failure: ApiFailure): Promise<boolean> {
    const trouble = this.#service.close(failure);
    await this.#service.pass();
    return trouble.failed > 0;
  }

  async #probe(): Promise<ApiFailure | undefined> {
    const answer = await this.#o.api.account();
    return answer.ok || signOf(answer.error) === 'alive' ? undefined : answer.error;
  }

  #permit(turn: Turn, usesAttempt: boolean): Permit {
    const isOpen = (): boolean => !this.#service.isClosed && this.#creations.admits(turn);
    let said: 'unanswered' | 'rest' | undefined;
    const permit: Permit = {
      get isGood() {
        return said === undefined && isOpen();
      },
      usesAttempt,
      over: (outcome) => {
        if (said === undefined && outcome === 'unanswered') this.#lost(turn);
        else if (
          outcome === 'answered' &&
          (said === 'unanswered' || this.#creations.admits(turn))
        ) {
          this.#lostInARow = 0;
          if (said === 'unanswered' || turn.isTrial) this.#creations.open();
        }
        this.#creations.release(turn);
        said = outcome === 'unanswered' ? outcome : 'rest';
      },
    };
    this.#turns.set(permit, turn);
    return permit;
  }

  /** Two in a row close creations, and two failed trials end buying for this run. */
  #lost(turn: Turn): void {
    // Sent before they were closed.
    if (!this.#creations.admits(turn)) return;
    this.#lostInARow += 1;
    const failure = turn.failure ?? { reason: 'unanswered', message: '' };
    const more = { code: 'no-answers', stops: 'buying' } as const;
    if (this.#lostInARow >= lostUntilGivenUp)
      this.#creations.giveUp(() => new Ended('pending', scrubbed(unansweredText(failure)), more));
    else if (this.#lostInARow >= lostUntilClosed || turn.isTrial)
      this.#creations.close(failure, turn);
  }

  #gateOf(address: string): Gate {
    const host = originOf(address);
    if (host === originOf(this.#o.address)) return this.#service;
    const known = this.#storage.get(host);
    const gate = known ?? new Gate(this.#o, { of: 'storage', at: host });
    this.#storage.set(host, gate);
    return gate;
  }
}

/** Empty for what is no address: the call itself says so. */
const originOf = (address: string): string => URL.parse(address)?.origin ?? '';

/** Carries a failure through p-retry, which uses exceptions. */
class Unsuccessful extends Error {
  readonly failure: ApiFailure;

  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Doubles, with a jitter of one half. */
const backoffAfter = (tries: number, firstMs: number, chance: number): number =>
  Math.min(maxPauseMs, firstMs * 2 ** (tries - 1)) * (0.5 + chance);

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

/** Leave to make one call. */
interface Turn {
  /** It goes alone, and opens the gate if it is answered. */
  readonly isTrial: boolean;
  readonly isAfterOutage: boolean;
  failure?: ApiFailure;
}

/** Times in milliseconds, by the clock's `elapsed`. */
interface Trouble {
  readonly since: number;
  readonly at: string;
  failure: ApiFailure;
  tries: number;
  /** Probes and trials that failed. */
  failed: number;
  nextAt: number;
  isTold: boolean;
  trial: Turn | undefined;
  /** One of those who wait pauses and probes, or is the trial. */
  isSeenTo: boolean;
  /** The others. True: it is now their turn to see to it. */
  readonly line: ((isNext: boolean) => void)[];
  readonly opened: AbortController;
}

/**
 * Closed at the first trouble. The first of those who wait pauses and then probes, if there is a probe. The service's gate opens when
 * the probe is answered; at the others, the one who probed goes alone, and they open when that call is answered.
 */
class Gate {
  readonly #o: CallsOptions;
  readonly #outage: Outage;
  readonly #probe: () => Promise<ApiFailure | undefined>;
  #trouble: Trouble | undefined;
  #givenUp: (() => Ended) | undefined;
  #waitedMs = 0;

  /** `probe`: resolves with what still fails. */
  constructor(
    options: CallsOptions,
    outage: Outage,
    probe: () => Promise<ApiFailure | undefined> = async () => undefined,
  ) {
    this.#o = options;
    this.#outage = outage;
    this.#probe = probe;
    options.signal.addEventListener('abort', () => this.#wake());
  }

  get isClosed(): boolean {
    return this.#trouble !== undefined;
  }

  get waitedMs(): number {
    const now = this.#o.clock.elapsed();
    return this.#waitedMs + now - (this.#trouble?.since ?? now);
  }

  admits(turn: Turn): boolean {
    return this.#trouble === undefined || this.#trouble.trial === turn;
  }

  /** Waits until a call may be made. Throws `Ended` if the run stops or has waited for too long. */
  async pass(): Promise<Turn> {
    const { clock, signal } = this.#o;
    let seen: Trouble | undefined;
    let seesTo: Trouble | undefined;
    let isNext = false;
    try {
      for (;;) {
        if (signal.aborted) throw stopped();
        if (this.#givenUp !== undefined) throw this.#givenUp();
        const isAfterOutage = (seen?.failed ?? 0) > 0;
        const trouble = this.#trouble;
        if (trouble === undefined) return { isTrial: false, isAfterOutage };
        seen = trouble;
        if (trouble.isSeenTo && seesTo !== trouble) {
          isNext = await new Promise<boolean>((resolve) => trouble.line.push(resolve));
          if (isNext) seesTo = trouble;
          continue;
        }
        seesTo = trouble;
        trouble.isSeenTo = true;
        const pauseMs = trouble.nextAt - clock.elapsed();
        if (pauseMs > 0) await clock.sleep(pauseMs, signal, trouble.opened.signal);
        else if (this.#needsTrial && !isNext && trouble.line.length > 0) {
          // Perhaps its own call is at fault: another one tries.
          seesTo = undefined;
          this.#next(trouble);
        } else if (await this.#isForTrial(trouble)) {
          trouble.trial = { isTrial: true, isAfterOutage };
          return trouble.trial;
        }
      }
    } catch (error) {
      if (seesTo !== undefined) this.#next(seesTo);
      throw error;
    }
  }

  /** Call if an answer came. */
  open(): void {
    const trouble = this.#trouble;
    if (trouble === undefined || this.#givenUp !== undefined) return;
    this.#waitedMs = this.waitedMs;
    this.#wake();
    this.#trouble = undefined;
    trouble.opened.abort();
    const waitedMs = this.#o.clock.elapsed() - trouble.since;
    if (trouble.isTold) this.#o.emit({ type: 'back', ...this.#outage, waitedMs });
  }

  /** Call if no usable answer came. */
  close(failure: ApiFailure, turn?: Turn): Trouble {
    const { clock } = this.#o;
    const now = clock.elapsed();
    const known = this.#trouble;
    if (known !== undefined) {
      known.nextAt = Math.max(known.nextAt, now + askedPause(failure));
      if (turn !== undefined && known.trial === turn) {
        this.#failed(known, failure);
        this.release(turn);
      }
      return known;
    }
    const trouble: Trouble = {
      since: now,
      at: new Date(clock.now()).toISOString(),
      failure,
      tries: 0,
      failed: 0,
      nextAt: now,
      isTold: false,
      trial: undefined,
      isSeenTo: false,
      line: [],
      opened: new AbortController(),
    };
    this.#trouble = trouble;
    if (this.#needsTrial || askedPause(failure) > 0) this.#pause(trouble);
    else void this.#tellLater(trouble);
    return trouble;
  }

  /** Call if the trial told nothing. */
  release(turn: Turn): void {
    const trouble = this.#trouble;
    if (trouble === undefined || trouble.trial !== turn) return;
    trouble.trial = undefined;
    this.#next(trouble);
  }

  /** Whoever waits, or comes later in this run, ends so. */
  giveUp(ended: () => Ended): void {
    this.#givenUp = ended;
    this.#wake();
  }

  get #needsTrial(): boolean {
    return this.#outage.of !== 'service';
  }

  async #isForTrial(trouble: Trouble): Promise<boolean> {
    const failure = await this.#probe();
    if (this.#trouble !== trouble || this.#o.signal.aborted) return false;
    if (failure !== undefined) this.#failed(trouble, failure);
    else if (!this.#needsTrial) this.open();
    return failure === undefined && this.#needsTrial;
  }

  /** A probe or a trial has failed. The last one is made when the time is up; trials whose answers get lost are counted instead. */
  #failed(trouble: Trouble, failure: ApiFailure): void {
    const { clock, outageMs } = this.#o;
    trouble.failed += 1;
    trouble.failure = failure;
    if (this.#isLost(failure) || clock.elapsed() < trouble.since + outageMs)
      return this.#pause(trouble);
    const why = scrubbed(givenUpText(this.#outage, whyAway(failure), outageMs));
    this.giveUp(() => new Ended('pending', why, { code: 'outage', stops: 'run' }));
  }

  #pause(trouble: Trouble): void {
    const { clock, outageMs, backoffMs } = this.#o;
    const { failure, since } = trouble;
    const now = clock.elapsed();
    trouble.tries += 1;
    const firstMs = this.#isLost(failure) ? lostPauseFactor * backoffMs : backoffMs;
    const pauseMs = askedPause(failure) + backoffAfter(trouble.tries, firstMs, clock.chance());
    const end = this.#isLost(failure) ? Number.POSITIVE_INFINITY : since + outageMs;
    trouble.nextAt = Math.min(now + pauseMs, end);
    this.#tell(trouble);
  }

  #isLost({ reason }: ApiFailure): boolean {
    return this.#outage.of === 'creations' && reason === 'unanswered';
  }

  #tell(trouble: Trouble): void {
    const { clock, outageMs, emit } = this.#o;
    trouble.isTold = true;
    emit({
      type: 'waiting',
      ...this.#outage,
      why: scrubbed(whyAway(trouble.failure)),
      since: trouble.at,
      tries: trouble.tries,
      nextTryMs: Math.max(0, trouble.nextAt - clock.elapsed()),
      limitMs: outageMs,
    });
  }

  /** A probe may wait for its answer for a long time. */
  async #tellLater(trouble: Trouble): Promise<void> {
    await this.#o.clock.sleep(maxQuietMs, this.#o.signal, trouble.opened.signal);
    const isOver = this.#trouble !== trouble || this.#o.signal.aborted;
    if (!isOver && !trouble.isTold) this.#tell(trouble);
  }

  #next(trouble: Trouble): void {
    const next = trouble.line.shift();
    trouble.isSeenTo = next !== undefined;
    next?.(true);
  }

  #wake(): void {
    for (const goOn of this.#trouble?.line.splice(0) ?? []) goOn(false);
  }
}

/** How long the service asks to wait. */
const askedPause = (failure: ApiFailure): number =>
  'retryAfterMs' in failure ? (failure.retryAfterMs ?? 0) : 0;
