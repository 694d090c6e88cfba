// What a run of a bench is kept as: the rows with everything that their figures depend on.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Bench, Options, Row } from './bench.ts';

export interface Result {
  readonly bench: string;
  readonly date: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly os: string;
    /** How many processes wanted a core before the run and after it: above `cores`, the figures are those of a busy machine. */
    readonly load: readonly [before: number, after: number];
  };
  readonly versions: {
    readonly node: string;
    readonly shotlist: string;
    /** Ends in `+` if files were changed since. */
    readonly commit: string;
  };
  /** With the seeds. */
  readonly options: Options;
  readonly rows: readonly Row[];
}

export const root = fileURLToPath(new URL('../..', import.meta.url));
const fileOf = (bench: string): string => `${root}/bench/results/${bench}.json`;

export async function measure(
  bench: Bench,
  options: Options,
  onRow: (row: Row) => void,
): Promise<Result> {
  const before = load();
  const rows: Row[] = [];
  for await (const row of bench.run(options)) {
    rows.push(row);
    onRow(row);
  }
  return {
    bench: bench.name,
    date: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      memoryGb: Math.round(totalmem() / 2 ** 30),
      os: `${type()} ${release()}`,
      load: [before, load()],
    },
    versions: { node: process.versions.node, shotlist: packageVersion(), commit: commit() },
    options,
    rows,
  };
}

const load = (): number => Number((loadavg()[0] ?? 0).toFixed(1));

export const keep = (result: Result): void =>
  writeFileSync(fileOf(result.bench), `${JSON.stringify(result, undefined, 2)}\n`);

/** Undefined if the bench was never kept. */
export function kept({ name }: Bench): Result | undefined {
  try {
    const result: Result = JSON.parse(readFileSync(fileOf(name), 'utf8'));
    return result;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function packageVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  return version;
}

export const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** Results themselves do not count as changes. */
function commit(): string {
  const changed = git('status', '--porcelain', '--', 'src', 'bench/*.ts', 'package-lock.json');
  return `${git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : '+'}`;
}
