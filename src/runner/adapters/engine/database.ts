// The database of an engine: its tables, and the runs in it.
import type { PgBoss } from 'pg-boss';
import type {
  EngineCondition,
  EngineDatabase,
  EngineRun,
  Import,
  Stage,
} from '../../run/engine/database.ts';
import type { CoordinatorDesk, WorkerDesk } from '../../run/engine/ports.ts';
import type { WorkerIdentity } from '../../run/engine/queue-facts.ts';
import { optionalNumber, optionalText, textOf, unexpected } from './columns.ts';
import { acceptIncarnation, conditionOf } from './condition.ts';
import { bossOver, type ConnectionOptions, connect } from './connection.ts';
import { EngineCoordinatorDesk } from './coordinator-desk.ts';
import { functions } from './functions.ts';
import { importInto } from './import.ts';
import { Queue, queueSchema } from './queue.ts';
import { objectOf } from './records.ts';
import type { Row, Sql, Statements } from './sql.ts';
import { schema, upgradeTables, versionOf } from './tables.ts';
import { EngineWorkerDesk } from './worker-desk.ts';

/** Rejects with `EngineMissing` if the packages are not installed. Connects with the first call. */
export async function openEngine(url: string, options: ConnectionOptions): Promise<EngineDatabase> {
  return engineOver(await connect(url, options));
}

export async function engineOver(sql: Sql): Promise<EngineDatabase> {
  return new PostgresEngine(sql, await bossOver(sql));
}

class PostgresEngine implements EngineDatabase {
  readonly #sql: Sql;
  readonly #boss: PgBoss;

  constructor(sql: Sql, boss: PgBoss) {
    this.#sql = sql;
    this.#boss = boss;
  }

  condition(): Promise<EngineCondition> {
    return conditionOf(this.#sql);
  }

  async migrate(): Promise<void> {
    const before = await versionOf(this.#sql);
    await this.#boss.start();
    await this.#boss.stop({ close: false, graceful: false });
    await this.#sql.transaction(async (within) => {
      await upgradeTables(within);
      await within.query(functions);
      await Queue.tune(within);
    });
    if (before === undefined) await this.accept();
  }

  async drop(): Promise<void> {
    await this.#sql.query(`drop schema if exists ${schema} cascade`);
    await this.#sql.query(`drop schema if exists ${queueSchema} cascade`);
  }

  async accept(): Promise<void> {
    await acceptIncarnation(this.#sql);
  }

  async runs(): Promise<readonly EngineRun[]> {
    return (await this.#sql.query(`${allRuns} order by terms.pipeline, terms.service`)).map(runOf);
  }

  async find(pipeline: string, service: string): Promise<EngineRun | undefined> {
    const [row] = await this.#sql.query(
      `${allRuns} where terms.pipeline = $1 and terms.service = $2`,
      [pipeline, service],
    );
    return row === undefined ? undefined : runOf(row);
  }

  async import(from: Import): Promise<void> {
    const { run, pipeline, service } = from.terms;
    const before = await this.find(pipeline, service);
    await this.#queue(run).create();
    await this.#sql.transaction(async (within) => {
      if (before !== undefined) await removeRows(within, before.terms.run);
      await importInto(within, from);
    });
    if (before !== undefined && before.terms.run !== run)
      await this.#queue(before.terms.run).remove();
  }

  async setStage(run: string, stage: Stage): Promise<void> {
    await this.#sql.transaction(async (within) => {
      await within.query(`update ${schema}.run set stage = $2 where run = $1`, [run, stage]);
    });
  }

  async remove(run: string): Promise<void> {
    await this.#sql.transaction(async (within) => {
      await removeRows(within, run);
    });
    await this.#queue(run).remove();
  }

  coordinator(run: string): CoordinatorDesk {
    return new EngineCoordinatorDesk(this.#sql, this.#queue(run), run);
  }

  worker(run: string, identity: WorkerIdentity): WorkerDesk {
    return new EngineWorkerDesk(this.#sql, this.#queue(run), run, identity);
  }

  close(): Promise<void> {
    return this.#sql.close();
  }

  #queue(run: string): Queue {
    return new Queue(this.#boss, this.#sql, run);
  }
}

const allRuns = `
  select terms.*, run.stage, run.coordinator,
    extract(epoch from run.coordinator_until)::float8 * 1000 as until,
    coalesce(run.coordinator_until > clock_timestamp(), false) as held
  from ${schema}.terms join ${schema}.run using (run)`;

function runOf(row: Row): EngineRun {
  const until = optionalNumber(row, 'until');
  const name = optionalText(row, 'coordinator');
  return {
    terms: {
      run: textOf(row, 'run'),
      pipeline: textOf(row, 'pipeline'),
      file: textOf(row, 'file'),
      service: textOf(row, 'service'),
      options: objectOf(textOf(row, 'options')),
    },
    stage: stageOf(textOf(row, 'stage')),
    canary: textOf(row, 'canary'),
    ...(row['held'] === true && until !== undefined && name !== undefined
      ? { coordinator: { name, untilMs: Math.round(until) } }
      : {}),
  };
}

function stageOf(text: string): Stage {
  if (text === 'importing' || text === 'open' || text === 'exported') return text;
  throw unexpected('stage', text);
}

/** An open run is never removed: its facts are nowhere else. */
async function removeRows(sql: Statements, run: string): Promise<void> {
  const [row] = await sql.query(`select stage from ${schema}.run where run = $1 for update`, [run]);
  if (row === undefined) return;
  if (textOf(row, 'stage') === 'open')
    throw new Error(`the run ${run} is open in the database: export it first`);
  for (const table of ['record', 'job', 'line', 'worker', 'rate', 'run'])
    await sql.query(`delete from ${schema}.${table} where run = $1`, [run]);
}
