// How long projects took in earlier runs, by tool.
import { timesOf } from '../model/job-times.ts';
import { viewOf } from '../model/job-view.ts';
import type { Job } from '../model/record/line.ts';

/** In milliseconds, by tool; newest first. */
export type KnownDurations = ReadonlyMap<string, readonly number[]>;

/** The medians, in milliseconds, by tool. */
export type UsualDurations = Readonly<Record<string, number>>;

/** Of each tool, only so many of the newest count; with fewer than the minimum, nothing is known. */
export const durationsThatCount = { min: 3, max: 100 };

/** `jobs`: all of the state file. Only projects whose line tells when they were complete count. */
export function knownDurations(jobs: Iterable<Job>): KnownDurations {
  const byKind = new Map<string, { readonly ended: number; readonly ms: number }[]>();
  for (const line of jobs) {
    const job = viewOf(line);
    if (job.expires === undefined) continue;
    const { began, ended } = timesOf(job);
    if (began === undefined || ended === undefined || ended <= began) continue;
    const known = byKind.get(job.kind) ?? [];
    byKind.set(job.kind, known);
    known.push({ ended, ms: ended - began });
  }
  return new Map(
    [...byKind].map(([kind, known]) => {
      const newest = known.sort((one, other) => other.ended - one.ended);
      return [kind, newest.slice(0, durationsThatCount.max).map(({ ms }) => ms)];
    }),
  );
}

export function usualDurations(jobs: Iterable<Job>): UsualDurations {
  const usual: Record<string, number> = {};
  for (const [kind, known] of knownDurations(jobs)) {
    const sorted = known.toSorted((one, other) => one - other);
    const median = sorted[Math.floor(sorted.length / 2)];
    if (sorted.length >= durationsThatCount.min && median !== undefined) usual[kind] = median;
  }
  return usual;
}
