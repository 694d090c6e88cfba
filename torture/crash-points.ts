// The moments at which a run can be killed, by name: before and after every step whose order matters.

/** By crash point: about how often a round of 40 items reaches it. */
const often = {
  /** A line was given to the journal and is only in memory. */
  append: 400,
  'sync:before': 60,
  /** The power fails during a sync: its data is on disk up to some byte. */
  'sync:torn': 60,
  'sync:after': 60,
  /** Around the one request that costs credits. */
  'send:before': 80,
  /** A few milliseconds after it was sent, whether its answer came or not. */
  'send:sent': 80,
  /** The response has arrived and was not processed. */
  'send:answer': 80,
  'upload:before': 40,
  'upload:after': 40,
  'download:before': 40,
  'download:after': 40,
  'rename:before': 40,
  'rename:after': 40,
  'delete:before': 40,
  'delete:after': 40,
  /** The state file is written whole: before the first write, after the last write, after the rename. */
  'whole:before': 2,
  'whole:written': 2,
  'whole:after': 2,
} as const;

export type CrashPoint = keyof typeof often;

export const crashPoints: readonly CrashPoint[] = Object.keys(often).filter(isCrashPoint);

export function isCrashPoint(text: unknown): text is CrashPoint {
  return typeof text === 'string' && Object.hasOwn(often, text);
}

/** A planned crash. */
export interface Crash {
  readonly point: CrashPoint;
  /** The crash happens when the run reaches the point for this time, from 1. */
  readonly at: number;
  /** 0 ≤ share < 1: for a torn sync, the part that is written; for a sent creation, the part of the longest delay. */
  readonly share: number;
}

/**
 * A random crash. Early times are likelier, because a resumed run reaches a point less often. Torn syncs are likelier
 * too, because only a second crash before the file is written whole shows what they left.
 */
export function drawCrash(chance: () => number, items: number): Crash {
  const torn = chance() < 0.1;
  const some = crashPoints[Math.floor(chance() * crashPoints.length)] ?? 'append';
  const point = torn ? 'sync:torn' : some;
  const most = Math.max(1, Math.round((often[point] * items) / 40));
  return { point, at: 1 + Math.floor(chance() ** 3 * most), share: chance() };
}
