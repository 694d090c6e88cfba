// Ends a task: its item run moves on, the journal records an end without a job, the failure policy and the summary
// count it, and listeners receive the event.

import { count } from '../base/text.ts';
import { adviceFor, cureFor, doubtAdvice } from '../contract/api/failure.ts';
import type { Ending } from '../core/ending.ts';
import type { FileCounts } from '../core/file-counts.ts';
import type { JournalWriter } from '../core/journal-writer.ts';
import type { TaskEnding, Tell } from '../core/run-event.ts';
import type { Tally } from '../core/tally.ts';
import { tooManyFailed } from '../language/failure-limits.ts';
import type { FailureLimits } from '../language/pipeline.ts';
import type { End } from '../plan/ending.ts';
import type { Barrier } from '../plan/turn.ts';
import type { Budget } from './budget.ts';
import type { RunningJob } from './in-flight.ts';
import type { ItemRun } from './item-run.ts';
import type { ItemTask } from './item-walk.ts';

export interface TaskEnd extends End {
  /** The kind of failure. */
  readonly code?: string | undefined;
  /** `done` by an earlier run, or by the job of another task. */
  readonly reused?: boolean;
  /** Credits charged for the task in this run. */
  readonly credits?: number;
  /** For a reused download, unless all its files are whole. */
  readonly files?: FileCounts | undefined;
  /** The project behind the task's job. */
  readonly project?: string | undefined;
}

export interface TaskEndingsOptions {
  readonly journal: JournalWriter;
  readonly barrier: Barrier;
  readonly failurePolicy: FailurePolicy;
  readonly budget: Pick<Budget, 'ended'>;
  /** What `tell` folds into. */
  readonly tally: Tally;
  readonly tell: Tell;
}

export class TaskEndings {
  readonly #o: TaskEndingsOptions;

  constructor(options: TaskEndingsOptions) {
    this.#o = options;
  }

  /** A job is at work. Hashing a file only finds out whether there is anything to do. */
  begun({ itemRun, step, order }: RunningJob): void {
    if (order.operation === 'digest' || !itemRun.begin(step.name)) return;
    const item = itemRun.item?.key;
    const about = { step: step.name, task: itemRun.task(step) };
    this.#o.tell({ type: 'begun', ...about, item });
  }

  end(itemTask: ItemTask, end: TaskEnd): void {
    this.#record(itemTask, end);
    this.#over(itemTask, end.ending);
    this.#tell(itemTask, end);
  }

  /** A fan-out began: an earlier failure to begin it no longer stands. */
  opened(itemRun: ItemTask['itemRun'], step: ItemTask['step']): void {
    const { journal } = this.#o;
    const task = itemRun.task(step);
    if (journal.ledger.task(task)?.state !== 'failed') return;
    journal.append([{ event: 'skipped', task, why: 'runs once for each element' }]);
  }

  /** The task was done and reported before; only its values are fresh now. */
  refreshed(itemTask: ItemTask): void {
    this.#over(itemTask, 'done');
  }

  /** Records an end without a job, once. A skip is recorded only after a failure. */
  #record({ itemRun, step }: ItemTask, { ending: event, why, code }: TaskEnd): void {
    if (event !== 'failed' && event !== 'skipped') return;
    const { journal } = this.#o;
    const task = itemRun.task(step);
    if (!journal.ledger.lacks({ task, state: event, why })) return;
    const what = event === 'failed' && code !== undefined ? { code } : {};
    journal.append([{ event, task, why, ...what }]);
  }

  #over({ itemRun, step }: ItemTask, ending: Ending): void {
    const { barrier, failurePolicy, budget } = this.#o;
    itemRun.end(step.name, ending);
    budget.ended(itemRun, itemRun.task(step), ending === 'done');
    if (!itemRun.isShared) barrier.note(step.name, ending);
    if (ending === 'failed') failurePolicy.failed(itemRun);
  }

  #tell(itemTask: ItemTask, end: TaskEnd): void {
    const { ending, why, diagnostic, reused, credits = 0, files, project, held, named } = end;
    const { itemRun, step } = itemTask;
    const { journal, tell } = this.#o;
    const task = itemRun.task(step);
    const shown: TaskEnding = ending === 'done' && reused === true ? 'reused' : ending;
    const before = itemRun.report(step.name, { ending: shown, files });
    // Refreshed for another step, and already reported.
    if (before?.ending === shown && credits === 0) return;
    const code = ending === 'failed' ? journal.ledger.task(task)?.code : undefined;
    const advice = ending === 'doubt' ? doubtAdvice : adviceFor(code);
    const cure = ending === 'pending' ? 'again' : cureFor(diagnostic ?? code);
    tell(
      {
        type: 'task',
        task,
        step: step.name,
        item: itemRun.item?.key,
        project,
        ending: shown,
        credits,
        ...(why === '' ? {} : { why }),
        code: diagnostic,
      },
      { before: before?.ending, filesBefore: before?.files, advice, cure, named, held, files },
    );
  }

  /** Call when an item is over. */
  itemOver(itemRun: ItemTask['itemRun']): void {
    const { tally, failurePolicy, tell } = this.#o;
    failurePolicy.over(itemRun);
    const { item, isUnfinished, hasChanged: changed } = itemRun;
    const of = tally.itemsOver + 1;
    tell({ type: 'item', item: item?.key ?? '', ok: !isUnfinished, changed, of });
  }
}

// The failure policy: how many failures a run tolerates before it stops buying (`on_failure` and `max_failures` of a
// pipeline).

export class FailurePolicy {
  readonly #failureLimits: FailureLimits;
  readonly #total: number;
  readonly #budget: Budget;
  /** Failed items that are not over. */
  readonly #failed = new Set<ItemRun>();
  #items = 0;

  /** `total`: the number of items in the run, for limits given as a share. */
  constructor(failureLimits: FailureLimits, total: number, budget: Budget) {
    this.#failureLimits = failureLimits;
    this.#total = total;
    this.#budget = budget;
  }

  /** Call when one of an item's tasks has failed. */
  failed({ root }: ItemRun): void {
    if (this.#failed.has(root)) return;
    this.#failed.add(root);
    this.#items += 1;
    this.#judge(tooManyFailed(this.#failureLimits, this.#items, this.#total));
  }

  /** Call when an item is over. */
  over(itemRun: ItemRun): void {
    if (!this.#failed.delete(itemRun)) return;
    const lost = this.#budget.writeOff(itemRun);
    const { credits: most } = this.#failureLimits;
    if (most !== undefined && lost > most)
      this.#judge(`${count(lost, 'credit')} went to items that failed, and ${most} may`);
  }

  #judge(why: string | undefined): void {
    if (why !== undefined) this.#budget.close({ because: 'failures', why });
  }
}
