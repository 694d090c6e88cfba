// A run with workers, a real Postgres and the stub as the service, beside the local runner on the same pipeline, in turn.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../test/postgres.ts';
import { forget, photoFolder } from './folders.ts';
import { defineBench, spreadIn } from './frame/bench.ts';
import { flagsFor, type Measured } from './process.ts';
import { processorSeconds } from './processor.ts';
import { startStub } from './stub-process.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const rate = 'items/s with workers';
const env = {
  SHOTLIST_API_KEY: 'bench',
  SHOTLIST_WORKER_SECRET: 'a secret of the bench and of its workers',
};

export const engine = defineBench({
  name: 'engine',
  description:
    'Items a second of five steps with workers and a Postgres, all on this machine, beside the local runner.',
  full: { items: 5_000, bytes: 2_000, workers: 3, places: 32, window: 500, pairs: 3, seed: 1 },
  tiny: { items: 4, bytes: 200, workers: 1, pairs: 1 },
  goals: [
    {
      what: rate,
      bound: { atLeast: 400 },
      figure: spreadIn(rate),
      obstacle:
        'The coordinator makes four requests and some ten commits an item, and shares two cores with three workers, Postgres and the service.',
    },
  ],
  async *run({ items, bytes, workers, places, window, pairs, seed }) {
    const postgres = await startPostgres({ shared_buffers: '256MB', max_wal_size: '4GB' });
    const stub = await startStub();
    const folder = photoFolder(items, bytes, window, seed);
    const pipeline = join(folder, 'pipeline.yaml');
    const hands: ChildProcess[] = [];
    const run = (...more: readonly string[]) => runner([pipeline, stub.address, ...more]);
    try {
      for (let pair = 1; pair <= pairs; pair++) {
        forget(folder);
        const alone = await run();
        forget(folder);
        const database = await postgres.newDatabase();
        const all = Array.from({ length: workers }, () => worker(pipeline, database, places));
        hands.push(...all);
        await Promise.all(all.map(isWaiting));
        const shared = await run('--engine', database);
        const used = all.reduce((sum, { pid = 0 }) => sum + processorSeconds(pid), 0);
        await Promise.all(all.map(ended));
        yield {
          ...{ pair, [rate]: items / shared.seconds, 'items/s alone': items / alone.seconds },
          'coordinator s': shared.processor,
          'workers s': used,
          'alone s': alone.processor,
          'peak MB': shared.peakMb,
        };
      }
    } finally {
      for (const hand of hands) hand.kill('SIGKILL');
      stub.process.kill();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

function worker(pipeline: string, database: string, places: number): ChildProcess {
  const args = ['worker', pipeline, '--engine', database, '--places', `${places}`, '--json'];
  return spawn(process.execPath, [...flagsFor('worker'), here('../src/cli/main.ts'), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function isWaiting({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('a worker has no output');
  await once(stdout, 'data');
  stdout.resume();
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  if (child.kill()) await exited;
}

/** Not in a way that waits, because the database and the workers are children of this process. */
async function runner(args: readonly string[]): Promise<Measured> {
  const child = spawn(process.execPath, [...flagsFor('runner'), here('runner.ts'), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const measured: Measured = JSON.parse(line);
    return measured;
  }
  throw new Error('the run failed');
}
