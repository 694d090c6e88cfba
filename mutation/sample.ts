// `npm run mutate`: draws mutants of the core by a seed, lets the pins that reach each of them run until one fails, and prints the
// mutants that none has noticed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
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
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawMutants, type Mutant, mutated } from './mutants.ts';
import { pinsAt, type Reach } from './reach.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    in: { type: 'string', default: 'src/{core,model,state}/**/*.ts' },
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    /** Where each result is noted; what is noted there is not tried again. */
    results: { type: 'string' },
    /** Tries those again that survived. */
    again: { type: 'boolean', default: false },
    /** Only these test files take part: who survived the others need not meet them again. */
    pins: { type: 'string', multiple: true, default: [] },
  },
});
const [count, seed, jobs] = [Number(values.count), Number(values.seed), Number(values.jobs)];
const transcripts = 'test/transcripts.test.ts';
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
    for (const file of files.toString().split('\0')) {
      // What was deleted and not yet committed is still listed.
      if (file === '' || !existsSync(join(root, file))) continue;
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
    // Beside the checkout: what lies in it is shown in another way.
    // Its path does not begin like that of the copy, which transcripts replace by a placeholder.
    const temporary = join(work, `tmp-${basename(this.folder)}`);
    mkdirSync(temporary);
    rmSync(this.#report, { force: true });
    const all = ['run', '--config', 'mutation/vitest.config.ts', '--reporter=json', ...args];
    const child = spawn('node_modules/.bin/vitest', [...all, `--outputFile=${this.#report}`], {
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

  get #report(): string {
    return join(this.folder, 'report.json');
  }

  /** How the pins ended. Empty if the tests could not even begin, or their process died. */
  ends(): readonly End[] {
    if (!existsSync(this.#report)) return [];
    const { testResults }: Report = JSON.parse(readFileSync(this.#report, 'utf8'));
    return testResults.flatMap(({ name, status, startTime, endTime, assertionResults }): End[] => {
      const file = relative(this.folder, name);
      if (file !== transcripts || assertionResults.length === 0) {
        const { title = '' } = assertionResults.find((one) => one.status === 'failed') ?? {};
        return [{ pin: file, failed: status === 'failed', title, ms: endTime - startTime }];
      }
      return assertionResults
        .filter((one) => one.status === 'failed' || one.status === 'passed')
        .map(({ title, duration, ...one }) => ({
          pin: title,
          failed: one.status === 'failed',
          title: '',
          ms: duration ?? 0,
        }));
    });
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
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly duration?: number;
    }[];
  }[];
}

interface End {
  /** A test file, relative to the root, or the name of the test of a transcript. */
  readonly pin: string;
  readonly failed: boolean;
  /** The test that failed, if the pin is a file. */
  readonly title: string;
  readonly ms: number;
}

type Pin = Pick<End, 'pin' | 'ms'>;

const isTranscript = ({ pin }: Pin): boolean => !pin.endsWith('.test.ts');

/** So that exactly these tests run. */
function argumentsFor(pins: readonly Pin[]): readonly string[] {
  const [first] = pins;
  if (first === undefined || !isTranscript(first)) return pins.map(({ pin }) => pin);
  const names = pins.map(({ pin }) => pin.replaceAll('.', '\\.'));
  return [transcripts, '-t', `^(${names.join('|')})$`];
}

interface Pins {
  /** The fastest comes first. */
  readonly all: readonly Pin[];
  readonly reaches: readonly Reach[];
}

/** Runs all pins on the sources as they are, and notes what each executes. Those that fail, and fail again, do not take part. */
async function measure(copy: Copy): Promise<Pins> {
  const notes = join(work, 'reach');
  mkdirSync(notes);
  const host = join(copy.folder, 'mutation/reach-host.ts');
  await copy.test([`--maxWorkers=${jobs}`, ...values.pins], { REACH: notes, HOST_IMPORT: host });
  const ends = copy.ends();
  const left = new Set<string>();
  for (const { pin, ms } of ends.filter(({ failed }) => failed)) {
    const code = await copy.test(['--maxWorkers=1', ...argumentsFor([{ pin, ms }])], {});
    if (code === 0) continue;
    left.add(pin);
    print(`fails without a mutant, and does not take part: ${pin}`);
  }
  if (left.size >= ends.length) throw new Error('without any mutant, no pin passes');
  const reaches = readdirSync(notes).map(
    (name): Reach => JSON.parse(readFileSync(join(notes, name), 'utf8')),
  );
  const all = ends.filter(({ pin }) => !left.has(pin));
  return { all: all.toSorted((one, other) => one.ms - other.ms), reaches };
}

/** Who noticed the mutant: a test, or what else ended the tests. Undefined: nobody. */
async function noticedBy(
  mutant: Mutant,
  pins: readonly Pin[],
  copy: Copy,
): Promise<string | undefined> {
  const path = join(copy.folder, mutant.file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, mutated(before, mutant));
  try {
    for (const some of [
      pins.filter((pin) => !isTranscript(pin)),
      pins.filter((pin) => isTranscript(pin)),
    ]) {
      if (some.length === 0) continue;
      const limitMs = 60_000 + 2 * some.reduce((sum, { ms }) => sum + ms, 0);
      const args = ['--bail=1', '--maxWorkers=1', ...argumentsFor(some)];
      const order = some.map(({ pin }) => pin).join('\n');
      const code = await copy.test(args, { ORDER: order }, limitMs);
      if (code === undefined) return 'no end in time';
      const end = copy.ends().find(({ failed }) => failed);
      if (end !== undefined) return end.title === '' ? end.pin : `${end.pin} > ${end.title}`;
      if (code !== 0) return 'an error outside of tests';
    }
    return undefined;
  } finally {
    writeFileSync(path, before);
  }
}

/** What became of a mutant. */
interface Result {
  readonly text: string;
  /** Null: nobody noticed it. */
  readonly by: string | null;
  readonly reached: number;
}

const linesOf = (file: string): readonly string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/** Mutants that make no difference that anybody could see, with the reason. */
const equivalent = new Map(
  linesOf(fileURLToPath(new URL('equivalent.txt', import.meta.url))).map((line) => {
    const [text = '', why = ''] = line.split('  # ');
    return [text, why] as const;
  }),
);
const results = new Map<string, Result>();
for (const line of values.results === undefined ? [] : linesOf(values.results)) {
  const result: Result = JSON.parse(line);
  results.set(result.text, result);
}

const drawn = await drawMutants(values.in, { count, seed });
const mutants = drawn.filter(({ text }) => !equivalent.has(text));
const isTried = ({ text }: Mutant): boolean => {
  const known = results.get(text);
  return known !== undefined && (known.by !== null || !values.again);
};
const left = mutants.filter((mutant) => !isTried(mutant));
print(
  `${drawn.length} mutants of ${values.in}, seed ${seed}: ${drawn.length - mutants.length} make no difference, ${mutants.length - left.length} are known, ${left.length} are tried`,
);
const began = Date.now();
if (left.length > 0) {
  const copies = Array.from({ length: jobs }, (_, index) => new Copy(`${index}`));
  const [first] = copies;
  if (first === undefined) throw new Error('--jobs: at least 1');
  const pins = await measure(first);
  for (const { folder } of copies.slice(1))
    cpSync(join(first.folder, cache), join(folder, cache), { recursive: true });
  print(`${pins.all.length} pins  (${secondsSince(began)} s)`);
  await Promise.all(copies.map((copy) => tryAll(pins, copy)));
}

async function tryAll({ all, reaches }: Pins, copy: Copy): Promise<void> {
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    const { file, line, at, text } = mutant;
    // Those of the first copy, where the pins were measured.
    const names = pinsAt(reaches, join(work, '0', file), at);
    const reaching = all.filter(({ pin }) => names.has(pin));
    const by = (await noticedBy(mutant, reaching, copy)) ?? null;
    const result: Result = { text, by, reached: reaching.length };
    results.set(text, result);
    if (values.results !== undefined) appendFileSync(values.results, `${JSON.stringify(result)}\n`);
    const about = by ?? `SURVIVED ${reaching.length} pins`;
    print(`${line}: ${text}  ${about}  (${left.length} left, ${secondsSince(began)} s)`);
  }
}

function secondsSince(time: number): number {
  return Math.round((Date.now() - time) / 1000);
}

const noticed = new Map<string, number>();
const survivors: string[] = [];
for (const { file, line, text } of mutants) {
  const { by = null, reached = 0 } = results.get(text) ?? {};
  const [pin] = by?.split(' > ') ?? [];
  if (pin !== undefined) noticed.set(pin, (noticed.get(pin) ?? 0) + 1);
  else
    survivors.push(
      `${file}:${line}${text.slice(file.length)}${reached === 0 ? '  (reached by no pin)' : ''}`,
    );
}
print('\nNoticed by');
for (const [by, times] of [...noticed].sort(([, one], [, other]) => other - one))
  print(`  ${String(times).padStart(3)}  ${by}`);
print(`\n${survivors.length} survived:`);
for (const survivor of survivors.sort()) print(`  ${survivor}`);
const share = (100 * (mutants.length - survivors.length)) / Math.max(1, mutants.length);
print(`\n${share.toFixed(1)} % of ${mutants.length} noticed`);
