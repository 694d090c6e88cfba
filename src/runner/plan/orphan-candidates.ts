// One look at all recorded jobs for those that may have orphans. The state file may record a million jobs, and the plan
// needs nearly all of them: only the names of the others are kept in memory.
import type { JobLine, OutputLine } from '../journal/line.ts';
import { type PlanReferences, pathMark } from './plan-references.ts';
import { downloadCount } from './recorded-files.ts';

export interface OrphanCandidates {
  /** The jobs to look at, read again one by one. */
  jobs(): Iterable<JobLine>;
  /** True if another job, which the plan needs, may have recorded a file at this path. */
  isNeededPath(path: string): boolean;
}

export interface RecordedJobs {
  readonly jobs: () => Iterable<JobLine>;
  readonly jobOf: (fingerprint: string) => JobLine | undefined;
}

export function orphanCandidates(
  { jobs, jobOf }: RecordedJobs,
  references: PlanReferences,
  isKept: (output: OutputLine) => boolean,
): OrphanCandidates {
  const names: string[] = [];
  const paths = new Set<number>();
  for (const job of jobs()) {
    const { outputs = [] } = job;
    const isNeeded = !isFinished(job) || references.has(job.job);
    if (!isNeeded || outputs.length > downloadCount(job) || outputs.some(isKept))
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
export const isFinished = ({ state }: JobLine): boolean =>
  state === 'complete' || state === 'deleted';
