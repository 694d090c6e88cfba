// Why the tasks of a plan run: new ones, and those that ran before and are not as they were.
import { isObject, type Json, valueIn } from '../base/json.ts';
import type { Code } from '../contract/codes.ts';
import { textsOf, valueOfJob } from '../model/fingerprint.ts';
import type { JobState, JobView } from '../model/job-view.ts';
import { creditsOf, current } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { AttemptState, Job } from '../model/record/line.ts';
import type { End } from './ending.ts';
import { plannedAction } from './findings.ts';
import type { PaidTask, PlannedAction } from './plan-table.ts';
import { type ReasonCode, textOf } from './reason.ts';
import { fieldDigests } from './request.ts';
import type { Task } from './scope.ts';

type Because = 'new' | 'changed' | 'again';

/** Tasks of one step that run for the same reason. */
export interface PlanReason {
  readonly step: string;
  readonly because: Because;
  /** What has changed, or why it is done again, as the end of a sentence. Absent for `new`. */
  readonly what?: string | undefined;
  readonly tasks: number;
  /** The first three tasks. */
  readonly examples: readonly string[];
}

/** The last job that a task had, other than the one that it has now. */
interface EarlierJob extends Pick<JobView, 'job' | 'kind' | 'at' | 'project' | 'credits'> {
  readonly state: JobState | AttemptState;
}

export type Change =
  /** A field that is new, without `before`, or the name of the tool. */
  | {
      readonly is: 'value';
      readonly field: string;
      readonly before?: string;
      readonly after?: Json | undefined;
    }
  /** `after`: the SHA-256 of the content now. */
  | {
      readonly is: 'file';
      readonly field: string;
      readonly file: string;
      readonly after?: string | undefined;
    }
  /** A result of another task, which is not the same one. */
  | { readonly is: 'result'; readonly field: string; readonly kind?: string }
  /** The record does not say what it was before. */
  | { readonly is: 'field'; readonly field: string; readonly after?: Json | undefined };

export interface Explanation {
  readonly task: string;
  readonly action: PlannedAction;
  readonly why: string;
  readonly code?: Code | undefined;
  /** Credits that it would cost; absent if it is free, or if the price is not known. */
  readonly credits?: number | undefined;
  /** What the user's receipts say of it; absent if the state file alone knows it. */
  readonly paid?: PaidTask | undefined;
  /** The last job that the task had before; absent if it never had another one. */
  readonly earlier?: EarlierJob | undefined;
  /** What has changed since then; absent if the state file does not know. */
  readonly changes?: readonly Change[] | undefined;
}

/** What every task says that has never run, or that follows one that runs. */
const usual: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'new-request',
  'new-content',
  'not-saved-yet',
  'files-safe',
  'discarded',
]);

export class Reasons {
  readonly #ledger: Pick<Ledger, 'jobsOfTask'>;
  /** The task that `--explain` asks about. */
  readonly #asked: string | undefined;
  readonly #counts = new Map<string, PlanReason & { tasks: number; readonly examples: string[] }>();
  #explained: { readonly task: Task; readonly end: End } | undefined;

  constructor(ledger: Pick<Ledger, 'jobsOfTask'>, asked?: string) {
    this.#ledger = ledger;
    this.#asked = asked;
  }

  readonly see = (task: Task, end?: End): void => {
    if (end === undefined) return;
    if (task.id === this.#asked) this.#explained = { task, end };
    const action = plannedAction(task, end);
    if (task.isShared || (action !== 'begin' && action !== 'maybe')) return;
    const { reason, step, kind } = task;
    if (action === 'begin' && reason !== undefined && !usual.has(reason.code))
      return this.#count(task, 'again', textOf(reason));
    if (step.kind.operation !== 'create') return;
    const earlier = earlierJob(this.#ledger, task);
    if (earlier === undefined) return this.#count(task, 'new');
    const changes = changesOf(task, earlier);
    this.#count(task, 'changed', whatChanged(changes, earlier.kind !== kind.name));
  };

  #count({ id, step: { name: step } }: Task, because: Because, what?: string): void {
    const key = JSON.stringify([step, because, what]);
    const entry = this.#counts.get(key) ?? { step, because, what, tasks: 0, examples: [] };
    this.#counts.set(key, entry);
    entry.tasks += 1;
    if (entry.examples.length < 3) entry.examples.push(id);
  }

  /** The most frequent first. */
  get reasons(): readonly PlanReason[] {
    return [...this.#counts.values()].sort((one, other) => other.tasks - one.tasks);
  }

  /** The job that the asked task is, or is about. */
  get explainedJob(): string | undefined {
    const task = this.#explained?.task;
    return (task?.source ?? task)?.fingerprint;
  }

  /** Undefined if the plan has no such task. */
  get explanation(): Explanation | undefined {
    if (this.#explained === undefined) return undefined;
    const { task, end } = this.#explained;
    const { id, reason, price, source, scope } = task;
    const isReason = end.ending === 'done' && reason !== undefined;
    const earlier = source === undefined ? earlierJob(this.#ledger, task) : undefined;
    const attempt = earlier && current(earlier);
    return {
      task: id,
      action: plannedAction(task, end),
      why: isReason ? textOf(reason) : end.why,
      code: end.diagnostic,
      credits:
        task.action === 'create' && price?.credits !== undefined
          ? price.credits * scope.times
          : undefined,
      earlier: earlier && {
        job: earlier.job,
        kind: earlier.kind,
        state: attempt?.state ?? 'complete',
        at: timeOf(earlier),
        project: attempt?.project,
        credits: attempt && creditsOf(attempt),
      },
      changes: earlier && changesOf(task, earlier),
    };
  }
}

/** The last job that the task had, other than the one that it has now. What was refused was nothing. */
function earlierJob(
  ledger: Pick<Ledger, 'jobsOfTask'>,
  { id, fingerprint }: Task,
): Job | undefined {
  return ledger
    .jobsOfTask(id)
    .filter((job) => job.job !== fingerprint && current(job)?.state !== 'refused')
    .sort((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1))[0];
}

const timeOf = (job: Job): string => current(job)?.at ?? job.supplied?.at ?? '';

function whatChanged(changes: readonly Change[] | undefined, isOtherTool: boolean): string {
  if (changes === undefined) return 'changed since its last project';
  if (changes.length === 0) return isOtherTool ? 'changed uses' : 'another take of it counts';
  return [...new Set(changes.map(shortText))].slice(0, 3).join(', ');
}

function shortText({ is, field }: Change): string {
  if (is === 'result') return `new result in ${field}`;
  return is === 'file' ? `changed file in ${field}` : `changed ${field}`;
}

/** The record has digests of fields alone. Undefined if it does not have them, or if the request has no text yet. */
function changesOf(task: Task, earlier: Job): readonly Change[] | undefined {
  const was = current(earlier)?.fields;
  const body = valueIn(task.text);
  if (was === undefined || !isObject(body)) return undefined;
  const now = fieldDigests(task.text);
  const changes: Change[] = [...new Set([...Object.keys(now), ...Object.keys(was)])]
    .filter((field) => was[field] !== now[field])
    .map((field) => changeIn(field, task, partAt(body, field), field in was));
  const { name } = task.kind;
  return name === earlier.kind
    ? changes
    : [{ is: 'value', field: 'uses', before: earlier.kind, after: name }, ...changes];
}

function changeIn(field: string, task: Task, after: Json | undefined, isOlder: boolean): Change {
  const made = new Set(makersIn(after));
  const makers = [...task.reads].filter(({ fingerprint }) => made.has(fingerprint));
  // The record does not say which of them it was.
  const result = makers.find(({ kind }) => kind.operation !== 'upload');
  if (result !== undefined) return { is: 'result', field, kind: result.kind.name };
  const upload = makers.find(({ file }) => file !== undefined);
  if (upload?.file !== undefined)
    return { is: 'file', field, file: upload.file, after: upload.content };
  return { is: isOlder ? 'field' : 'value', field, after };
}

/** `field`: as `fieldDigests` names it. */
function partAt(body: Json, field: string): Json | undefined {
  if (!isObject(body)) return undefined;
  if (field in body) return body[field];
  const dot = field.indexOf('.');
  const inner = body[field.slice(0, dot)];
  return isObject(inner) ? inner[field.slice(dot + 1)] : undefined;
}

/** The fingerprints in the names of values. */
const makersIn = (value: Json | undefined): readonly string[] =>
  textsOf(value).flatMap(([, text]) => valueOfJob(text)?.job ?? []);
