// Finds orphans: what earlier runs left and the current pipeline no longer needs. Whatever a plan cannot tell is needed:
// a step that is not decided before a run, an item that may be out of sight, a result that depends on the day.

import { extensionOf } from '../../contract/api/asset.ts';
import { isKept, isStored, type OutputFacts } from '../../core/facts.ts';
import { conditionOf, downloadCount, filesNotHere } from '../../core/recorded-files.ts';
import type { KeptFile } from '../../files/leftovers.ts';
import type { Step } from '../../language/pipeline.ts';
import { uploadFingerprint } from '../../model/fingerprint.ts';
import type { Item } from '../../model/item.ts';
import { unknownKind } from '../../model/job-kind.ts';
import type { JobView } from '../../model/job-view.ts';
import type { Output } from '../../model/record/line.ts';
import { worthOf } from '../../model/state.ts';
import { fannedOutIn, itemOf, stepOf } from '../../model/task.ts';
import { historyIn } from '../result-fate.ts';
import type {
  BackingProject,
  OrphanFile,
  OrphanKept,
  OrphanProject,
  Orphans,
  RecordName,
} from './orphan.ts';
import { type PlanReferences, pathKey, pathMark } from './plan-references.ts';

/** Facts about what is on disk, beside those that a plan asks for. */
export interface OrphanFacts extends OutputFacts {
  /** True if the item is certainly gone, and not only out of sight, as on a drive that is not mounted. */
  isGone(item: string): boolean;
  /** True if a recorded output is below the output folder, and no link leads there. */
  isReachable(path: string): boolean;
  /** When a recorded output was last written, in milliseconds since 1970; 0 if nobody can tell. */
  writtenAt(path: string): number;
}

export interface OrphanQuestion extends RelationQuestion, RecordedJobs {
  readonly kept: readonly KeptFile[];
  readonly facts: OrphanFacts;
}

export const findOrphans = (question: OrphanQuestion): Orphans => new Search(question).found();

class Search {
  readonly #o: OrphanQuestion;
  readonly #candidates: OrphanCandidates;
  readonly #relations: JobRelations;
  readonly #files = new Map<string, OrphanFile>();
  readonly #changed = new Map<string, string>();
  readonly #projects: OrphanProject[] = [];
  readonly #kept: KeptCopies;
  readonly #held = new Set<string>();
  readonly #counts = { history: 0, unseen: 0, unsaved: 0, remote: 0, outside: 0 };

  constructor(question: OrphanQuestion) {
    this.#o = question;
    this.#kept = new KeptCopies(question.kept);
    const hasKept = ({ sha256, path }: Output): boolean =>
      this.#kept.has(sha256, extensionOf(path));
    this.#candidates = orphanCandidates(question, question.references, hasKept);
    const isGone = (item: string): boolean => question.facts.isGone(item);
    this.#relations = new JobRelations(question, this.#candidates, isGone);
  }

  found(): Orphans {
    for (const job of this.#candidates.jobs()) this.#look(job);
    for (const job of this.#candidates.jobs()) this.#giveBack(job);
    const { orphans: kept, ...keptLeft } = this.#kept.found();
    const undecided = this.#o.references.undecided.filter(({ kind }) => this.#held.has(kind));
    const changed = [...this.#changed.values()].sort();
    return {
      files: [...this.#files.values()],
      kept,
      projects: this.#projects,
      left: { ...this.#counts, ...keptLeft, changed, undecided, shared: 0 },
    };
  }

  #look(job: JobView): void {
    const relation = this.#relations.of(job);
    switch (relation) {
      case 'needed':
        this.#lookForCopies(job);
        break;
      case 'undecided':
        this.#held.add(job.kind);
        break;
      case 'history':
      case 'unseen':
        this.#counts[relation] += 1;
        break;
      case 'superseded':
        this.#lookAtProject(job, relation);
        break;
      case 'gone':
        this.#lookAtProject(job, relation);
        for (const output of job.outputs) this.#lookAtFile(job, output, this.#isLast(job));
    }
    this.#lookAtKept(job, relation);
  }

  /** Files of a needed job that a renamed item left: only if the pipeline's own task has the same file in its place. */
  #lookForCopies(job: JobView): void {
    const outputs = job.outputs;
    if (!isFinished(job) || outputs.length <= downloadCount(job)) return;
    for (const output of outputs) {
      const { task, index, path, sha256 } = output;
      if (
        this.#relations.has(task) ||
        this.#relations.isUnseen(task) ||
        this.#relations.isHistory(job)
      )
        continue;
      const twin = outputs.find(
        (other) =>
          other.index === index && other.sha256 === sha256 && this.#relations.has(other.task),
      );
      if (twin === undefined || pathKey(twin.path) === pathKey(path)) continue;
      if (this.#isHere(twin)) this.#lookAtFile(job, output, false);
    }
  }

  #lookAtFile(job: JobView, output: Output, last: boolean): void {
    const { facts, references } = this.#o;
    const { path, bytes, sha256, task, index } = output;
    if (this.#candidates.isNeededPath(path)) return;
    const condition = conditionOf(output, facts);
    const isOurs = condition === 'whole' || condition === 'unread';
    if (condition === 'changed' && !isKept(output, facts)) this.#changed.set(pathKey(path), path);
    if (!isOurs || references.reads(path) || references.has(uploadFingerprint(sha256))) return;
    if (!facts.isReachable(path)) {
      this.#counts.outside += 1;
      return;
    }
    const record: RecordName = { job: job.job, task, index };
    const known = this.#files.get(pathKey(path));
    const records = known === undefined ? [record] : [...known.records, record];
    this.#files.set(pathKey(path), {
      path,
      bytes,
      sha256,
      records,
      last,
      tasks: job.tasks,
      at: this.#timeOf(job),
      credits: worthOf(job),
    });
  }

  /** A path that belongs to another result too is no orphan, and no file that its owner changed. */
  #giveBack(job: JobView): void {
    for (const { task, index, path, ...output } of job.outputs) {
      const key = pathKey(path);
      const file = this.#files.get(key);
      const isOwn = file?.records.some(
        (one) => one.job === job.job && one.task === task && one.index === index,
      );
      if (file !== undefined && isOwn !== true && this.#isNeededAt(job, task))
        this.#files.delete(key);
      if (this.#changed.has(key) && this.#isHere({ task, index, path, ...output }))
        this.#changed.delete(key);
    }
  }

  #isNeededAt(job: JobView, task: string): boolean {
    const relation = this.#relations.of(job);
    return relation === 'needed' ? this.#relations.has(task) : relation !== 'gone';
  }

  /** A project may go when its result is saved: for a task that the pipeline has, in its place or in the store. */
  #lookAtProject(job: JobView, relation: 'superseded' | 'gone'): void {
    const { project, kind, tasks } = job;
    if (job.state !== 'complete' || project === undefined) return;
    if (tasks.some((task) => this.#relations.step(task)?.keepRemote === true)) {
      this.#counts.remote += 1;
      return;
    }
    const { facts } = this.#o;
    const isSafe = (output: Output): boolean =>
      this.#isHere(output) || (relation === 'gone' && isKept(output, facts));
    const onlyStored = filesNotHere(job, isSafe, facts);
    if (onlyStored === undefined) {
      this.#counts.unsaved += 1;
      return;
    }
    const about = { tasks, at: this.#timeOf(job), credits: worthOf(job) };
    this.#projects.push({ job: job.job, kind, project, onlyStored, ...about });
  }

  #lookAtKept(job: JobView, relation: Relation): void {
    for (const output of job.outputs) {
      if (!this.#kept.has(output.sha256, extensionOf(output.path))) continue;
      const about = { at: Date.parse(job.at), tasks: job.tasks, credits: worthOf(job) };
      const { task, index } = output;
      const record = { job: job.job, task, index };
      const whole = conditionOf(output, this.#o.facts) === 'whole';
      const stored = isStored(output, this.#o.facts);
      const spare = whole || stored || job.state === 'complete';
      const { kind, project } = job;
      const isBacked = !whole && !stored && relation === 'superseded' && project !== undefined;
      this.#kept.add(output, {
        use: keptUse(relation, whole, spare),
        about,
        last: relation === 'gone' && this.#isLast(job),
        ...(whole ? {} : { record }),
        ...(isBacked ? { backing: { kind, project } } : {}),
      });
    }
  }

  /** True if nothing is left once everything is removed: the store is the only other place. */
  #isLast(job: JobView): boolean {
    const { facts } = this.#o;
    const atService =
      job.state === 'complete' && !this.#projects.some((one) => one.job === job.job);
    return !atService && job.outputs.every((output) => !isStored(output, facts));
  }

  #isHere(output: Output): boolean {
    const condition = conditionOf(output, this.#o.facts);
    return condition === 'whole' || condition === 'unread';
  }

  /** A result ages as a whole: its project and its files. */
  #timeOf(job: JobView): number {
    const times = job.outputs.map(({ path }) => this.#o.facts.writtenAt(path));
    return Math.max(Date.parse(job.at), ...times);
  }
}

/** `whole`: the file is in its place too. `spare`: the service or the store has the result. */
function keptUse(relation: Relation, whole: boolean, spare: boolean): KeptUse {
  if (relation === 'gone' || (whole && relation !== 'undecided')) return 'none';
  if (relation !== 'superseded') return 'needed';
  return spare ? 'none' : 'last';
}

// How the pipeline of today stands to the jobs of earlier runs. Whatever a plan cannot tell is needed.

/**
 * - `needed`: a planned task has the job, or the job is not finished.
 * - `undecided`: a step of its kind is not decided before a run.
 * - `history`: its steps depend on the day.
 * - `unseen`: its item may be only out of sight.
 * - `superseded`: the pipeline has its task, with other content or parameters.
 * - `gone`: its item or its step is gone.
 */
type Relation = 'needed' | 'undecided' | 'history' | 'unseen' | 'superseded' | 'gone';

interface RelationQuestion {
  readonly steps: readonly Step[];
  /** All items of the pipeline. */
  readonly items: Iterable<Item>;
  /** Of the plan of all items and steps. */
  readonly references: PlanReferences;
}

class JobRelations {
  readonly #references: PlanReferences;
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #undecided: ReadonlySet<string>;
  readonly #isGone: (item: string) => boolean;
  readonly #keyOf: (task: string) => string | undefined;
  /** Items of recorded tasks that the pipeline does not have. */
  readonly #missing: ReadonlySet<string>;
  readonly isHistory: (job: JobView) => boolean;

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

  of(job: JobView): Relation {
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
  jobs: Iterable<JobView>,
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

const tasksOf = ({ tasks, outputs }: JobView): readonly string[] => [
  ...new Set([...tasks, ...outputs.map(({ task }) => task)]),
];

// One look at all recorded jobs for those that may have orphans. The state file may record a million jobs, and the plan
// needs nearly all of them: only the names of the others are kept in memory.

interface OrphanCandidates {
  /** The jobs to look at, read again one by one. */
  jobs(): Iterable<JobView>;
  /** True if another job, which the plan needs, may have recorded a file at this path. */
  isNeededPath(path: string): boolean;
}

interface RecordedJobs {
  readonly jobs: () => Iterable<JobView>;
  readonly jobOf: (fingerprint: string) => JobView | undefined;
}

function orphanCandidates(
  { jobs, jobOf }: RecordedJobs,
  references: PlanReferences,
  hasKept: (output: Output) => boolean,
): OrphanCandidates {
  const names: string[] = [];
  const paths = new Set<number>();
  for (const job of jobs()) {
    const { outputs } = job;
    const isNeeded = !isFinished(job) || references.has(job.job);
    if (!isNeeded || outputs.length > downloadCount(job) || outputs.some(hasKept))
      names.push(job.job);
    else for (const { path } of outputs) paths.add(pathMark(path));
  }
  return {
    *jobs() {
      for (const name of names) {
        const job = jobOf(name);
        if (job !== undefined) yield job;
      }
    },
    isNeededPath: (path) => paths.has(pathMark(path)),
  };
}

/** Only finished jobs have files. */
const isFinished = ({ state }: JobView): boolean => state === 'complete' || state === 'deleted';

// The kept files in `.shotlist`, and which of them are orphans. Other pipelines of the folder keep their files there too,
// and so are files that their owner had changed before a result replaced them: only recorded files can be orphans.

/**
 * What a recorded result makes of its kept copy. `needed`: the copy must stay. `last`: it is the only copy of a result
 * whose task the pipeline still has.
 */
type KeptUse = 'needed' | 'last' | 'none';

const strength: readonly KeptUse[] = ['none', 'last', 'needed'];

interface Owner {
  readonly use: KeptUse;
  readonly about: {
    readonly at: number;
    readonly tasks: readonly string[];
    readonly credits: number;
  };
  /** Nothing is left of the result without this copy. */
  readonly last: boolean;
  /** Absent if the result has its file in its place. */
  readonly record?: RecordName;
  /** The project that has the only other copy. */
  readonly backing?: BackingProject;
}

interface Known {
  readonly use: KeptUse;
  readonly orphan: OrphanKept;
}

const nameOf = (sha256: string, extension: string): string => `${sha256}.${extension}`;

class KeptCopies {
  readonly #files: ReadonlyMap<string, KeptFile>;
  readonly #known = new Map<string, Known>();

  constructor(files: readonly KeptFile[]) {
    this.#files = new Map(files.map((file) => [nameOf(file.sha256, file.extension), file]));
  }

  has(sha256: string, extension: string): boolean {
    return this.#files.has(nameOf(sha256, extension));
  }

  add({ sha256, path }: Output, { use, about, last, record, backing }: Owner): void {
    const name = nameOf(sha256, extensionOf(path));
    const file = this.#files.get(name);
    if (file === undefined) return;
    const known = this.#known.get(name);
    const records = [...(known?.orphan.records ?? []), ...(record === undefined ? [] : [record])];
    const before = known?.orphan.backedBy ?? [];
    const backedBy = backing === undefined ? before : [...before, backing];
    const at = Math.max(file.at, about.at, known?.orphan.at ?? 0);
    this.#known.set(name, {
      use: stronger(use, known?.use ?? 'none'),
      orphan: {
        ...file,
        ...about,
        at,
        records,
        backedBy,
        last: last || known?.orphan.last === true,
      },
    });
  }

  found(): { orphans: readonly OrphanKept[]; lastCopies: number; unrecorded: number } {
    const known = [...this.#known.values()];
    return {
      orphans: known.filter(({ use }) => use === 'none').map(({ orphan }) => orphan),
      lastCopies: known.filter(({ use }) => use === 'last').length,
      unrecorded: this.#files.size - known.length,
    };
  }
}

const stronger = (one: KeptUse, other: KeptUse): KeptUse =>
  strength.indexOf(one) > strength.indexOf(other) ? one : other;
