// `npm run mutate`: draws mutants of the core by a seed, lets the pins that reach each of them run until one fails, and prints the
// mutants that none has noticed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawMutants, type Mutant, mutated } from './mutants.ts';
import type { Reach } from './reach.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    in: { type: 'string', default: 'src/{run,plan,model,state}/**/*.ts' },
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
  },
});
const [count, seed, jobs] = [Number(values.count), Number(values.seed), Number(values.jobs)];
/** Where the tests keep what they have built. */
const cache = 'node_modules/.cache';
const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Folder of all that a sample leaves on the disk. */
const work = mkdtempSync(join(tmpdir(), 'shotlist-mutants-'));
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) kill(child);
  rmSync(work, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** With everything that it has started. */
function kill({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

/** A checkout of its own, whose sources may be changed. */
class Copy {
  readonly folder: string;

  constructor(name: string) {
    this.folder = join(work, name);
    const files = execFileSync('git', ['ls-files', '-zco', '--exclude-standard'], { cwd: root });
    for (const file of files
      .toString()
      .split('\0')
      .filter((one) => one !== '')) {
      mkdirSync(dirname(join(this.folder, file)), { recursive: true });
      cpSync(join(root, file), join(this.folder, file));
    }
    // The folder itself is its own, because the command that tests start is bundled into it.
    mkdirSync(join(this.folder, cache), { recursive: true });
    for (const one of readdirSync(join(root, 'node_modules')))
      if (one !== '.cache')
        symlinkSync(join(root, 'node_modules', one), join(this.folder, 'node_modules', one));
  }

  /** Runs tests. Returns the exit code; undefined if they did not end in time. */
  async test(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    limitMs = 30 * 60_000,
  ): Promise<number | undefined> {
    const temporary = join(this.folder, 'tmp');
    mkdirSync(temporary);
    const all = ['run', '--config', 'mutation/vitest.config.ts', '--reporter=json', ...args];
    const child = spawn('node_modules/.bin/vitest', [...all, `--outputFile=${this.report}`], {
      cwd: this.folder,
      env: { ...process.env, TMPDIR: temporary, ...env },
      stdio: 'ignore',
      detached: true,
    });
    running.add(child);
    const timer = setTimeout(() => kill(child), limitMs);
    const [code]: readonly (number | null)[] = await once(child, 'exit');
    clearTimeout(timer);
    running.delete(child);
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
    return code ?? undefined;
  }

  get report(): string {
    return join(this.folder, 'report.json');
  }
}

interface Report {
  readonly testResults: readonly {
    /** The test file, absolute. */
    readonly name: string;
    readonly status: 'passed' | 'failed';
    /** Milliseconds since 1970. */
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

const reportOf = ({ report }: Copy): Report => JSON.parse(readFileSync(report, 'utf8'));

/** A test file that is a pin. */
interface Pin {
  /** Relative to the root. */
  readonly file: string;
  readonly ms: number;
  /** True if the pin executes what is at this place of a source file. */
  reaches(file: string, at: number): boolean;
}

/** Runs all pins on the sources as they are, and notes what each executes. The fastest comes first. */
async function measure(copy: Copy): Promise<readonly Pin[]> {
  const notes = join(work, 'reach');
  mkdirSync(notes);
  const code = await copy.test([`--maxWorkers=${jobs}`], { REACH: notes });
  const { testResults } = reportOf(copy);
  const failed = testResults.filter(({ status }) => status === 'failed');
  if (code !== 0)
    throw new Error(`without any mutant, pins fail:\n${failed.map(({ name }) => name).join('\n')}`);
  const reached = readdirSync(notes).map(
    (name): Reach => JSON.parse(readFileSync(join(notes, name), 'utf8')),
  );
  return testResults
    .map(({ name, startTime, endTime }): Pin => {
      const { pieces = {} } = reached.find(({ test }) => test === name) ?? {};
      return {
        file: relative(copy.folder, name),
        ms: endTime - startTime,
        reaches: (file, at) => isExecuted(pieces[join(copy.folder, file)] ?? [], at),
      };
    })
    .sort((one, other) => one.ms - other.ms);
}

/** The smallest piece around the place decides. */
function isExecuted(pieces: Reach['pieces'][string], at: number): boolean {
  let [size, times] = [Number.POSITIVE_INFINITY, 0];
  for (const [start, end, count] of pieces) {
    if (at < start || at >= end || end - start > size) continue;
    [size, times] = [end - start, count];
  }
  return times > 0;
}

/** Who noticed the mutant: a test file, or what else ended the tests. Undefined: nobody. */
async function noticedBy(
  { file, ...change }: Mutant,
  pins: readonly Pin[],
  copy: Copy,
): Promise<string | undefined> {
  if (pins.length === 0) return undefined;
  const path = join(copy.folder, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, mutated(before, { file, ...change }));
  rmSync(copy.report, { force: true });
  const files = pins.map((pin) => pin.file);
  const limitMs = 60_000 + 6 * pins.reduce((sum, { ms }) => sum + ms, 0);
  const args = ['--bail=1', '--maxWorkers=1', ...files];
  const code = await copy.test(args, { ORDER: files.join('\n') }, limitMs);
  writeFileSync(path, before);
  if (code === 0) return undefined;
  if (code === undefined) return 'no end in time';
  // Without a report, the tests could not even begin, or their process died.
  const failed = existsSync(copy.report)
    ? reportOf(copy).testResults.find(({ status }) => status === 'failed')
    : undefined;
  return failed === undefined ? 'an error outside of tests' : relative(copy.folder, failed.name);
}

const oneLine = (code: string): string => {
  const line = code.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
};

const copies = Array.from({ length: jobs }, (_, index) => new Copy(`${index}`));
const [first] = copies;
if (first === undefined) throw new Error('--jobs: at least 1');
const [mutants, pins] = await Promise.all([
  drawMutants(values.in, { count, seed }),
  measure(first),
]);
for (const { folder } of copies.slice(1))
  cpSync(join(first.folder, cache), join(folder, cache), { recursive: true });
print(`${mutants.length} mutants of ${values.in}, seed ${seed}; ${pins.length} files of pins`);

const began = Date.now();
const left = [...mutants.entries()];
const survivors: { readonly text: string; readonly reached: number }[] = [];
const noticed = new Map<string, number>();
await Promise.all(
  copies.map(async (copy) => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, mutant] = next;
      const reaching = pins.filter((pin) => pin.reaches(mutant.file, mutant.at));
      const by = await noticedBy(mutant, reaching, copy);
      const { file, line, before, after } = mutant;
      const text = `${file}:${line}  ${oneLine(before)}  →  ${oneLine(after)}`;
      const seconds = Math.round((Date.now() - began) / 1000);
      print(`${index + 1}: ${by ?? `SURVIVED ${reaching.length} files`}  ${text}  (${seconds} s)`);
      if (by === undefined) survivors.push({ text, reached: reaching.length });
      else noticed.set(by, (noticed.get(by) ?? 0) + 1);
    }
  }),
);

print('\nNoticed by');
for (const [by, times] of [...noticed].sort(([, one], [, other]) => other - one))
  print(`  ${String(times).padStart(3)}  ${by}`);
print(`\n${survivors.length} survived:`);
for (const { text, reached } of survivors.toSorted((one, other) =>
  one.text < other.text ? -1 : 1,
))
  print(`  ${text}${reached === 0 ? '  (reached by no pin)' : ''}`);
const share = (100 * (mutants.length - survivors.length)) / Math.max(1, mutants.length);
print(`\n${share.toFixed(1)} % noticed in ${Math.round((Date.now() - began) / 60_000)} minutes`);
