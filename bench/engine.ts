// A run on several processes through a real Postgres, with the stub as the service, beside the local runner on the same
// pipeline.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { migrateEngine } from '../src/features/engine/engine.ts';
import { type Postgres, startPostgres } from '../test/postgres.ts';
import { childrenOf } from '../test/process-tree.ts';
import { forget, photoFolder, promptFolder } from './folders.ts';
import { defineBench, type Row } from './frame/bench.ts';
import { flagsFor, type Measured } from './process.ts';
import { processorSeconds } from './processor.ts';
import { countStatements, statementLines, statementSettings } from './statements.ts';
import { type Stub, startStub } from './stub-process.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const main = here('../src/cli/main.ts');

export const engine = defineBench({
  name: 'engine',
  description:
    'A coordinator, workers and a Postgres as processes of their own, beside the local runner on the same pipeline.',
  full: {
    pipeline: 'photos,prompts',
    items: 5_000,
    workers: 3,
    /** How many orders each worker performs at once. */
    jobs: 32,
    /** How many items are in progress at once. */
    window: 500,
    /** How long the stub renders. */
    delayMs: 0,
    pairs: 5,
    seed: 1,
    /** Whether the local runner does the same in turn. */
    local: true,
    /** Whether Postgres says what it has spent its time on. */
    statements: false,
    /** Everything is planned and nothing is bought. */
    planOnly: false,
  },
  tiny: { pipeline: 'prompts', items: 4, workers: 1, pairs: 1 },
  goals: [],
  async *run({ pipeline: names, ...options }) {
    for (const pipeline of ['photos', 'prompts'] as const)
      if (names.split(',').includes(pipeline)) yield* measureEngine({ ...options, pipeline });
  },
});

interface EngineBench {
  readonly pipeline: 'photos' | 'prompts';
  readonly items: number;
  readonly workers: number;
  readonly jobs: number;
  readonly window: number;
  readonly delayMs: number;
  readonly pairs: number;
  readonly seed: number;
  readonly local: boolean;
  readonly statements: boolean;
  readonly planOnly: boolean;
}

const ordersAnItem = { photos: 5, prompts: 1 };

interface Ran {
  readonly measured: Measured;
  /** Seconds of the whole process beyond the run itself: how soon it starts and ends. */
  readonly besides: number;
}

interface Used {
  readonly workers: number;
  readonly database: number;
  readonly stub: number;
}

async function* measureEngine(bench: EngineBench): AsyncIterable<Row> {
  const postgres = await startPostgres({
    settings: {
      ...{ shared_buffers: '256MB', max_connections: '300', max_wal_size: '4GB' },
      ...(bench.statements ? { ...statementSettings, track_functions: 'all' } : {}),
    },
  });
  const stub = await startStub(bench.delayMs);
  const folder =
    bench.pipeline === 'photos'
      ? photoFolder(bench.items, 2_000, bench.window, bench.seed)
      : await promptFolder(bench.items, bench.window);
  try {
    for (let round = 1; round <= bench.pairs; round++) {
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

async function distributed(bench: EngineBench, { postgres, stub, folder }: Place): Promise<Row> {
  const { workers, jobs, planOnly, statements, delayMs } = bench;
  forget(folder);
  const database = await postgres.newDatabase();
  await migrateEngine(database);
  const server = postmasterOf(postgres);
  const hands = Array.from({ length: workers }, () =>
    spawn(
      process.execPath,
      [
        ...flagsFor('worker'),
        ...[main, 'worker', '--engine', database, '--root', folder],
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
    const ran = await runnerIn(folder, stub, [
      ...['--engine', database],
      ...(planOnly ? ['--budget', '0'] : []),
      ...(delayMs > 0 ? ['--realtime'] : []),
    ]);
    const [queries = 0, service = 0, work = 0] = used().map(
      (seconds, index) => seconds - (before[index] ?? 0),
    );
    if (statements)
      for (const line of await statementLines(postgres.url, 20)) process.stderr.write(`${line}\n`);
    return rowOf(bench, 'engine', ran, { workers: work, database: queries, stub: service });
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

async function alone(bench: EngineBench, { stub, folder }: Omit<Place, 'postgres'>): Promise<Row> {
  forget(folder);
  const before = processorSeconds(pidOf(stub.process));
  const ran = await runnerIn(folder, stub, [
    ...(bench.planOnly ? ['--budget', '0'] : []),
    ...(bench.delayMs > 0 ? ['--realtime'] : []),
  ]);
  const used = processorSeconds(pidOf(stub.process)) - before;
  return rowOf(bench, 'local', ran, { workers: 0, database: 0, stub: used });
}

function rowOf(
  { pipeline }: EngineBench,
  runner: 'engine' | 'local',
  { measured, besides }: Ran,
  used: Used,
): Row {
  const { items, seconds, processor, peakMb } = measured;
  return {
    ...{ pipeline, runner, items, seconds, 'items/s': items / seconds },
    'orders/s': (items * ordersAnItem[pipeline]) / seconds,
    ...{ 'coordinator s': processor, 'workers s': used.workers, 'Postgres s': used.database },
    ...{ 'stub s': used.stub, 'peak MB': peakMb, 'start and end s': besides },
  };
}

async function runnerIn(folder: string, stub: Stub, args: readonly string[]): Promise<Ran> {
  const began = performance.now();
  const script = here('runner.ts');
  const child = spawn(
    process.execPath,
    [...flagsFor('runner'), script, join(folder, 'pipeline.yaml'), stub.address, ...args],
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
