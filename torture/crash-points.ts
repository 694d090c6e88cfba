// The moments at which a run can be killed, by name: on both sides of everything that has to happen in its order.

/** A crash point, and about how often a round of 40 items comes by it. */
const often = {
  /** A line was handed to the journal, and is in memory only. */
  append: 400,
  'sync:before': 60,
  /** The power fails in the middle of a sync: what it was to write is on disk up to some byte. */
  'sync:torn': 60,
  'sync:after': 60,
  /** Around the one request that costs credits. */
  'send:before': 80,
  /** A few milliseconds after it was sent, whether its answer came or not. */
  'send:sent': 80,
  /** The answer has come and nobody has heard it. */
  'send:answer': 80,
  'upload:before': 40,
  'upload:after': 40,
  'download:before': 40,
  'download:after': 40,
  'rename:before': 40,
  'rename:after': 40,
  'delete:before': 40,
  'delete:after': 40,
  /** The state file is written anew: nothing is written, all is written, it has taken its place. */
  'compact:before': 1,
  'compact:written': 1,
  'compact:after': 1,
} as const;

export type CrashPoint = keyof typeof often;

export const crashPoints: readonly CrashPoint[] = Object.keys(often).filter(isCrashPoint);

export function isCrashPoint(text: unknown): text is CrashPoint {
  return typeof text === 'string' && Object.hasOwn(often, text);
}

/** A crash that was asked for. */
export interface Crash {
  readonly point: CrashPoint;
  /** At which time that it comes by, from 1. */
  readonly at: number;
  /** 0 ≤ share < 1: which part of what a crash leaves to chance. */
  readonly share: number;
}

/**
 * A crash by chance; early times are likelier, since a run that is resumed comes by less often, and so are torn
 * syncs: only another death before the file is compacted shows what they left.
 */
export function drawCrash(chance: () => number, items: number): Crash {
  const torn = chance() < 0.1;
  const some = crashPoints[Math.floor(chance() * crashPoints.length)] ?? 'append';
  const point = torn ? 'sync:torn' : some;
  const most = Math.max(1, Math.round((often[point] * items) / 40));
  return { point, at: 1 + Math.floor(chance() ** 3 * most), share: chance() };
}
