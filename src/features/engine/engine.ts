// `engine check | migrate | accept | drop`: the database of distributed runs.
import type { QueueFacts } from '../../distributed/database/coordinator-store.ts';
import type { EngineCondition, EngineRun } from '../../distributed/database/database.ts';
import { openDatabase, reachable } from '../../distributed/open-database.ts';
import { refuse } from '../refuse.ts';

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
export async function checkEngine(engine: string): Promise<EngineReport> {
  return await manage(engine, async ({ database, condition, address }) => {
    const runs: EngineRunFacts[] = [];
    const hasTables = condition.tables === condition.wanted;
    for (const { terms, stage, coordinator } of hasTables ? await database.runs() : []) {
      const { run, pipeline, service } = terms;
      const queue = await database.run(run).facts();
      const name = coordinator === undefined ? {} : { coordinator: coordinator.name };
      runs.push({ run, pipeline, service, stage, ...name, queue });
    }
    return { database: address.shown, condition, runs };
  });
}

/** Makes the tables of distributed runs, or upgrades them. Returns the condition of the database afterwards. */
export async function migrateEngine(engine: string): Promise<EngineReport> {
  await manage(engine, ({ database }) => database.migrate());
  return await checkEngine(engine);
}

/** A person has compared the runs with the service, after the database was restored or failed over. */
export async function acceptEngine(engine: string): Promise<EngineReport> {
  await manage(engine, ({ database }) => database.accept());
  return await checkEngine(engine);
}

/** Removes all tables. Refuses while a run is open, because its record is nowhere else. */
export async function dropEngine(engine: string): Promise<{ readonly database: string }> {
  return await manage(engine, async ({ database, condition, address }) => {
    const runs = condition.tables === undefined ? [] : await database.runs();
    const open = runs.filter(({ stage }) => stage !== 'exported');
    if (open.length > 0) {
      const names = open.map(({ terms }) => terms.pipeline).join(', ');
      const hint = 'nothing was removed: bring each record back first, with shotlist export';
      const message = `the database ${address.shown} has the only record of ${names}`;
      refuse(message, hint);
    }
    await database.drop();
    return { database: address.shown };
  });
}

async function manage<T>(
  engine: string,
  work: (opened: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
): Promise<T> {
  await using held = await openDatabase(engine, 'manage');
  return await reachable(held.address.shown, () => work(held));
}
