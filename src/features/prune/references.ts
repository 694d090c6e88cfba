// What the plan of all items refers to in the state file. Everything else that is recorded there may be an orphan
// (find-orphans.ts). Grows with the recorded jobs, not with the items: jobs are remembered by a part of their fingerprint, and
// if two parts are equal, an orphan is not found.
import { digestOfBytes, markOf } from '../../base/digest.ts';
import { plannedAction } from '../../core/findings.ts';
import type { Disk } from '../../core/ports.ts';
import { downloadCount } from '../../core/recorded-files.ts';
import { takesOf } from '../../core/takes.ts';
import type { See } from '../../core/walk.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Step } from '../../language/pipeline.ts';
import { type JobView, viewIn } from '../../model/job-view.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import { outputsOf } from '../planning/plan-problems.ts';

/** A step with tasks whose results are not known before a run, so that any result of its kind may be needed. */
export interface UndecidedStep {
  readonly step: string;
  readonly kind: string;
  readonly tasks: number;
}

export class PlanReferences {
  readonly #jobOf: (fingerprint: string) => JobView | undefined;
  readonly #takesOf: (first: string) => readonly { readonly job: string }[];
  readonly #belowOutput: (path: string) => string | undefined;
  readonly #jobs = new Set<number>();
  readonly #files = new Set<string>();
  readonly #undecided = new Map<string, UndecidedStep>();
  #copies = false;

  /** `takesOf`: all takes of a request. `belowOutput`: a path of the pipeline as one below the output folder; undefined if it is not there. */
  constructor(
    jobOf: (fingerprint: string) => JobView | undefined,
    takesOf: (first: string) => readonly { readonly job: string }[],
    belowOutput: (path: string) => string | undefined,
  ) {
    this.#jobOf = jobOf;
    this.#takesOf = takesOf;
    this.#belowOutput = belowOutput;
  }

  /** Sees each task of a plan when it ends. */
  readonly see: See = (task, end) => {
    const { step, kind, file, fingerprint, first, scope } = task;
    if (end === undefined || kind.operation === 'download' || kind.operation === 'delete') return;
    if (file !== undefined) this.reads(file);
    if (fingerprint !== '' && scope.index !== '?') this.needs(fingerprint, first);
    else if (kind.operation === 'create' && plannedAction(task, end) !== 'skipped')
      this.awaits(step);
  };

  /** A step uploads this file. */
  reads(path: string): void {
    const below = this.#belowOutput(path);
    if (below !== undefined) this.#files.add(pathKey(below));
  }

  /** A task has this job. `first`: the job of its first take; empty if it has no takes. */
  needs(fingerprint: string, first: string): void {
    const job = this.#jobOf(fingerprint);
    if (job === undefined) return;
    this.#jobs.add(markOf(fingerprint));
    // A person may pick any take, so all of them are needed.
    if (first !== '') for (const one of this.#takesOf(first)) this.#jobs.add(markOf(one.job));
    if (job.outputs.length > downloadCount(job)) this.#copies = true;
  }

  /** Only a run knows what a task of this step is. */
  awaits({ name, kind }: Pick<Step, 'name' | 'kind'>): void {
    const tasks = (this.#undecided.get(name)?.tasks ?? 0) + 1;
    this.#undecided.set(name, { step: name, kind: kind.name, tasks });
  }

  /** True if a planned task has this job. */
  has(job: string): boolean {
    return this.#jobs.has(markOf(job));
  }

  /** True if a step uploads this file. */
  isRead(path: string): boolean {
    const below = this.#belowOutput(path);
    return below !== undefined && this.#files.has(pathKey(below));
  }

  get undecided(): readonly UndecidedStep[] {
    return [...this.#undecided.values()];
  }

  /** False if it is certain, without a look at every job, that the plan refers to everything that is recorded. */
  mayMiss(recordedJobs: number): boolean {
    return this.#copies || recordedJobs > this.#jobs.size;
  }
}

/** Makes those of a plan; a plan that begins anew refers to nothing. */
export async function referencesTo(
  ledger: Ledger,
  { folder }: BoundPipeline,
  disk: Disk,
): Promise<() => PlanReferences> {
  const { path: output } = disk.fileAt({ in: 'output', path: disk.recordedAs('') });
  const { below } = await outputsOf(output, folder);
  return () =>
    new PlanReferences(
      (job) => viewIn(ledger, job),
      (first) => takesOf(ledger, first),
      below,
    );
}

/** For sets of very many paths. */
export const pathMark = (path: string): number => markOf(digestOfBytes(pathKey(path)));

/** Equal for two paths that some file system takes for one. */
export const pathKey = (path: string): string => path.normalize('NFC').toLowerCase();
