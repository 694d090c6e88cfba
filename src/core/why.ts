// Why the tasks of a plan run: new ones, and those that ran before and are not as they were.
import { isObject, type Json, valueIn } from '../base/json.ts';
import type { Code } from '../contract/codes.ts';
import { textsOf, valueOfJob } from '../model/fingerprint.ts';
import { creditsOf, current } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { Job } from '../model/record/line.ts';
import type { End } from './ending.ts';
import { plannedAction } from './findings.ts';
import type { Because, Change, EarlierJob, Explanation, PlanReason } from './plan-reason.ts';
import { type ReasonCode, textOf } from './reason.ts';
import { fieldDigests } from './request.ts';
import type { Task } from './scope.ts';

/** What every task says that has never run, or that follows one that runs. */
const usual: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'new-request',
  'new-content',
  'not-saved-yet',
  'files-safe',
  'discarded',
]);

interface Counted {
  readonly reason: Pick<PlanReason, 'step' | 'because' | 'what'>;
  tasks: number;
  readonly examples: string[];
}

export class Reasons {
  readonly #ledger: Pick<Ledger, 'jobsOfTask'>;
  /** The task that `--explain` asks about. */
  readonly #asked: string | undefined;
  readonly #counts = new Map<string, Counted>();
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

  #count({ id, step }: Task, because: Because, what?: string): void {
    const key = JSON.stringify([step.name, because, what]);
    const reason = what === undefined ? { because } : { because, what };
    const entry = this.#counts.get(key) ?? {
      reason: { step: step.name, ...reason },
      tasks: 0,
      examples: [],
    };
    this.#counts.set(key, entry);
    entry.tasks += 1;
    if (entry.examples.length < 3) entry.examples.push(id);
  }

  /** The most frequent first. */
  get reasons(): readonly PlanReason[] {
    return [...this.#counts.values()]
      .map(({ reason, tasks, examples }) => ({ ...reason, tasks, examples }))
      .sort((one, other) => other.tasks - one.tasks);
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
    const isPaid = task.action === 'create' && price?.credits !== undefined;
    const about = {
      task: id,
      action: plannedAction(task, end),
      why: isReason ? textOf(reason) : end.why,
      ...(end.diagnostic === undefined ? {} : { code: end.diagnostic satisfies Code }),
      ...(isPaid ? { credits: (price.credits ?? 0) * scope.times } : {}),
    };
    const earlier = source === undefined ? earlierJob(this.#ledger, task) : undefined;
    if (earlier === undefined) return about;
    const changes = changesOf(task, earlier);
    return { ...about, earlier: shown(earlier), ...(changes === undefined ? {} : { changes }) };
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

function shown(job: Job): EarlierJob {
  const attempt = current(job);
  return {
    job: job.job,
    kind: job.kind,
    state: attempt?.state ?? 'complete',
    at: timeOf(job),
    ...(attempt?.project === undefined ? {} : { project: attempt.project }),
    ...(attempt === undefined ? {} : { credits: creditsOf(attempt) }),
  };
}

function whatChanged(changes: readonly Change[] | undefined, isOtherTool: boolean): string {
  if (changes === undefined) return 'changed since its last project';
  if (changes.length === 0) return isOtherTool ? 'changed uses' : 'another take of it counts';
  return [...new Set(changes.map(shortText))].slice(0, 3).join(', ');
}

function shortText(change: Change): string {
  switch (change.is) {
    case 'file':
      return `changed file in ${change.field}`;
    case 'result':
      return `new result in ${change.field}`;
    case 'value':
    case 'field':
      return `changed ${change.field}`;
  }
}

/** The record has digests of fields alone. Undefined if it does not have them, or if the request has no text yet. */
function changesOf(task: Task, earlier: Job): readonly Change[] | undefined {
  const was = current(earlier)?.fields;
  const body = valueIn(task.text);
  if (was === undefined || !isObject(body)) return undefined;
  const now = fieldDigests(task.text);
  const changed = [...new Set([...Object.keys(now), ...Object.keys(was)])].filter(
    (field) => was[field] !== now[field],
  );
  const { kind } = task;
  return [
    ...(kind.name === earlier.kind
      ? []
      : [{ is: 'value', field: 'uses', before: earlier.kind, after: kind.name } as const]),
    ...changed.map((field): Change => changeIn(field, task, partAt(body, field), field in was)),
  ];
}

function changeIn(field: string, task: Task, value: Json | undefined, isOlder: boolean): Change {
  const made = new Set(makersIn(value));
  const makers = [...task.reads].filter(({ fingerprint }) => made.has(fingerprint));
  // The record does not say which of them it was.
  const result = makers.find(({ kind }) => kind.operation !== 'upload');
  if (result !== undefined) return { is: 'result', field, kind: result.kind.name };
  const upload = makers.find(({ file }) => file !== undefined);
  if (upload?.file !== undefined)
    return {
      is: 'file',
      field,
      file: upload.file,
      ...(upload.content === undefined ? {} : { after: upload.content }),
    };
  const after = value === undefined ? {} : { after: value };
  return { is: isOlder ? 'field' : 'value', field, ...after };
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
