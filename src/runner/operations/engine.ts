// `engine check | migrate | accept | drop`: the database of distributed runs.
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { EngineCondition, EngineRun } from '../run/engine/database.ts';
import type { QueueFacts } from '../run/engine/queue-facts.ts';
import { type Problem, problem } from './pipeline/problem.ts';
import { openDatabase, reachable } from './state/engine/open-database.ts';

export interface EngineRunFacts {
  readonly run: string;
  readonly pipeline: string;
  readonly service: string;
  readonly stage: EngineRun['stage'];
  /** Who coordinates it now. */
  readonly coordinator?: string;
  readonly queue: QueueFacts;
}

export interface EngineReport {
  /** Host, port and name of the database. */
  readonly database: string;
  readonly condition: EngineCondition;
  readonly runs: readonly EngineRunFacts[];
}

/** Says whether the database can be used for distributed runs, and which runs are in it. */
export async function checkEngine(engine: string): Promise<Result<EngineReport, Problem>> {
  return await manage(engine, async ({ database, condition, address }) => {
    const runs: EngineRunFacts[] = [];
    const hasTables = condition.tables === condition.wanted;
    for (const { terms, stage, coordinator } of hasTables ? await database.runs() : []) {
      const { run, pipeline, service } = terms;
      const queue = await database.coordinator(run).facts();
      const name = coordinator === undefined ? {} : { coordinator: coordinator.name };
      runs.push({ run, pipeline, service, stage, ...name, queue });
    }
    return ok({ database: address.shown, condition, runs });
  });
}

/** Makes the tables of distributed runs, or upgrades them. Returns the condition of the database afterwards. */
export async function migrateEngine(engine: string): Promise<Result<EngineReport, Problem>> {
  const migrated = await manage(engine, async ({ database }) => {
    await database.migrate();
    return ok(undefined);
  });
  return migrated.ok ? await checkEngine(engine) : migrated;
}

/** A person has compared the runs with the service, after the database was restored or failed over. */
export async function acceptEngine(engine: string): Promise<Result<EngineReport, Problem>> {
  const accepted = await manage(engine, async ({ database }) => {
    await database.accept();
    return ok(undefined);
  });
  return accepted.ok ? await checkEngine(engine) : accepted;
}

/** Removes all tables. Refuses while a run is open, because its record is nowhere else. */
export async function dropEngine(
  engine: string,
): Promise<Result<{ readonly database: string }, Problem>> {
  return await manage(engine, async ({ database, condition, address }) => {
    const runs = condition.tables === undefined ? [] : await database.runs();
    const open = runs.filter(({ stage }) => stage !== 'exported');
    if (open.length > 0) {
      const names = open.map(({ terms }) => terms.pipeline).join(', ');
      const hint = 'nothing was removed: bring each record back first, with shotlist export';
      const message = `the database ${address.shown} has the only record of ${names}`;
      return err(problem(message, 'shotlist', hint));
    }
    await database.drop();
    return ok({ database: address.shown });
  });
}

async function manage<T>(
  engine: string,
  work: (
    opened: Extract<Awaited<ReturnType<typeof openDatabase>>, { readonly ok: true }>['value'],
  ) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  const opened = await openDatabase(engine, 'manage');
  if (!opened.ok) return opened;
  await using held = opened.value;
  const done = await reachable(held.address.shown, () => work(held));
  return done.ok ? done.value : done;
}
