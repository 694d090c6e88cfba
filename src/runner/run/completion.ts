// Ends a job: each task that waited for it ends, or is decided again.
import { digestFrom } from '../../contract/base/digest.ts';
import type { JsonObject } from '../../contract/base/json.ts';
import { unreachable } from '../../contract/base/result.ts';
import type { Generations } from '../plan/generations.ts';
import { nothingRemembered, type Remembered } from '../plan/remembered.ts';
import { type Fingerprint, fingerprintFrom } from '../task/fingerprint.ts';
import type { Budget } from './budget.ts';
import type { FileFacts } from './file-facts.ts';
import type { GroupCommit } from './group-commit.ts';
import { type InFlight, projectOf, type RunningJob, type Waiter } from './in-flight.ts';
import type { Ended, JobOutcome } from './jobs/job.ts';
import { isStopped } from './jobs/outcome.ts';
import type { Journal } from './jobs/ports.ts';
import { redoSuppliers } from './refresh-inputs.ts';
import type { StepBreaker } from './step-breaker.ts';
import type { Stop } from './stop.ts';
import type { TaskEndings } from './task-endings.ts';
import type { Window } from './window.ts';

export interface CompletionOptions {
  readonly journal: Journal;
  readonly fileFacts: FileFacts;
  readonly inFlight: InFlight;
  readonly window: Window;
  readonly budget: Budget;
  readonly generations: Generations;
  readonly commit: GroupCommit;
  readonly stepBreaker: StepBreaker;
  readonly stop: Stop;
  readonly endings: TaskEndings;
  readonly remembered?: Pick<Remembered, 'deletedElsewhere'> | undefined;
  /** Jobs that failed in this run: other tasks with the same content would fail in the same way. */
  readonly failed: Map<Fingerprint, string>;
}

export class Completion {
  readonly #o: CompletionOptions;

  constructor(options: CompletionOptions) {
    this.#o = options;
  }

  complete(key: string, given: JobOutcome): void {
    const { inFlight, commit, budget, window, generations } = this.#o;
    window.askAgain();
    const outcome = given.is === 'bug' ? commit.afterBug(key, given.bug) : given;
    const job = inFlight.complete(key);
    generations.end(job.order);
    const credits = budget.release(key);
    this.#settle(job, outcome, job, credits);
    for (const follower of job.followers) this.#settle(job, outcome, follower, 0);
  }

  /** Ends one of the tasks of a job. */
  #settle(
    job: RunningJob,
    outcome: Exclude<JobOutcome, { readonly is: 'bug' }>,
    waiter: Waiter,
    credits: number,
  ): void {
    const { window, fileFacts, budget, endings } = this.#o;
    window.stir(waiter.itemRun);
    switch (outcome.is) {
      case 'done':
        if (outcome.misnamed !== undefined) endings.misnamed(waiter, outcome.misnamed);
        return this.#done(job, outcome.live, waiter, credits);
      case 'read':
        for (const { place, why } of outcome.unreadable) fileFacts.unreadable(place, why);
        return askAgain(waiter);
      case 'resupply':
        return job === waiter ? this.#resupply(waiter, outcome.why) : askAgain(waiter);
      case 'withheld':
        // Refunds may still free credits for the task: the budget decides whether it waits.
        if (budget.closed === undefined) return askAgain(waiter);
        return endings.end(waiter, {
          ending: budget.closed.because === 'left' ? 'later' : 'pending',
          why: outcome.why,
          held: { by: 'run' },
        });
      case 'ended':
        return this.#ended(job, outcome, waiter);
      default:
        return unreachable(outcome);
    }
  }

  #ended(job: RunningJob, outcome: Ended, waiter: Waiter): void {
    const { failed, stepBreaker, endings, stop } = this.#o;
    const { ending, why, code, again, stops, named } = outcome;
    if (again === true && this.#attemptsLeft(job)) return askAgain(waiter);
    if (!isStopped(outcome) && this.#isDeletedElsewhere(job, outcome)) return askAgain(waiter);
    if (stops !== undefined) this.#stopAt(stops, why, waiter);
    else if (ending === 'failed') {
      if (job.fingerprint !== undefined) failed.set(job.fingerprint, why);
      if (job === waiter && job.order.operation === 'create')
        stepBreaker.count(waiter.step, { code, why });
    }
    const later = stop.isLeft && isStopped(outcome);
    const project = projectOf(job, this.#o.journal.ledger);
    const held = isHeld(outcome) ? ({ by: 'run' } as const) : undefined;
    endings.end(waiter, { ending: later ? 'later' : ending, why, code, project, held, named });
  }

  /** Another pipeline of this user may delete a project right before its download: then its files are copied instead. */
  #isDeletedElsewhere({ order }: RunningJob, { ending, code }: Ended): boolean {
    const { journal, remembered = nothingRemembered } = this.#o;
    if (order.operation !== 'download' || ending !== 'pending') return false;
    const line = journal.ledger.job(order.fingerprint);
    const isMissing = code === 'not-found';
    return line !== undefined && remembered.deletedElsewhere(line, isMissing) !== undefined;
  }

  #stopAt(stops: NonNullable<Ended['stops']>, why: string, { step }: Waiter): void {
    const { stop, stepBreaker, budget } = this.#o;
    switch (stops) {
      case 'unauthorized':
      case 'outage':
        return stop.halt({ what: stops, why });
      case 'credits':
      case 'unanswered':
      case 'machine':
        return budget.close({ because: stops, why });
      case 'step':
        return stepBreaker.refuse(step, why);
      default:
        return unreachable(stops);
    }
  }

  #attemptsLeft({ order, step }: RunningJob): boolean {
    if (order.operation !== 'create' && order.operation !== 'attach') return false;
    return (this.#o.journal.ledger.job(order.fingerprint)?.attempt ?? 0) < step.attempts;
  }

  #done(job: RunningJob, live: JsonObject, waiter: Waiter, credits: number): void {
    const { journal, endings, window } = this.#o;
    const { itemRun, step } = waiter;
    const { order } = job;
    const fingerprint = fingerprintOf(job);
    const refreshed = itemRun.hasGiven(step.name) && order.operation !== 'create';
    const reused = job !== waiter;
    if (reused) journal.append([{ event: 'serves', job: fingerprint, task: itemRun.task(step) }]);
    itemRun.give(step, fingerprint, { live, ledger: journal.ledger });
    window.gave(itemRun, step, fingerprint);
    const readAgain =
      order.operation === 'attach' || 'detection' in order || order.operation === 'reupload';
    if (refreshed && readAgain) return endings.refreshed(waiter);
    const project = projectOf(job, this.#o.journal.ledger);
    endings.end(waiter, { ending: 'done', why: '', reused, credits, project });
  }

  /** Repeats the free tasks behind a request's inputs, once; then the request is sent again. */
  #resupply(waiter: Waiter, why: string): void {
    const { itemRun, step } = waiter;
    if (!itemRun.mayResupply(step.name))
      return this.#o.endings.end(waiter, {
        ending: 'failed',
        why: `${why.replace(/\.$/, '')}, also after it was supplied again`,
      });
    askAgain(waiter);
    for (const owner of redoSuppliers(itemRun, step)) this.#o.window.stir(owner);
  }
}

/** True if the run stopped, and the task has no trouble of its own. A paid result that cannot be saved has. */
const isHeld = (outcome: Ended): boolean =>
  isStopped(outcome) ||
  outcome.stops === 'unauthorized' ||
  outcome.stops === 'outage' ||
  outcome.stops === 'credits';

const askAgain = ({ itemRun, step }: Waiter): void => itemRun.schedule.reopen(step.name);

/** A job that no other task can share has its fingerprint only in its order. */
function fingerprintOf({ fingerprint, order }: RunningJob): Fingerprint {
  if (fingerprint !== undefined) return fingerprint;
  if ('fingerprint' in order) return fingerprintFrom(digestFrom(order.fingerprint));
  throw new Error(`bug: ${order.task} is done and has no fingerprint`);
}
