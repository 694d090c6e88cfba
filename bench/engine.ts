// `npm run bench -- engine`: a run on several processes through a real Postgres, with the stub as the service, beside the
// local runner on the same pipeline.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { migrateEngine } from '../src/runner/operations/engine.ts';
import { type Postgres, startPostgres } from '../test/postgres.ts';
import { childrenOf } from '../test/process-tree.ts';
import { forget, photoFolder, promptFolder } from './folders.ts';
import { processorSeconds } from './processor.ts';
import { countStatements, statementLines, statementSettings } from './statements.ts';
import { type Stub, startStub } from './stub-process.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const main = here('../src/runner/cli/main.ts');

export interface EngineBench {
  readonly pipeline: 'photos' | 'prompts';
  readonly items: number;
  readonly workers: number;
  /** How many orders each worker performs at once. */
  readonly jobs: number;
  /** How many items are in progress at once. */
  readonly window: number;
  /** How long the stub renders. */
  readonly delayMs: number;
  readonly rounds: number;
  /** Whether the local runner does the same in turn. */
  readonly local: boolean;
  /** Whether Postgres says what it has spent its time on. */
  readonly statements: boolean;
  /** Everything is planned and nothing is bought. */
  readonly planOnly: boolean;
}

const ordersAnItem = { photos: 5, prompts: 1 };

interface Measured {
  readonly seconds: number;
  readonly items: number;
  readonly peakMb: number;
  readonly processor: number;
}

export interface EngineRow extends Measured {
  readonly runner: 'engine' | 'local';
  readonly orders: number;
  readonly workers: number;
  readonly database: number;
  readonly stub: number;
  /** Seconds of the whole process beyond the run itself: how soon it starts and ends. */
  readonly besides: number;
}

export async function* measureEngine(bench: EngineBench): AsyncIterable<EngineRow> {
  const postgres = await startPostgres({
    settings: {
      ...{ shared_buffers: '256MB', max_connections: '300', max_wal_size: '4GB' },
      ...(bench.statements ? { ...statementSettings, track_functions: 'all' } : {}),
    },
  });
  const stub = await startStub(bench.delayMs);
  const folder =
    bench.pipeline === 'photos'
      ? photoFolder(bench.items, 2_000, bench.window)
      : await promptFolder(bench.items, bench.window);
  try {
    for (let round = 1; round <= bench.rounds; round++) {
      yield await distributed(bench, { postgres, stub, folder });
      if (bench.local) yield await alone(bench, { stub, folder });
    }
  } finally {
    stub.process.kill();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly postgres: Postgres;
  readonly stub: Stub;
  readonly folder: string;
}

const env = { ...process.env, SHOTLIST_API_KEY: 'bench' };

async function distributed(
  { pipeline, workers, jobs, planOnly, statements, delayMs }: EngineBench,
  { postgres, stub, folder }: Place,
): Promise<EngineRow> {
  forget(folder);
  const engine = await postgres.newDatabase();
  const migrated = await migrateEngine(engine);
  if (!migrated.ok) throw new Error(JSON.stringify(migrated.error));
  const server = postmasterOf(postgres);
  const hands = Array.from({ length: workers }, () =>
    spawn(
      process.execPath,
      [
        ...flagsFor('worker'),
        ...[main, 'worker', '--engine', engine, '--root', folder],
        ...['--service', stub.address, '--jobs', `${jobs}`, '--json'],
      ],
      { env, stdio: ['ignore', 'pipe', 'inherit'] },
    ),
  );
  try {
    await Promise.all(hands.map(ready));
    const used = (): readonly number[] => [
      processorSeconds(server),
      processorSeconds(pidOf(stub.process)),
      hands.reduce((sum, hand) => sum + processorSeconds(pidOf(hand)), 0),
    ];
    const before = used();
    if (statements) await countStatements(postgres.url);
    const { measured, besides } = await runnerIn(folder, stub, [
      ...['--engine', engine],
      ...(planOnly ? ['--budget', '0'] : []),
      ...(delayMs > 0 ? ['--realtime'] : []),
    ]);
    const [database = 0, service = 0, work = 0] = used().map(
      (seconds, index) => seconds - (before[index] ?? 0),
    );
    if (statements)
      for (const line of await statementLines(postgres.url, 20)) process.stderr.write(`${line}\n`);
    return {
      ...{ runner: 'engine', ...measured, besides, workers: work, database, stub: service },
      orders: measured.items * ordersAnItem[pipeline],
    };
  } finally {
    await Promise.all(
      hands.map(async (hand) => {
        const exited = once(hand, 'exit');
        if (hand.kill()) await exited;
      }),
    );
  }
}

/** A worker that has said something has started. */
async function ready({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('a worker has no output');
  await once(stdout, 'data');
  stdout.resume();
}

async function alone(
  { pipeline, planOnly, delayMs }: EngineBench,
  { stub, folder }: Pick<Place, 'stub' | 'folder'>,
): Promise<EngineRow> {
  forget(folder);
  const before = processorSeconds(pidOf(stub.process));
  const { measured, besides } = await runnerIn(folder, stub, [
    ...(planOnly ? ['--budget', '0'] : []),
    ...(delayMs > 0 ? ['--realtime'] : []),
  ]);
  return {
    ...{ runner: 'local', ...measured, besides, workers: 0, database: 0 },
    orders: measured.items * ordersAnItem[pipeline],
    stub: processorSeconds(pidOf(stub.process)) - before,
  };
}

async function runnerIn(
  folder: string,
  stub: Stub,
  args: readonly string[],
): Promise<{ readonly measured: Measured; readonly besides: number }> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...flagsFor('runner'),
      here('runner.ts'),
      join(folder, 'pipeline.yaml'),
      stub.address,
      ...args,
    ],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  let measured: Measured | undefined;
  for await (const line of createInterface({ input: child.stdout })) measured = JSON.parse(line);
  await exited;
  if (measured === undefined) throw new Error('the run failed');
  const besides = (performance.now() - began) / 1000 - measured.seconds;
  return { measured, besides };
}

/** Such as `--cpu-prof`, from SHOTLIST_BENCH_RUNNER and SHOTLIST_BENCH_WORKER. */
const flagsFor = (name: 'runner' | 'worker'): readonly string[] =>
  (process.env[`SHOTLIST_BENCH_${name.toUpperCase()}`] ?? '')
    .split(' ')
    .filter((flag) => flag !== '');

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('a process did not start');
  return pid;
}

/** Its own process of this bench: the one that others of the server have as their parent. */
function postmasterOf({ port }: Postgres): number {
  const found = childrenOf(process.pid).find((pid) => commandOf(pid).includes(`port=${port}`));
  if (found === undefined) throw new Error('there is no server');
  return found;
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8');

const columns: readonly (readonly [string, (row: EngineRow) => string])[] = [
  ['runner', ({ runner }) => runner],
  ['items', ({ items }) => `${items}`],
  ['seconds', ({ seconds }) => seconds.toFixed(1)],
  ['items/s', ({ items, seconds }) => (items / seconds).toFixed(0)],
  ['orders/s', ({ orders, seconds }) => (orders / seconds).toFixed(0)],
  ['coordinator s', ({ processor }) => processor.toFixed(1)],
  ['workers s', ({ workers }) => workers.toFixed(1)],
  ['Postgres s', ({ database }) => database.toFixed(1)],
  ['stub s', ({ stub }) => stub.toFixed(1)],
  ['peak MB', ({ peakMb }) => peakMb.toFixed(0)],
  ['start and end s', ({ besides }) => besides.toFixed(1)],
];

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export const tableHead = [line(columns.map(([name]) => name)), line(columns.map(() => '-'))].join(
  '\n',
);

/** One line of the table, in Markdown. */
export const tableLine = (row: EngineRow): string => line(columns.map(([, of]) => of(row)));
