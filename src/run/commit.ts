// Records what happens to orders: each event is checked, counted and written, and an order goes on when its event is on disk,
// if it must be, and when the budget still covers what the order is about to send.
import { type Bug, bugText } from '../base/bug.ts';
import { scrubbed } from '../base/scrub.ts';
import { count } from '../base/text.ts';
import type { JournalWriter } from '../core/journal-writer.ts';
import { askedCount, downloadCount } from '../core/recorded-files.ts';
import type { RunEvent } from '../core/run-event.ts';
import type { StepBreaker } from '../core/step-breaker.ts';
import type { NewEvent } from '../model/line.ts';
import { isNotTaken, notTaken } from '../model/settled.ts';
import { jobFacts } from '../model/state.ts';
import type { Remembered } from '../plan/remembered.ts';
import type { Budget } from './budget.ts';
import { type RunningJob, whereaboutsOf } from './in-flight.ts';
import type { Ended } from './jobs/job.ts';
import { failed, paidElsewhere, pending } from './jobs/outcome.ts';
import type { OrderJournal, Permission } from './jobs/performer.ts';
import type { TaskEndings } from './task-endings.ts';

export interface CommitOptions {
  readonly journal: JournalWriter;
  readonly budget: Budget;
  readonly stepBreaker: StepBreaker;
  readonly endings: Pick<TaskEndings, 'begun'>;
  /** Default: nothing. */
  readonly remembered?: Pick<Remembered, 'claim'> | undefined;
  readonly onEvent: (event: RunEvent) => void;
  /** Called when a creation has an answer, or certainly none: other tasks may wait for that. */
  readonly onAnswer: () => void;
  /** Called when the journal cannot be written: then the process trusts only the file. */
  readonly onFailure: (error: unknown) => void;
}

/** The creation has an answer, or certainly none. */
const isAnswer = (event: NewEvent): boolean =>
  event.event === 'created' || event.event === 'doubt' || isNotTaken(event);

const go: Permission = { is: 'go' };
const withheld = (why: string): Permission => ({ is: 'over', outcome: { is: 'withheld', why } });

export class Commit {
  readonly #o: CommitOptions;
  /** The highest reported excess of a charge over its estimate, by step kind. */
  readonly #told = new Map<string, number>();
  #syncing: Promise<void> | undefined;

  constructor(options: CommitOptions) {
    this.#o = options;
  }

  journalFor(job: RunningJob): OrderJournal {
    const { budget, endings } = this.#o;
    const { key } = job.order;
    return {
      begun: () => endings.begun(job),
      claim: (intent) =>
        this.#recording(async () => {
          const grant = budget.recheck(key);
          if (!grant.ok) return withheld(grant.error);
          this.#record(job, { ...intent, reserve: grant.value });
          await this.#synced();
          return this.#send(job, () => this.#refusalOf(job, intent.name));
        }),
      again: () => this.#recording(async () => this.#send(job)),
      record: (event, durable) =>
        this.#recording(async () => {
          this.#record(job, event);
          if (durable) await this.#synced();
          return go;
        }),
    };
  }

  /** If the journal cannot be written, the run ends, and the order goes no further: not even to clean up after itself. */
  async #recording(work: () => Promise<Permission>): Promise<Permission> {
    try {
      return await work();
    } catch (error) {
      this.#o.onFailure(error);
      return await new Promise<never>(() => undefined);
    }
  }

  #record(job: RunningJob, event: NewEvent): void {
    this.#remark(job, event);
    const { order } = job;
    const about = {
      name: 'name' in order ? order.name : undefined,
      project: 'project' in order ? order.project : undefined,
    };
    // Another program may have brought another attempt of the job meanwhile, which counts now.
    this.#o.journal.append([event], about);
    this.#count(job, event);
  }

  #count(job: RunningJob, event: NewEvent): void {
    const { budget, stepBreaker, onEvent, journal, onAnswer } = this.#o;
    const credits = budget.record(job.order.key, event);
    if (credits !== 0) onEvent({ type: 'charged', credits, ...whereaboutsOf(job, journal.ledger) });
    if (event.event === 'created') stepBreaker.taken(job.step);
    if (isAnswer(event)) onAnswer();
  }

  /** Events of the same turn share a sync. */
  #synced(): Promise<void> {
    this.#syncing ??= Promise.resolve().then(async () => {
      this.#syncing = undefined;
      await this.#o.journal.sync();
    });
    return this.#syncing;
  }

  /**
   * Right before a creation is sent: since its intent was written, prices may have risen, the budget may have been closed, or
   * another process may have begun to pay for the same request.
   */
  #send(job: RunningJob, claim: () => string | undefined = () => undefined): Permission {
    const { order } = job;
    const covered = this.#o.budget.recheck(order.key);
    const refusal = covered.ok ? claim() : covered.error;
    if (refusal === undefined) return go;
    if (order.operation === 'create') {
      const error = { code: 'withheld', message: refusal };
      this.#record(job, notTaken(order.fingerprint, error));
    }
    return withheld(refusal);
  }

  /** Why the request must not be sent: another process pays for it, or nobody can tell. */
  #refusalOf({ order }: RunningJob, name: string): string | undefined {
    if (order.operation !== 'create') return undefined;
    const { remembered, budget, journal } = this.#o;
    const { ledger } = journal;
    // The sync may have joined a file that another program has brought.
    if (!ledger.record.isAlone(order.fingerprint, name)) return paidElsewhere;
    const line = ledger.lineOf(order.fingerprint);
    if (line === undefined) throw new Error(`bug: ${order.task} is sent without an intent`);
    const refused = remembered?.claim(line, name);
    if (refused?.is !== 'closed') return refused && paidElsewhere;
    budget.close({ because: 'machine', why: refused.why });
    return refused.why;
  }

  /**
   * A bug ended a job midway. Reports and records what is known: if only an intent is on record, its creation may have
   * been paid.
   */
  afterBug(job: RunningJob, bug: Bug): Ended {
    const { order } = job;
    const { ledger } = this.#o.journal;
    this.#o.onEvent({ type: 'bug', ...whereaboutsOf(job, ledger), ...bug });
    const why = scrubbed(bugText(bug));
    const state = 'fingerprint' in order ? ledger.job(order.fingerprint)?.state : undefined;
    if (order.operation === 'create' && state === 'intended')
      this.#record(job, { event: 'doubt', job: order.fingerprint, why });
    const facts = state === undefined ? undefined : jobFacts[state];
    if (facts?.inDoubt === true) return { is: 'ended', ending: 'doubt', why };
    // Paid: the next run continues it.
    return facts?.atService === true ? pending(why) : failed(why, 'bug');
  }

  /** Reports charges that differ from the estimate, with their projects, and results that are missing. */
  #remark(job: RunningJob, event: NewEvent): void {
    const { onEvent, budget, journal } = this.#o;
    const { order } = job;
    if (event.event !== 'created' && event.event !== 'settled') return;
    const where = whereaboutsOf(job, journal.ledger);
    const asked = event.event === 'settled' && askedCount(event);
    if (event.event === 'settled' && typeof asked === 'number') {
      const listed = `the service listed only ${downloadCount(event)} of the ${asked} results that were asked for`;
      const message = `${order.task}: ${listed}; the others may be late, or held back`;
      onEvent({ type: 'warning', message, ...where });
    }
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
