// What is known about a file without reading it.
import type { BigIntStats } from 'node:fs';
import type { Digest } from '../base/digest.ts';
import { systemReason } from '../base/system-error.ts';
import type { FileFact } from '../plan/facts.ts';
import { statsOf } from './file-stamps.ts';

/**
 * If `digestOf` throws a system error, the file counts as absent. `seen` is called with the stats, or without any. `known`: the
 * stats, if the caller has them.
 */
export function factOf(
  path: string,
  digestOf: (path: string, stats: BigIntStats) => Digest | undefined,
  seen?: (path: string, stats: BigIntStats | undefined) => void,
  known?: BigIntStats,
): FileFact {
  try {
    const stats = known ?? statsOf(path);
    seen?.(path, stats);
    if (stats === undefined) return { is: 'absent', why: 'does not exist' };
    if (!stats.isFile()) return { is: 'absent', why: 'is not a file' };
    return { is: 'file', bytes: Number(stats.size), digest: digestOf(path, stats) };
  } catch (error) {
    seen?.(path, undefined);
    return { is: 'absent', why: systemReason(error) };
  }
}
