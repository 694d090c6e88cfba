// Tells of tasks and items as they begin and end: to the record, to the fold of the run, and to whoever listens. Decides one thing:
// whether too much has failed.
import type { Bug } from '../base/bug.ts';
import { count } from '../base/text.ts';
import { adviceFor, cureFor, doubtAdvice } from '../contract/api/failure.ts';
import { tooManyFailed } from '../language/failure-limits.ts';
import type { FailureLimits } from '../language/pipeline.ts';
import { current, projectOf } from '../model/record/job.ts';
import { stepOf } from '../model/task.ts';
import { newsIn } from './decide.ts';
import { type End, earlyActions } from './ending.ts';
import type { FileCounts } from './facts.ts';
import type { Journal } from './journal.ts';
import { type Collected, dayOf } from './owed.ts';
import { isMadeElsewhere } from './reason.ts';
import type { RunEvent, TaskDetail, TaskEnding } from './run-event.ts';
import type { RunView } from './run-view.ts';
import type { Scope, Task } from './scope.ts';
import type { Spending } from './spending.ts';

interface TellingParts {
  readonly journal: Journal;
  readonly spending: Pick<Spending, 'close'>;
  /** What `onEvent` folds into. */
  readonly view: Pick<RunView, 'item' | 'itemsOver'>;
  readonly limits: FailureLimits;
  /** Of the run. */
  readonly items: number;
  readonly onEvent: (event: RunEvent, detail?: TaskDetail) => void;
}

/** The run, or an item. */
export type Payer = Pick<Scope, 'key' | 'item' | 'admitted'>;

/** What is told of a task that has ended, beside its end. */
export interface Told {
  readonly id: string;
  readonly step: string;
  readonly payer: Payer;
  readonly isReused: boolean;
  readonly files: FileCounts | undefined;
  readonly project: string | undefined;
}

export function toldOf(
  task: Task,
  { ending }: End,
): Pick<Told, 'id' | 'step' | 'isReused' | 'files'> {
  const { id, step, isShared, action, reason, files } = task;
  const isNothing = isShared || action === 'reuse' || isMadeElsewhere(reason);
  const isReused = ending === 'done' && isNothing;
  return { id, step: step.name, isReused, files: isReused ? files : undefined };
}

export class Telling {
  readonly #o: TellingParts;
  /** Credits that this run was charged, by task; until it ends. */
  readonly #credits = new Map<string, number>();
  /** The tasks at work, and their items. */
  readonly #begun = new Map<string, string | undefined>();
  /** Tasks that ended before anything was bought. */
  readonly #early = new Set<string>();
  #failedItems = 0;
  #lost = 0;
  /** Of the steps without an item, for which no event tells that they are over. */
  readonly #shared = { credits: 0, hasFailed: false };
  isUnfinished = false;

  constructor(parts: TellingParts) {
    this.#o = parts;
  }

  readonly begun = (task: Task): void => {
    if (this.#begun.has(task.id)) return;
    const item = itemOf(task);
    this.#begun.set(task.id, item);
    this.#o.onEvent({ type: 'begun', step: task.step.name, task: task.id, item });
  };

  readonly charged = ({ id }: Pick<Task, 'id'>, project: string, credits: number): void => {
    this.#credits.set(id, (this.#credits.get(id) ?? 0) + credits);
    this.#o.onEvent({ type: 'charged', credits, task: id, item: this.#begun.get(id), project });
  };

  readonly remark = (message: string, task: string, project: string): void => {
    this.#o.onEvent({ type: 'warning', message, task, project });
  };

  /** Every wait has a reason that a person can read. */
  readonly waits = (why: string): void => {
    this.#o.onEvent({ type: 'note', message: `waiting: ${why}` });
  };

  readonly bug = (task: Task, bug: Bug): void => {
    this.#o.onEvent({ type: 'bug', task: task.id, item: itemOf(task), ...bug });
  };

  /** Of the walk before anything is bought: what has ended is not told again. */
  readonly early = (task: Task, end?: End): void => {
    const { action, isShared, id } = task;
    if (end === undefined || isShared || action === undefined || !earlyActions.has(action)) return;
    if (end.ending !== 'done' && end.ending !== 'failed') return;
    this.see(task, end);
    this.#early.add(id);
  };

  /** What became of a paid result of an earlier run. */
  readonly collected = ({ task, job, attempt, isBeside, end }: Collected): void => {
    if (end.held !== undefined) return;
    const { ending, why, code } = end;
    const [id = task] = job.tasks;
    const credits = this.#credits.get(id) ?? 0;
    this.#credits.delete(id);
    if (isBeside && (ending === 'done' || job.take !== undefined)) {
      const what = job.take === undefined ? 'an earlier result' : `take ${job.take.number}`;
      const named = `${what} of ${task}, paid on ${dayOf(attempt)},`;
      if (ending === 'done') return this.#o.onEvent({ type: 'note', message: `${named} is saved` });
      return this.#o.onEvent({ type: 'warning', message: `${named} is not saved: ${why}` });
    }
    const shown = why === '' ? undefined : `of an earlier run (${dayOf(attempt)}): ${why}`;
    const project = projectOf(attempt);
    const step = stepOf(task);
    this.#o.onEvent(
      { type: 'task', task, step, project, ending, credits, why: shown },
      { advice: adviceFor(code), cure: ending === 'pending' ? 'again' : cureFor(code) },
    );
  };

  readonly see = (task: Task, end?: End): void => {
    if (end === undefined || isUnreached(task.scope.payer) || this.#early.delete(task.id)) return;
    this.#record(task, end);
    this.ended(
      { ...toldOf(task, end), payer: task.scope.payer, project: this.#projectOf(task) },
      end,
    );
  };

  /** Of a task, whoever has seen it end. */
  ended({ id, step, payer, isReused, files, project }: Told, end: End): void {
    const credits = this.#credits.get(id) ?? 0;
    this.#credits.delete(id);
    this.#begun.delete(id);
    const ending: TaskEnding = isReused ? 'reused' : end.ending;
    this.#count(payer, end, credits);
    const { why, code, diagnostic, held, named } = end;
    const item = payer.item?.key;
    this.#o.onEvent(
      {
        type: 'task',
        task: id,
        step,
        item,
        project,
        ending,
        credits,
        why: why === '' ? undefined : why,
        code: diagnostic,
      },
      {
        advice: end.ending === 'doubt' ? doubtAdvice : adviceFor(code),
        cure: end.ending === 'pending' ? 'again' : cureFor(diagnostic ?? code),
        held,
        named,
        files,
      },
    );
  }

  /** What the record says of a task beside its job. */
  #record(task: Task, { ending, why, code = '' }: End): void {
    const { journal } = this.#o;
    const { id, fingerprint, source } = task;
    if (ending === 'failed' || ending === 'skipped')
      return journal.task(id, ending, { code, message: why });
    if (ending !== 'done') return;
    journal.task(id, 'done', { code: '', message: '' });
    const { operation } = task.kind;
    if (operation === 'download') return;
    // What only the receipts know, and this run relies on.
    const { known } = task;
    const isNew = known.own === undefined || newsIn(known).length > 0;
    if (isNew && known.receipt !== undefined) journal.join(known.receipt.line);
    const job = journal.ledger.job(source?.fingerprint ?? fingerprint);
    if (job !== undefined && !job.tasks.includes(id))
      journal.note({ is: 'serves', job: job.job, task: id });
  }

  #projectOf({ source, fingerprint, action }: Task): string | undefined {
    if (action === undefined) return undefined;
    const job = this.#o.journal.ledger.job(source?.fingerprint ?? fingerprint);
    const attempt = job && current(job);
    return attempt && projectOf(attempt);
  }

  #count({ item }: Payer, { ending }: End, credits: number): void {
    const so = item === undefined ? this.#shared : this.#o.view.item(item.key);
    if (item === undefined) {
      this.isUnfinished ||= ending !== 'done' && ending !== 'skipped' && ending !== 'excluded';
      this.#shared.credits += credits;
    }
    if (ending !== 'failed' || so?.hasFailed === true) return;
    if (item === undefined) this.#shared.hasFailed = true;
    this.#failedItems += 1;
    this.#judge(tooManyFailed(this.#o.limits, this.#failedItems, this.#o.items));
  }

  readonly over = (scope: Payer): void => {
    const { key, item } = scope;
    const { view, limits } = this.#o;
    const own = view.item(key);
    const so = item === undefined ? this.#shared : own;
    if (so?.hasFailed === true) {
      this.#lost += so.credits;
      const { credits: most } = limits;
      if (most !== undefined && this.#lost > most)
        this.#judge(`${count(this.#lost, 'credit')} went to items that failed, and ${most} may`);
    }
    if (item === undefined || isUnreached(scope)) return;
    const { isUnfinished = false, isChanged: changed = false } = own ?? {};
    const of = view.itemsOver + 1;
    this.#o.onEvent({ type: 'item', item: key, ok: !isUnfinished, changed, of });
  };

  #judge(why: string | undefined): void {
    if (why !== undefined) this.#o.spending.close({ because: 'failures', why });
  }
}

/** A cap of the whole run keeps whole items out. */
const isUnreached = ({ item, admitted }: Payer): boolean =>
  item !== undefined && admitted !== true && admitted.held?.by === 'run';

const itemOf = ({ scope }: Task): string | undefined => scope.payer.item?.key;
