// Merges the runs of two sides: each run once, with the credits that both sides added, and with a number of its own.
import type { RunLine } from '../../model/line.ts';
import { isSame } from './damage.ts';
import { compareLines } from './same-attempt.ts';

export interface RenumberedRun {
  readonly was: number;
  readonly now: number;
  readonly at: string;
}

export interface MergedRuns {
  readonly runs: readonly RunLine[];
  readonly renumbered: readonly RenumberedRun[];
  /** The new numbers of the runs of each side, by the numbers that they had there. */
  readonly numbers: Readonly<Record<MergeSide, ReadonlyMap<number, number>>>;
}

export type MergeSide = 'ours' | 'theirs' | 'base';

type Keyed = ReadonlyMap<string, RunLine>;

export function mergedRuns(
  ours: readonly RunLine[],
  theirs: readonly RunLine[],
  base: readonly RunLine[],
): MergedRuns {
  const [a, b, before] = [keyed(ours), keyed(theirs), keyed(base)];
  const keys = [...new Set([...before.keys(), ...a.keys(), ...b.keys()])];
  const merged = keys.map((key) => ({
    key,
    line: mergedRun(a.get(key), b.get(key), before.get(key)),
  }));
  // A run that is not over comes last, because the next run continues only the last one.
  const rank = ({ ended }: RunLine): number => (ended === undefined ? 1 : 0);
  merged.sort(
    ({ line: one }, { line: other }) =>
      rank(one) - rank(other) ||
      compareText(one.at, other.at) ||
      one.run - other.run ||
      compareLines(one, other),
  );
  const runs: RunLine[] = [];
  const numbers = { ours: new Map(), theirs: new Map(), base: new Map() };
  const renumbered: RenumberedRun[] = [];
  for (const { key, line } of merged) {
    const run = Math.max(line.run, (runs.at(-1)?.run ?? 0) + 1);
    runs.push({ ...line, run });
    for (const [side, lines] of [
      ['ours', a],
      ['theirs', b],
      ['base', before],
    ] as const) {
      const was = lines.get(key)?.run;
      if (was === undefined) continue;
      numbers[side].set(was, run);
      const news = { was, now: run, at: line.at };
      if (was !== run && !renumbered.some((known) => isSame(known, news))) renumbered.push(news);
    }
  }
  return { runs, renumbered, numbers };
}

/** A run is known by the time when it began: another merge may have given it another number. */
function keyed(runs: readonly RunLine[]): Keyed {
  const byKey = new Map<string, RunLine>();
  for (const run of runs) {
    const key = JSON.stringify([run.at, run.id]);
    let twin = 0;
    while (byKey.has(`${key} ${twin}`)) twin += 1;
    byKey.set(`${key} ${twin}`, run);
  }
  return byKey;
}

function mergedRun(
  a: RunLine | undefined,
  b: RunLine | undefined,
  before: RunLine | undefined,
): RunLine {
  const [one, other] = [a ?? before, b ?? before];
  if (one === undefined || other === undefined) {
    const only = one ?? other;
    if (only === undefined) throw new Error('bug: a run that no side has');
    return only;
  }
  const run = before?.run ?? Math.min(one.run, other.run);
  const known = before ?? {};
  if (isSame({ ...one, run }, { ...other, run }) || isSame({ ...other, run }, known))
    return { ...one, run };
  if (isSame({ ...one, run }, known)) return { ...other, run };
  const [first] = [one, other].sort(compareLines);
  const { ended: _ended, ...rest } = before ?? first ?? one;
  const ended = endOf(one, other, before);
  return {
    ...rest,
    run,
    charged: sumOf('charged', one, other, before),
    refunded: sumOf('refunded', one, other, before),
    ...(ended === undefined ? {} : { ended }),
  };
}

/** The credits of a run only grow. Without a known beginning, both sides may have the same credits. */
function sumOf(
  key: 'charged' | 'refunded',
  a: RunLine,
  b: RunLine,
  before: RunLine | undefined,
): number {
  if (before === undefined) return Math.max(a[key], b[key]);
  return Math.max(a[key], before[key]) + Math.max(b[key], before[key]) - before[key];
}

/** A run that both sides continued ended when it ended on both. */
function endOf(a: RunLine, b: RunLine, before: RunLine | undefined): string | undefined {
  const moved = [a, b].filter(
    (run) => !isSame({ ...run, run: 0 }, before && { ...before, run: 0 }),
  );
  const ends = (moved.length === 0 ? [a] : moved).map(({ ended }) => ended);
  return ends.includes(undefined) ? undefined : ends.sort().at(-1);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
