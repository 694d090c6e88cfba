// Group commit: records the events of jobs, and syncs many at once. A job continues when its event is on disk, if it
// must be, and when the budget still covers what the job is about to send.
import { type Bug, bugText } from '../../contract/base/bug.ts';
import { err } from '../../contract/base/result.ts';
import { scrubbed } from '../../contract/base/scrub.ts';
import type { NewEvent } from '../journal/line.ts';
import { isNotTaken, notTaken } from '../journal/settled.ts';
import { jobFacts } from '../journal/state.ts';
import type { Remembered } from '../plan/remembered.ts';
import type { RunEvent } from '../report/run-event.ts';
import { count } from '../report/text.ts';
import type { Budget } from './budget.ts';
import { type InFlight, type RunningJob, whereaboutsOf } from './in-flight.ts';
import type { Ended, JobOrder } from './jobs/job.ts';
import { failed, paidElsewhere, pending } from './jobs/outcome.ts';
import type { Journal, Notice, Runner } from './jobs/ports.ts';
import type { StepBreaker } from './step-breaker.ts';

export interface GroupCommitOptions {
  readonly journal: Journal;
  readonly runner: Runner;
  readonly budget: Budget;
  readonly inFlight: InFlight;
  readonly stepBreaker: StepBreaker;
  /** Default: nothing. */
  readonly remembered?: Pick<Remembered, 'claim'> | undefined;
  readonly onEvent: (event: RunEvent) => void;
}

/** The creation has an answer, or certainly none. */
const isAnswer = (event: NewEvent): boolean =>
  event.event === 'created' || event.event === 'doubt' || isNotTaken(event);

interface WaitingJob {
  readonly key: string;
  /** The job is about to send a creation. */
  readonly sends: boolean;
}

export class GroupCommit {
  readonly #o: GroupCommitOptions;
  /** The highest reported excess of a charge over its estimate, by step kind. */
  readonly #told = new Map<string, number>();

  constructor(options: GroupCommitOptions) {
    this.#o = options;
  }

  /** True if a creation now has an answer, or certainly none: other tasks may wait for that. */
  take(notices: readonly Notice[]): boolean {
    const durable: WaitingJob[] = [];
    let answered = false;
    for (const notice of notices) {
      if (notice.is === 'ended' || notice.is === 'begun') continue;
      if (notice.is === 'recorded') {
        answered ||= isAnswer(notice.event);
        this.#fold(notice);
        continue;
      }
      const { key } = notice;
      if (notice.is === 'ask') {
        this.#send(key, false);
        continue;
      }
      const event = this.#priced(key, notice.event);
      if (event === undefined) continue;
      this.#record(key, event);
      answered ||= isAnswer(event);
      if (notice.durable) durable.push({ key, sends: event.event === 'intent' });
      else this.#o.runner.proceed(key);
    }
    if (durable.length > 0) this.#sync(durable);
    return answered;
  }

  /** Records an intent with its current estimate; undefined if the budget no longer covers it. */
  #priced(key: string, event: NewEvent): NewEvent | undefined {
    if (event.event !== 'intent') return event;
    const grant = this.#o.budget.recheck(key);
    if (grant.ok) return { ...event, reserve: grant.value };
    this.#o.runner.decline(key, grant.error);
    return undefined;
  }

  #record(key: string, event: NewEvent): void {
    this.#remark(this.#o.inFlight.get(key), event);
    this.#o.journal.append([event]);
    this.#count(key, event);
  }

  /** An event that another process has recorded; the job may have been given up here. */
  #fold({ key, event, at }: Extract<Notice, { readonly is: 'recorded' }>): void {
    if (key !== undefined) this.#remark(this.#o.inFlight.get(key), event);
    this.#o.journal.fold(event, at);
    if (key !== undefined) this.#count(key, event);
  }

  #count(key: string, event: NewEvent): void {
    const { budget, inFlight, stepBreaker, onEvent, journal } = this.#o;
    const credits = budget.record(key, event);
    if (credits !== 0)
      onEvent({ type: 'charged', credits, ...whereaboutsOf(inFlight.get(key), journal.ledger) });
    if (event.event === 'created') stepBreaker.taken(inFlight.get(key).step);
  }

  /** Jobs continue when their events are on disk. This function does not wait, so later events share the next sync. */
  #sync(waiting: readonly WaitingJob[]): void {
    const { journal, runner } = this.#o;
    const goOn = (): void => {
      for (const { key, sends } of waiting) {
        if (sends) this.#send(key, true);
        else runner.proceed(key);
      }
    };
    journal
      .sync()
      .then(goOn)
      .catch((error: unknown) => runner.fail(error));
  }

  /**
   * Right before a creation is sent: since its intent was written, prices may have risen, or the budget may have been
   * closed.
   */
  #send(key: string, claims: boolean): void {
    const { budget, runner, inFlight } = this.#o;
    const { order } = inFlight.get(key);
    const covered = budget.recheck(key);
    const grant = covered.ok && claims && !this.#claims(order) ? err(paidElsewhere) : covered;
    if (grant.ok) return runner.proceed(key);
    if (order.operation === 'create') {
      const error = { code: 'withheld', message: grant.error };
      this.#record(key, notTaken(order.fingerprint, error));
    }
    runner.decline(key, grant.error);
  }

  /** False if another process pays for the same request. */
  #claims(order: JobOrder): boolean {
    if (order.operation !== 'create') return true;
    const line = this.#o.journal.ledger.job(order.fingerprint);
    if (line === undefined) throw new Error(`bug: ${order.task} is sent without an intent`);
    return this.#o.remembered?.claim(line, order.saveTo !== undefined) !== 'busy';
  }

  /**
   * A bug ended a job midway. Reports and records what is known: if only an intent is on record, its creation may have
   * been paid.
   */
  afterBug(key: string, bug: Bug): Ended {
    const job = this.#o.inFlight.get(key);
    const { order } = job;
    const { ledger } = this.#o.journal;
    this.#o.onEvent({ type: 'bug', ...whereaboutsOf(job, ledger), ...bug });
    const why = scrubbed(bugText(bug));
    const state = 'fingerprint' in order ? ledger.job(order.fingerprint)?.state : undefined;
    if (order.operation === 'create' && state === 'intended')
      this.#record(key, { event: 'doubt', job: order.fingerprint, why });
    const facts = state === undefined ? undefined : jobFacts[state];
    if (facts?.inDoubt === true) return { is: 'ended', ending: 'doubt', why };
    // Paid: the next run continues it.
    return facts?.atService === true ? pending(why) : failed(why, 'bug');
  }

  /** Reports charges that differ from the estimate, with their projects. */
  #remark(job: RunningJob, event: NewEvent): void {
    const { onEvent, budget, journal } = this.#o;
    const { order } = job;
    const where = whereaboutsOf(job, journal.ledger);
    const charged = budget.chargedFor(order.key);
    if (event.event === 'settled' && charged > 0 && event.credits > charged) {
      const added = count(event.credits - charged, 'credit');
      const project = journal.ledger.job(event.job)?.project ?? '';
      const message = `${order.task}: the service added ${added} to what it had charged for project ${project}`;
      onEvent({ type: 'warning', message, ...where });
    }
    if (event.event !== 'created') return;
    const reserve = budget.reserveOf(order.key);
    const over = reserve > 0 ? event.credits / reserve : 1;
    if (over <= (this.#told.get(order.kind) ?? 1)) return;
    this.#told.set(order.kind, over);
    const message =
      `${order.task}: project ${event.project} was charged ${count(event.credits, 'credit')} where ${reserve} were expected; ` +
      'later estimates are raised';
    onEvent({ type: 'warning', message, ...where, project: event.project });
  }
}
