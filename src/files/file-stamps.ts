// The stamps of files: if none of them has changed, the file still has the content that was read before.
import { type BigIntStats, lstatSync, statSync } from 'node:fs';
import { isSystemProblem } from '../base/system-error.ts';

/** A file that changed less than this before it was read may change again within the same tick of its time stamp. */
const racyNs = 2_000_000_000n;

/** Size, times and inode of a file. */
export const stampOf = (stats: BigIntStats): string =>
  `${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino}`;

/** Undefined if nothing is there. Throws system errors. */
export const statsOf = (path: string): BigIntStats | undefined =>
  statSync(path, { bigint: true, throwIfNoEntry: false });

/** True if a file that changed at `at` may change again and keep its stamp. `now`: when it was read, in milliseconds since 1970. */
export const isRacy = (atNs: bigint, now: number): boolean =>
  BigInt(now) * 1_000_000n - atNs < racyNs;

/** The stats of what a path leads to; undefined if nothing is there, or if the system refuses to say. */
export const statsIfAny = (path: string): BigIntStats | undefined => ifAny(() => statsOf(path));

/** The same of the path itself: a link is not followed. */
export const linkStatsIfAny = (path: string): BigIntStats | undefined =>
  ifAny(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));

function ifAny(stats: () => BigIntStats | undefined): BigIntStats | undefined {
  try {
    return stats();
  } catch (error) {
    if (isSystemProblem(error)) return undefined;
    throw error;
  }
}
