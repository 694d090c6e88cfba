// This version and another commit, in turn: the bench and the tests' parts are those of this version on both sides, so
// that only `src` differs.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bench, type Cell, type Options, type Row, spreadOf } from './bench.ts';
import { flagsOf } from './flags.ts';
import { git, type Result, root } from './result.ts';

const defaultPairs = 5;

/** One row for each figure, with the ratio of this version's to the other's. */
export function compare(bench: Bench, options: Options, commit: string): readonly Row[] {
  const pairs = Number(options['pairs'] ?? defaultPairs);
  const single = 'pairs' in options ? { ...options, pairs: 1 } : options;
  const folder = join(mkdtempSync(join(tmpdir(), 'shotlist-bench-')), 'there');
  git('worktree', 'add', '--detach', folder, commit);
  try {
    for (const name of ['bench', 'test']) {
      rmSync(join(folder, name), { recursive: true });
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const once = (place: string): Result => {
      const command = [join(place, 'bench/main.ts'), bench.name, '--json', ...flagsOf(single)];
      const text = execFileSync(process.execPath, command, { encoding: 'utf8' });
      const result: Result = JSON.parse(text);
      return result;
    };
    const measured = Array.from({ length: pairs }, (_, pair) => {
      // Each goes first as often as the other.
      const [first, second] = pair % 2 === 0 ? [root, folder] : [folder, root];
      const rows = [once(first).rows, once(second).rows] as const;
      const [here, there] = pair % 2 === 0 ? rows : rows.toReversed();
      return { here: here ?? [], there: there ?? [] };
    });
    return ratios(measured);
  } finally {
    git('worktree', 'remove', '--force', folder);
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
}

interface Pair {
  readonly here: readonly Row[];
  readonly there: readonly Row[];
}

function ratios(pairs: readonly Pair[]): readonly Row[] {
  const [first] = pairs;
  return (first?.here ?? []).flatMap((row, index) =>
    Object.keys(row).flatMap((figure): readonly Row[] => {
      const here = pairs.flatMap((pair) => numberIn(pair.here[index]?.[figure]));
      const there = pairs.flatMap((pair) => numberIn(pair.there[index]?.[figure]));
      const ratio = spreadOf(here.map((value, pair) => value / (there[pair] ?? Number.NaN)));
      const [now, then] = [spreadOf(here), spreadOf(there)];
      if (ratio === undefined || now === undefined || then === undefined) return [];
      const counted = now.least === now.most && then.least === then.most;
      // A number that is the same every time is an option, or a count that nobody changed.
      if (counted && ratio.median === 1) return [];
      return [{ ...labels(row), figure, here: now, there: then, ratio }];
    }),
  );
}

const numberIn = (cell: Cell | undefined): readonly number[] => {
  if (cell === undefined || typeof cell === 'string') return [];
  return [typeof cell === 'number' ? cell : cell.median];
};

const labels = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, cell]) => typeof cell === 'string'));
