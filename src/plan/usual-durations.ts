// How long projects of each tool took here: the newest ones of a state file.
import { timesOf } from '../model/job-times.ts';
import type { JobLine } from '../model/line.ts';

/** In milliseconds, by tool; newest first. */
export type KnownDurations = ReadonlyMap<string, readonly number[]>;

/** The medians, in milliseconds, by tool. */
export type UsualDurations = Readonly<Record<string, number>>;

/** Fewer projects say little. */
const least = 3;
/** Of each tool. */
const most = 100;

interface Duration {
  readonly ended: number;
  readonly ms: number;
}

/** `jobs`: all of the state file. Only projects whose line tells when they were complete count. */
export function knownDurations(jobs: Iterable<JobLine>): KnownDurations {
  const byKind = new Map<string, Duration[]>();
  for (const job of jobs) {
    if (job.expires === undefined) continue;
    const { began, ended } = timesOf(job);
    if (began === undefined || ended === undefined || ended <= began) continue;
    const known = byKind.get(job.kind) ?? [];
    byKind.set(job.kind, known);
    known.push({ ended, ms: ended - began });
    if (known.length >= 2 * most) keepNewest(known);
  }
  return new Map(
    [...byKind].map(([kind, known]) => {
      keepNewest(known);
      return [kind, known.map(({ ms }) => ms)];
    }),
  );
}

export function usualDurations(jobs: Iterable<JobLine>): UsualDurations {
  const usual: Record<string, number> = {};
  for (const [kind, known] of knownDurations(jobs)) {
    const sorted = known.toSorted((one, other) => one - other);
    const median = sorted[Math.floor(sorted.length / 2)];
    if (sorted.length >= least && median !== undefined) usual[kind] = median;
  }
  return usual;
}

function keepNewest(known: Duration[]): void {
  known.sort((one, other) => other.ended - one.ended);
  known.length = Math.min(known.length, most);
}
