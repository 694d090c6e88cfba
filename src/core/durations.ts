// How long projects took in earlier runs, by tool.
import { timesOf } from '../model/job-times.ts';
import { viewOf } from '../model/job-view.ts';
import type { Job } from '../model/record/line.ts';

/** In milliseconds, by tool; newest first. */
export type KnownDurations = ReadonlyMap<string, readonly number[]>;

/** The medians, in milliseconds, by tool. */
export type UsualDurations = Readonly<Record<string, number>>;

interface Duration {
  readonly ended: number;
  readonly ms: number;
}

/** `jobs`: all of the state file. Only projects whose line tells when they were complete count. */
export function knownDurations(jobs: Iterable<Job>): KnownDurations {
  const byKind = new Map<string, Duration[]>();
  for (const line of jobs) {
    const job = viewOf(line);
    if (job.expires === undefined) continue;
    const { began, ended } = timesOf(job);
    if (began === undefined || ended === undefined || ended <= began) continue;
    const known = byKind.get(job.kind) ?? [];
    byKind.set(job.kind, known);
    known.push({ ended, ms: ended - began });
    if (known.length >= 2 * newestCount) keepNewest(known);
  }
  return new Map(
    [...byKind].map(([kind, known]) => {
      keepNewest(known);
      return [kind, known.map(({ ms }) => ms)];
    }),
  );
}

export function usualDurations(jobs: Iterable<Job>): UsualDurations {
  const usual: Record<string, number> = {};
  for (const [kind, known] of knownDurations(jobs)) {
    const { medianMs } = knownFrom(known) ?? {};
    if (medianMs !== undefined) usual[kind] = medianMs;
  }
  return usual;
}

function keepNewest(known: Duration[]): void {
  known.sort((one, other) => other.ended - one.ended);
  known.length = Math.min(known.length, newestCount);
}

/** Of each kind, only the newest durations count. */
export const newestCount = 100;

/** With fewer durations, nothing is known of a kind. */
const minCount = 3;

/** The first look comes just before this share of the projects is over. */
const lowShare = 0.1;

export function knownFrom(
  durations: readonly number[],
): { readonly lowMs: number; readonly medianMs: number } | undefined {
  const sorted = durations.toSorted((one, other) => one - other);
  const lowMs = sorted[Math.floor(lowShare * sorted.length)];
  const medianMs = sorted[Math.floor(sorted.length / 2)];
  if (sorted.length < minCount || lowMs === undefined || medianMs === undefined) return undefined;
  return { lowMs, medianMs };
}
