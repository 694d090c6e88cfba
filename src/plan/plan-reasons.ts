// Why the tasks of a plan run: new ones, and those that ran before and are not as they were. Memory is bounded: beyond some
// number, tasks are counted and no longer compared.

import type { Json } from '../base/json.ts';
import type { Because, Change, EarlierJob, Explanation, PlanReason } from '../core/plan-reason.ts';
import type { Manifest } from '../model/fingerprint.ts';
import type { JobLine } from '../model/line.ts';
import {
  type ChangedField,
  changesBetween,
  type KeptManifest,
  textsOf,
  valueOfJob,
} from '../model/manifest.ts';
import type { PlannedTask } from './planned-action.ts';
import { whyOf } from './reason.ts';

/** A task as it is planned, with what it may be compared by. */
export interface Candidate {
  readonly planned: PlannedTask;
  /** The uploads of its item, and of the shared steps. */
  readonly uploads: readonly Upload[];
}

/** The most tasks to look for in the state file, and to compare with their manifests. */
const maxTasks = 100_000;
const maxCompared = 1000;

/** A creation without a job. All others have a reason of their own. */
const newRequest = whyOf({ code: 'new-request' });
const usual: ReadonlySet<string> = new Set([
  whyOf({ code: 'not-downloaded-yet' }),
  whyOf({ code: 'new-content' }),
  'to be read',
]);

interface Counted {
  readonly reason: Pick<PlanReason, 'step' | 'because' | 'what'>;
  tasks: number;
  readonly examples: string[];
}

export class PlanReasons {
  readonly #candidates = new Map<string, Candidate>();
  readonly #earlier = new Map<string, EarlierJob>();
  readonly #counts = new Map<string, Counted>();
  /** The task that `--explain` asks about. */
  readonly #asked: string | undefined;
  #explained: Candidate | undefined;

  constructor(asked: string | undefined) {
    this.#asked = asked;
  }

  /** `around`: all tasks of the same item, and the shared ones. */
  add(planned: PlannedTask, around: () => readonly PlannedTask[]): void {
    const { step, task, action, why } = planned;
    if (task === this.#asked) this.#explained = { planned, uploads: uploadsIn(around()) };
    if (action !== 'begin' && action !== 'maybe') return;
    const { operation } = step.kind;
    if (action === 'begin' && why !== newRequest) {
      const isPlain = operation !== 'create' && (usual.has(why) || /^after |^its files /.test(why));
      if (!isPlain) this.#count(step.name, 'again', task, why);
      return;
    }
    if (operation !== 'create') return;
    if (this.#candidates.size >= maxTasks) return this.#count(step.name, 'more', task);
    const isCompared = this.#candidates.size < maxCompared * 10;
    // Of the others, only what finds their earlier jobs: they may be a hundred thousand.
    const { fingerprint } = planned;
    this.#candidates.set(
      task,
      isCompared
        ? { planned, uploads: uploadsIn(around()) }
        : { planned: { step, task, action, why, fingerprint }, uploads: [] },
    );
  }

  /** The task that `--explain` asks about, if the plan has it. */
  get explained(): Candidate | undefined {
    return this.#explained;
  }

  /** Finds the earlier jobs of the tasks. */
  lookAt(jobs: Iterable<JobLine>): void {
    const { planned } = this.#explained ?? {};
    if (this.#candidates.size === 0 && planned === undefined) return;
    for (const line of jobs)
      for (const task of line.tasks) {
        const own = task === planned?.task ? planned : this.#candidates.get(task)?.planned;
        if (own === undefined || own.fingerprint === line.job) continue;
        const before = this.#earlier.get(task);
        if (before === undefined || before.at < line.at) this.#earlier.set(task, earlierOf(line));
      }
  }

  earlier(task: string): EarlierJob | undefined {
    return this.#earlier.get(task);
  }

  /** The jobs whose manifests tell what has changed: first those of the tasks, then those of their inputs. */
  wanted(known: ReadonlyMap<string, KeptManifest>): ReadonlySet<string> {
    const wanted = new Set<string>();
    for (const [task, { job }] of this.#earlier) {
      if (wanted.size >= maxCompared && task !== this.#asked) continue;
      wanted.add(job);
    }
    for (const { body } of known.values())
      for (const [, text] of textsOf(body)) {
        const value = valueOfJob(text);
        if (value !== undefined) wanted.add(value.job);
      }
    return wanted;
  }

  /** By step, in the order of the plan, the most frequent first. */
  reasons(manifests: ReadonlyMap<string, KeptManifest>): readonly PlanReason[] {
    for (const [task, candidate] of this.#candidates) {
      const { step } = candidate.planned;
      const earlier = this.#earlier.get(task);
      if (earlier === undefined) this.#count(step.name, 'new', task);
      else this.#count(step.name, 'changed', task, whatChanged(candidate, earlier, manifests));
    }
    this.#candidates.clear();
    return [...this.#counts.values()]
      .map(({ reason, tasks, examples }) => ({ ...reason, tasks, examples }))
      .sort((one, other) => other.tasks - one.tasks);
  }

  /** Frees the memory; there are no reasons any more. */
  forget(): void {
    this.#candidates.clear();
    this.#earlier.clear();
    this.#explained = undefined;
  }

  #count(step: string, because: Because, task: string, what?: string): void {
    const key = JSON.stringify([step, because, what]);
    const reason = { step, because, what };
    const entry = this.#counts.get(key) ?? { reason, tasks: 0, examples: [] };
    entry.tasks += 1;
    if (entry.examples.length < 3) entry.examples.push(task);
    this.#counts.set(key, entry);
  }
}

const earlierOf = ({ job, kind, state, at, project, credits }: JobLine): EarlierJob => ({
  job,
  kind,
  state,
  at,
  project,
  credits,
});

const contentOf = (manifest: Manifest | undefined) =>
  manifest?.content === undefined ? {} : { content: manifest.content };

function uploadsIn(tasks: readonly PlannedTask[]): readonly Upload[] {
  return tasks.flatMap(({ file, fingerprint, manifest }) =>
    file === undefined || fingerprint === undefined
      ? []
      : [{ file, job: fingerprint, ...contentOf(manifest?.()) }],
  );
}

function whatChanged(
  { planned, uploads }: Candidate,
  earlier: EarlierJob,
  manifests: ReadonlyMap<string, KeptManifest>,
): string {
  const before = manifests.get(earlier.job);
  if (before === undefined) return 'changed since its last project';
  const changes = changesOf(before, planned.manifest?.(), { uploads, manifests });
  if (changes.length === 0) return 'depends on a result that is made again';
  // The earlier job may be any take: that alone is no reason.
  const own = changes.filter(({ field }) => field !== 'take' || changes.length === 1);
  return [...new Set(own.map(shortText))].slice(0, 3).join(', ');
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

// What has changed about a task since an earlier job of it: which field, which file, which result of another task.

/** A file that the plan uploads, or has uploaded. */
export interface Upload {
  readonly file: string;
  /** The fingerprint. */
  readonly job: string;
  /** The SHA-256 of the content. */
  readonly content?: string;
}

interface Known {
  readonly uploads: readonly Upload[];
  readonly manifests: ReadonlyMap<string, KeptManifest>;
}

/** `after`: undefined if the request is not known yet; then only its files are compared. */
export function changesOf(
  before: KeptManifest,
  after: Manifest | undefined,
  known: Known,
): readonly Change[] {
  if (after === undefined) return changedFiles(before, known);
  const own = { field: 'file', file: before.file ?? '' };
  return changesBetween(before, after).map((change): Change => {
    if (change.field === 'content' && before.file !== undefined)
      return { is: 'file', ...own, ...digests(before.content, after.content) };
    return changed(change, known);
  });
}

function changed(change: ChangedField, { uploads, manifests }: Known): Change {
  const { field } = change;
  const [before, after] = [jobIn(change.before), jobIn(change.after)];
  if (before === undefined || after === undefined) return { is: 'value', ...change };
  const [was, now] = [manifests.get(before), uploads.find(({ job }) => job === after)];
  if (now === undefined || (was !== undefined && was.kind !== 'upload')) {
    const kind = was?.kind;
    return { is: 'result', field, kind };
  }
  const moved = was?.file === undefined || was.file === now.file ? {} : { was: was.file };
  return { is: 'file', field, file: now.file, ...moved, ...digests(was?.content, now.content) };
}

/** The files of an earlier request that have other content now. */
function changedFiles({ body }: KeptManifest, { uploads, manifests }: Known): readonly Change[] {
  return textsOf(body).flatMap(([field, text]): readonly Change[] => {
    const job = jobIn(text);
    const was = job === undefined ? undefined : manifests.get(job);
    const now = uploads.find(({ file }) => file === was?.file);
    if (was?.file === undefined || now === undefined || now.job === job) return [];
    return [{ is: 'file', field, file: was.file, ...digests(was.content, now.content) }];
  });
}

const digests = (before: string | undefined, after: string | undefined) => ({
  before,
  after,
});

const jobIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? valueOfJob(value)?.job : undefined;

// Why one task runs, or does not: what has changed since its last project, field by field.

export function explanationOf(
  { planned, uploads }: Candidate,
  earlier: EarlierJob | undefined,
  manifests: ReadonlyMap<string, KeptManifest>,
): Explanation {
  const { step, task, action, why, problem, estimate, manifest } = planned;
  const about = {
    task,
    action,
    why,
    code: problem?.code,
    ...(estimate?.known === true ? { credits: estimate.credits } : {}),
  };
  const { operation } = step.kind;
  const hasOwnJob = operation !== 'download' && operation !== 'delete';
  if (earlier === undefined || !hasOwnJob) return about;
  const before = manifests.get(earlier.job);
  const known = { uploads, manifests };
  const changes = before === undefined ? {} : { changes: changesOf(before, manifest?.(), known) };
  return { ...about, earlier, ...changes };
}
