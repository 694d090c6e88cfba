// Distributed runs in tests: a database of their own, and workers in this process.
import { onTestFinished } from 'vitest';
import { migrateEngine } from '../src/features/engine/engine.ts';
import {
  type WorkerEvent,
  type WorkerInternals,
  type WorkerOptions,
  workerWith,
} from '../src/features/engine/worker.ts';
import type { LocalService } from '../src/service/start.ts';
import { sharedPostgres } from './postgres.ts';
import { envOf, type Rig } from './rig.ts';

/** The address of a new database with the tables of distributed runs. */
export async function newEngine(): Promise<string> {
  const engine = await (await sharedPostgres()).newDatabase();
  await migrateEngine(engine);
  return engine;
}

export interface TestWorker {
  readonly events: readonly WorkerEvent[];
  /** Lets the worker finish what it performs. */
  stop(): Promise<void>;
}

/** Starts a worker in this process; the end of the test stops it. */
export function startWorker(
  rig: Rig,
  service: LocalService,
  engine: string,
  options: Partial<WorkerOptions> = {},
  internals: WorkerInternals = {},
): TestWorker {
  const leave = new AbortController();
  const events: WorkerEvent[] = [];
  const all = { engine, root: rig.folder, env: envOf(service), signal: leave.signal, ...options };
  const onEvent = (event: WorkerEvent): void => void events.push(event);
  const worked = workerWith({ ...all, onEvent }, internals);
  const stop = async (): Promise<void> => {
    leave.abort();
    await worked;
  };
  onTestFinished(stop);
  return { events, stop };
}
