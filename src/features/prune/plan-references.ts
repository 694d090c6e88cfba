// What the plan of all items refers to in the state file. Everything else that is recorded there may be an orphan
// (orphans.ts). Grows with the recorded jobs, not with the items: jobs are remembered by a part of their fingerprint, and
// if two parts are equal, an orphan is not found.
import { digestOfBytes, markOf } from '../../base/digest.ts';
import type { PlannedAction } from '../../core/planned-action.ts';
import { downloadCount } from '../../core/recorded-files.ts';
import type { Step } from '../../language/pipeline.ts';
import type { Fingerprint } from '../../model/fingerprint.ts';
import type { JobView } from '../../model/job-view.ts';

/** A step with tasks whose results are not known before a run, so that any result of its kind may be needed. */
export interface UndecidedStep {
  readonly step: string;
  readonly kind: string;
  readonly tasks: number;
}

/** A planned task. `take`: of a creation. */
export interface Referring {
  readonly step: Pick<Step, 'name' | 'kind'>;
  readonly action: PlannedAction;
  /** Undefined if only the run knows it. */
  readonly fingerprint?: Fingerprint | undefined;
  readonly file?: string | undefined;
  readonly take?: { readonly known: number; readonly first: Fingerprint } | undefined;
}

export class PlanReferences {
  readonly #jobOf: (fingerprint: Fingerprint) => JobView | undefined;
  readonly #takesOf: (first: Fingerprint) => readonly Pick<JobView, 'job'>[];
  readonly #belowOutput: (path: string) => string | undefined;
  readonly #jobs = new Set<number>();
  readonly #files = new Set<string>();
  readonly #undecided = new Map<string, UndecidedStep>();
  #copies = false;

  /** `takesOf`: all takes of a request. `belowOutput`: a path of the pipeline as one below the output folder; undefined if it is not there. */
  constructor(
    jobOf: (fingerprint: Fingerprint) => JobView | undefined,
    takesOf: (first: Fingerprint) => readonly Pick<JobView, 'job'>[],
    belowOutput: (path: string) => string | undefined,
  ) {
    this.#takesOf = takesOf;
    this.#jobOf = jobOf;
    this.#belowOutput = belowOutput;
  }

  add({ step, action, fingerprint, file, take }: Referring): void {
    const read = file === undefined ? undefined : this.#belowOutput(file);
    if (read !== undefined) this.#files.add(pathKey(read));
    const { name, kind } = step;
    if (fingerprint === undefined) {
      if (kind.operation !== 'create' || action === 'skipped') return;
      const tasks = (this.#undecided.get(name)?.tasks ?? 0) + 1;
      this.#undecided.set(name, { step: name, kind: kind.name, tasks });
      return;
    }
    const job = this.#jobOf(fingerprint);
    if (job === undefined) return;
    this.#jobs.add(markOf(fingerprint));
    // A person may pick any take, so all of them are needed.
    if (take !== undefined && take.known > 1)
      for (const one of this.#takesOf(take.first)) this.#jobs.add(markOf(one.job));
    if (job.outputs.length > downloadCount(job)) this.#copies = true;
  }

  /** The recorded jobs of planned tasks, as marks of their fingerprints. */
  get marks(): Iterable<number> {
    return this.#jobs;
  }

  /** True if a planned task has this job. */
  has(job: string): boolean {
    return this.#jobs.has(markOf(job));
  }

  /** True if a step uploads this file. */
  reads(path: string): boolean {
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

/** For sets of very many paths. */
export const pathMark = (path: string): number => markOf(digestOfBytes(pathKey(path)));

/** Equal for two paths that some file system takes for one. */
export const pathKey = (path: string): string => path.normalize('NFC').toLowerCase();
