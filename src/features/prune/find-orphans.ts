// Finds orphans: what earlier runs left and the current pipeline no longer needs. Whatever a plan cannot tell is needed:
// a step that is not decided before a run, an item that may be out of sight, a result that depends on the day.

import { extensionOf } from '../../contract/api/asset.ts';
import { isKept, isStored, type OutputFacts } from '../../core/facts.ts';
import { conditionOf, downloadCount, filesNotHere } from '../../core/recorded-files.ts';
import type { KeptFile, Leftovers } from '../../files/leftovers.ts';
import type { Step } from '../../language/pipeline.ts';
import { uploadFingerprint } from '../../model/fingerprint.ts';
import type { Item } from '../../model/item.ts';
import { unknownKind } from '../../model/job-kind.ts';
import type { JobView } from '../../model/job-view.ts';
import type { Output } from '../../model/record/line.ts';
import { worthOf } from '../../model/state.ts';
import { fannedOutIn, itemOf, stepOf } from '../../model/task.ts';
import { historyIn } from '../result-fate.ts';
import type { OrphanFile, OrphanKept, OrphanProject, Orphans, RecordName } from './orphan.ts';
import { type PlanReferences, pathKey, pathMark } from './references.ts';

export interface OrphanQuestion {
  readonly steps: readonly Step[];
  /** All items of the pipeline. */
  readonly items: Iterable<Item>;
  /** Of the plan of all items and steps. */
  readonly references: PlanReferences;
  readonly jobs: () => Iterable<JobView>;
  readonly jobOf: (fingerprint: string) => JobView | undefined;
  /** What is in the folder of kept files. */
  readonly kept: readonly KeptFile[];
  readonly facts: OutputFacts;
  readonly leftovers: Pick<Leftovers, 'isGone' | 'isReachable' | 'writtenAt'>;
}

export const findOrphans = (question: OrphanQuestion): Orphans => new Search(question).found();

/**
 * How the pipeline of today stands to a job of an earlier run.
 * - `needed`: a planned task has the job, or the job is not finished.
 * - `undecided`: a step of its kind is not decided before a run.
 * - `history`: its steps depend on the day.
 * - `unseen`: its item may be only out of sight.
 * - `superseded`: the pipeline has its task, with other content or parameters.
 * - `gone`: its item or its step is gone.
 */
type Relation = 'needed' | 'undecided' | 'history' | 'unseen' | 'superseded' | 'gone';

/**
 * What recorded results make of a kept copy, the strongest last. `last`: it is the only copy of a result whose task the pipeline
 * still has.
 */
const keptUses = ['none', 'last', 'needed'] as const;
type KeptUse = (typeof keptUses)[number];

class Search {
  readonly #q: OrphanQuestion;
  /** Jobs that may have orphans. A state file may record a million jobs, and the plan needs nearly all: only these names are kept. */
  readonly #names: readonly string[];
  /** Where the files of all other jobs are. */
  readonly #neededPaths = new Set<number>();
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #keyOf: (task: string) => string | undefined;
  /** Items of recorded tasks that the pipeline does not have. */
  readonly #missing = new Set<string>();
  readonly #isHistory: (job: JobView) => boolean;
  readonly #undecided: ReadonlySet<string>;
  /** Other pipelines of the folder keep their files there, too: only recorded files can be orphans. */
  readonly #kept: ReadonlyMap<string, KeptFile>;
  readonly #copies = new Map<string, { readonly use: KeptUse; readonly orphan: OrphanKept }>();
  readonly #files = new Map<string, OrphanFile>();
  readonly #changed = new Map<string, string>();
  readonly #projects: OrphanProject[] = [];
  readonly #held = new Set<string>();
  readonly #counts = { history: 0, unseen: 0, unsaved: 0, remote: 0, outside: 0 };

  constructor(question: OrphanQuestion) {
    const { steps, items, references, jobs, kept } = question;
    this.#q = question;
    this.#kept = new Map(kept.map((file) => [nameOf(file.sha256, file.extension), file]));
    this.#steps = new Map(steps.map((step) => [step.name, step]));
    this.#undecided = new Set(references.undecided.map(({ kind }) => kind));
    this.#isHistory = historyIn(steps);
    const isFannedOut = fannedOutIn(steps);
    this.#keyOf = (task) => itemOf(task, isFannedOut(task));
    const names: string[] = [];
    for (const job of jobs()) {
      const { outputs } = job;
      const isNeeded = !isFinished(job) || references.has(job.job);
      const hasCopy = outputs.some((output) => this.#kept.has(keptName(output)));
      if (isNeeded && outputs.length <= downloadCount(job) && !hasCopy) {
        for (const { path } of outputs) this.#neededPaths.add(pathMark(path));
        continue;
      }
      names.push(job.job);
      for (const task of tasksOf(job)) {
        const key = this.#keyOf(task);
        if (key !== undefined) this.#missing.add(key);
      }
    }
    this.#names = names;
    if (this.#missing.size > 0) for (const { key } of items) this.#missing.delete(key);
  }

  found(): Orphans {
    for (const job of this.#jobs()) this.#look(job);
    for (const job of this.#jobs()) this.#giveBack(job);
    const copies = [...this.#copies.values()];
    return {
      files: [...this.#files.values()],
      kept: copies.filter(({ use }) => use === 'none').map(({ orphan }) => orphan),
      projects: this.#projects,
      left: {
        ...this.#counts,
        lastCopies: copies.filter(({ use }) => use === 'last').length,
        unrecorded: this.#kept.size - copies.length,
        changed: [...this.#changed.values()].sort(),
        undecided: this.#q.references.undecided.filter(({ kind }) => this.#held.has(kind)),
        shared: 0,
      },
    };
  }

  /** Read again one by one. */
  *#jobs(): Generator<JobView> {
    for (const name of this.#names) {
      const job = this.#q.jobOf(name);
      if (job !== undefined) yield job;
    }
  }

  #relationOf(job: JobView): Relation {
    const tasks = tasksOf(job);
    if (this.#q.references.has(job.job) || !isFinished(job) || tasks.length === 0) return 'needed';
    if (job.kind === unknownKind || this.#undecided.has(job.kind)) return 'undecided';
    if (this.#isHistory(job)) return 'history';
    if (tasks.some((task) => this.#has(task))) return 'superseded';
    return tasks.some((task) => this.#isUnseen(task)) ? 'unseen' : 'gone';
  }

  /** True if the pipeline has this task, whatever the task would do now. */
  #has(task: string): boolean {
    const step = this.#steps.get(stepOf(task));
    const key = this.#keyOf(task);
    if (step === undefined || step.shared !== (key === undefined)) return false;
    return key === undefined || !this.#missing.has(key);
  }

  #isUnseen(task: string): boolean {
    const key = this.#keyOf(task);
    return key !== undefined && this.#missing.has(key) && !this.#q.leftovers.isGone(key);
  }

  #look(job: JobView): void {
    const relation = this.#relationOf(job);
    if (relation === 'needed') this.#lookForTwins(job);
    else if (relation === 'undecided') this.#held.add(job.kind);
    else if (relation === 'history' || relation === 'unseen') this.#counts[relation] += 1;
    else this.#lookAtProject(job, relation);
    if (relation === 'gone')
      for (const output of job.outputs) this.#lookAtFile(job, output, this.#isLast(job));
    this.#lookAtKept(job, relation);
  }

  /** Files of a needed job that a renamed item left: only if the pipeline's own task has the same file in its place. */
  #lookForTwins(job: JobView): void {
    const { outputs } = job;
    if (!isFinished(job) || outputs.length <= downloadCount(job) || this.#isHistory(job)) return;
    for (const output of outputs) {
      const { task, index, path, sha256 } = output;
      if (this.#has(task) || this.#isUnseen(task)) continue;
      const twin = outputs.find(
        (other) => other.index === index && other.sha256 === sha256 && this.#has(other.task),
      );
      if (twin !== undefined && pathKey(twin.path) !== pathKey(path) && this.#isHere(twin))
        this.#lookAtFile(job, output, false);
    }
  }

  #lookAtFile(job: JobView, output: Output, last: boolean): void {
    const { facts, references, leftovers } = this.#q;
    const { path, bytes, sha256 } = output;
    const key = pathKey(path);
    if (this.#neededPaths.has(pathMark(path))) return;
    if (conditionOf(output, facts) === 'changed' && !isKept(output, facts))
      this.#changed.set(key, path);
    if (!this.#isHere(output)) return;
    if (references.isRead(path) || references.has(uploadFingerprint(sha256))) return;
    if (!leftovers.isReachable(path)) {
      this.#counts.outside += 1;
      return;
    }
    const records = [...(this.#files.get(key)?.records ?? []), recordOf(job, output)];
    this.#files.set(key, { path, bytes, sha256, records, last, ...this.#about(job) });
  }

  /** A path that belongs to another result too is no orphan, and no file that its owner changed. */
  #giveBack(job: JobView): void {
    for (const output of job.outputs) {
      const { task, index, path } = output;
      const key = pathKey(path);
      const isOwn = this.#files
        .get(key)
        ?.records.some((one) => one.job === job.job && one.task === task && one.index === index);
      if (isOwn === false && this.#isNeededAt(job, task)) this.#files.delete(key);
      if (this.#changed.has(key) && this.#isHere(output)) this.#changed.delete(key);
    }
  }

  #isNeededAt(job: JobView, task: string): boolean {
    const relation = this.#relationOf(job);
    return relation === 'needed' ? this.#has(task) : relation !== 'gone';
  }

  /** A project may go when its result is saved: for a task that the pipeline has, in its place or in the store. */
  #lookAtProject(job: JobView, relation: 'superseded' | 'gone'): void {
    const { facts } = this.#q;
    const { project, kind, tasks } = job;
    if (job.state !== 'complete' || project === undefined) return;
    if (tasks.some((task) => this.#steps.get(stepOf(task))?.keepRemote === true)) {
      this.#counts.remote += 1;
      return;
    }
    const isSafe = (output: Output): boolean =>
      this.#isHere(output) || (relation === 'gone' && isKept(output, facts));
    const onlyStored = filesNotHere(job, isSafe, facts);
    if (onlyStored === undefined) this.#counts.unsaved += 1;
    else this.#projects.push({ job: job.job, kind, project, onlyStored, ...this.#about(job) });
  }

  #lookAtKept(job: JobView, relation: Relation): void {
    const { facts } = this.#q;
    const { kind, project } = job;
    for (const output of job.outputs) {
      const name = keptName(output);
      const file = this.#kept.get(name);
      if (file === undefined) continue;
      const known = this.#copies.get(name);
      const { records = [], backedBy = [], at = 0, last = false } = known?.orphan ?? {};
      const whole = conditionOf(output, facts) === 'whole';
      const stored = isStored(output, facts);
      const isBacking = !whole && !stored && relation === 'superseded' && project !== undefined;
      const use = keptUse(relation, whole, stored || job.state === 'complete');
      this.#copies.set(name, {
        use: stronger(use, known?.use ?? 'none'),
        orphan: {
          ...file,
          tasks: job.tasks,
          credits: worthOf(job),
          at: Math.max(file.at, Date.parse(job.at), at),
          records: whole ? records : [...records, recordOf(job, output)],
          backedBy: isBacking ? [...backedBy, { kind, project }] : backedBy,
          last: last || (relation === 'gone' && this.#isLast(job)),
        },
      });
    }
  }

  /** True if nothing is left once everything is removed: the store is the only other place. */
  #isLast(job: JobView): boolean {
    const atService =
      job.state === 'complete' && !this.#projects.some((one) => one.job === job.job);
    return !atService && job.outputs.every((output) => !isStored(output, this.#q.facts));
  }

  #isHere(output: Output): boolean {
    const condition = conditionOf(output, this.#q.facts);
    return condition === 'whole' || condition === 'unread';
  }

  /** A result ages as a whole: its project and its files. */
  #about(job: JobView): Pick<OrphanFile, 'tasks' | 'at' | 'credits'> {
    const times = job.outputs.map(({ path }) => this.#q.leftovers.writtenAt(path));
    const at = Math.max(Date.parse(job.at), ...times);
    return { tasks: job.tasks, at, credits: worthOf(job) };
  }
}

/** `whole`: the file is in its place too. `spare`: the service or the store has the result. */
function keptUse(relation: Relation, whole: boolean, spare: boolean): KeptUse {
  if (relation === 'gone' || (whole && relation !== 'undecided')) return 'none';
  if (relation !== 'superseded') return 'needed';
  return spare ? 'none' : 'last';
}

const stronger = (one: KeptUse, other: KeptUse): KeptUse =>
  keptUses.indexOf(one) > keptUses.indexOf(other) ? one : other;

const nameOf = (sha256: string, extension: string): string => `${sha256}.${extension}`;

const keptName = ({ sha256, path }: Output): string => nameOf(sha256, extensionOf(path));

const recordOf = ({ job }: JobView, { task, index }: Output): RecordName => ({ job, task, index });

const tasksOf = ({ tasks, outputs }: JobView): readonly string[] => [
  ...new Set([...tasks, ...outputs.map(({ task }) => task)]),
];

/** Only finished jobs have files. */
const isFinished = ({ state }: JobView): boolean => state === 'complete' || state === 'deleted';
