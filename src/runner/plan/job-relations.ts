// How the pipeline of today stands to the jobs of earlier runs. Whatever a plan cannot tell is needed.
import { unknownKind } from '../journal/job-kind.ts';
import type { JobLine } from '../journal/line.ts';
import type { Step } from '../language/pipeline.ts';
import type { Item } from '../task/item.ts';
import { fannedOutIn, itemOf, stepOf } from '../task/task.ts';
import { historyIn } from './history.ts';
import { isFinished, type OrphanCandidates } from './orphan-candidates.ts';
import type { PlanReferences } from './plan-references.ts';

/**
 * - `needed`: a planned task has the job, or the job is not finished.
 * - `undecided`: a step of its kind is not decided before a run.
 * - `history`: its steps depend on the day.
 * - `unseen`: its item may be only out of sight.
 * - `superseded`: the pipeline has its task, with other content or parameters.
 * - `gone`: its item or its step is gone.
 */
export type Relation = 'needed' | 'undecided' | 'history' | 'unseen' | 'superseded' | 'gone';

export interface RelationQuestion {
  readonly steps: readonly Step[];
  /** All items of the pipeline. */
  readonly items: Iterable<Item>;
  /** Of the plan of all items and steps. */
  readonly references: PlanReferences;
}

export class JobRelations {
  readonly #references: PlanReferences;
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #undecided: ReadonlySet<string>;
  readonly #isGone: (item: string) => boolean;
  readonly #keyOf: (task: string) => string | undefined;
  /** Items of recorded tasks that the pipeline does not have. */
  readonly #missing: ReadonlySet<string>;
  readonly isHistory: (job: JobLine) => boolean;

  /** `isGone`: false if an item that the pipeline does not have may be only out of sight. */
  constructor(
    question: RelationQuestion,
    candidates: OrphanCandidates,
    isGone: (item: string) => boolean,
  ) {
    const { steps, references } = question;
    this.#references = references;
    this.#steps = new Map(steps.map((step) => [step.name, step]));
    this.#undecided = new Set(references.undecided.map(({ kind }) => kind));
    this.#isGone = isGone;
    const isFannedOut = fannedOutIn(steps);
    this.#keyOf = (task) => itemOf(task, isFannedOut(task));
    this.#missing = missingItems(question, candidates.jobs(), this.#keyOf);
    this.isHistory = historyIn(steps);
  }

  of(job: JobLine): Relation {
    const tasks = tasksOf(job);
    if (this.#references.has(job.job) || !isFinished(job) || tasks.length === 0) return 'needed';
    if (job.kind === unknownKind || this.#undecided.has(job.kind)) return 'undecided';
    if (this.isHistory(job)) return 'history';
    if (tasks.some((task) => this.has(task))) return 'superseded';
    return tasks.some((task) => this.isUnseen(task)) ? 'unseen' : 'gone';
  }

  step(task: string): Step | undefined {
    return this.#steps.get(stepOf(task));
  }

  /** True if the pipeline has this task, whatever the task would do now. */
  has(task: string): boolean {
    const step = this.step(task);
    const key = this.#keyOf(task);
    if (step === undefined || step.shared !== (key === undefined)) return false;
    return key === undefined || !this.#missing.has(key);
  }

  isUnseen(task: string): boolean {
    const key = this.#keyOf(task);
    return key !== undefined && this.#missing.has(key) && !this.#isGone(key);
  }
}

/** `jobs`: those that may have orphans. */
function missingItems(
  { items }: RelationQuestion,
  jobs: Iterable<JobLine>,
  keyOf: (task: string) => string | undefined,
): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const job of jobs)
    for (const task of tasksOf(job)) {
      const key = keyOf(task);
      if (key !== undefined) keys.add(key);
    }
  if (keys.size > 0) for (const { key } of items) keys.delete(key);
  return keys;
}

const tasksOf = ({ tasks, outputs = [] }: JobLine): readonly string[] => [
  ...new Set([...tasks, ...outputs.map(({ task }) => task)]),
];
