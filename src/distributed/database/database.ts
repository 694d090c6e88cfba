// The database of an engine: its tables, and the runs in it.
import type { PgBoss } from 'pg-boss';
import type { JsonObject } from '../../base/json.ts';
import { systemCode } from '../../base/system-error.ts';
import type { JobLine, RunLine, TaskLine } from '../../model/line.ts';
import type { Header } from '../../model/record/line.ts';
import { jobFacts } from '../../model/state.ts';
import { moneyOf } from './batch.ts';
import { bossOver, type ConnectionOptions, connect } from './connection.ts';
import { RunStore, writeLines, writeSnapshot } from './coordinator-store.ts';
import { functions } from './functions.ts';
import { Queue, queueSchema } from './queue.ts';
import {
  groupsOf,
  isTrue,
  objectOf,
  optionalText,
  type Row,
  type Sql,
  type Statements,
  textOf,
  unexpected,
} from './sql.ts';
import { schema, upgradeTables, versionOf, wantedVersion } from './tables.ts';
import { DatabaseWorkerStore, type WorkerIdentity, type WorkerStore } from './worker-store.ts';

/** What a worker must know of a run. */
export interface RunTerms {
  /** The id of the run: names its queue and its canary. */
  readonly run: string;
  readonly pipeline: string;
  /** The pipeline file, relative to the root that all hosts see. */
  readonly file: string;
  /** The address of the service. */
  readonly service: string;
  /** Plain data from the coordinator's options: `EngineTerms`. */
  readonly options: JsonObject;
}

/**
 * - `importing`: the state file is still the record. Nothing may be claimed.
 * - `open`: the database is the record, and the state file is marked as away.
 * - `exported`: the state file is the record again.
 */
export type Stage = 'importing' | 'open' | 'exported';

export interface EngineRun {
  readonly terms: RunTerms;
  readonly stage: Stage;
  /** Content of the canary file, which shows a worker that its folder is the folder of the run. */
  readonly canary: string;
  /** Who coordinates the run now; undefined: nobody. */
  readonly coordinator?: { readonly name: string };
}

/** What comes from a state file. */
export interface Import {
  readonly terms: RunTerms;
  readonly canary: string;
  readonly header: Header;
  readonly runs: readonly RunLine[];
  readonly tasks: readonly TaskLine[];
  readonly jobs: Iterable<JobLine>;
}

/** What `shotlist engine check` says about a database. */
export interface EngineCondition {
  /** The version of Postgres, as it calls itself. */
  readonly server: string;
  /** The version of shotlist's tables; undefined: there are none yet. */
  readonly tables: number | undefined;
  readonly wanted: number;
  /** Settings that can lose a committed transaction, as sentences. */
  readonly unsafe: readonly string[];
  /** Names this database since its last restore or failover; undefined: the server does not say. */
  readonly incarnation: string | undefined;
  /** The incarnation in which the runs were last open, where it is another one. */
  readonly changedFrom?: string;
  readonly encrypted: boolean;
}

/** Rejects with `EngineMissing` if the packages are not installed. Connects with the first call. */
export async function openEngine(url: string, options: ConnectionOptions): Promise<EngineDatabase> {
  return engineOver(await connect(url, options));
}

export async function engineOver(sql: Sql): Promise<EngineDatabase> {
  return new EngineDatabase(sql, await bossOver(sql));
}

export class EngineDatabase {
  readonly #sql: Sql;
  readonly #boss: PgBoss;

  /** @internal */
  constructor(sql: Sql, boss: PgBoss) {
    this.#sql = sql;
    this.#boss = boss;
  }

  async condition(): Promise<EngineCondition> {
    const [server] = await this.#sql.query(
      `select version() as version, current_setting('fsync') as fsync,
         current_setting('full_page_writes') as full_page_writes,
         coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted`,
    );
    const tables = await versionOf(this.#sql);
    const incarnation = await incarnationOf(this.#sql);
    const before = tables === undefined ? undefined : await acceptedIn(this.#sql);
    return {
      server: textOf(server, 'version'),
      tables,
      wanted: wantedVersion,
      unsafe: unsafeSettings
        .filter(({ setting }) => textOf(server, setting) === 'off')
        .map(({ setting, sentence }) => `${setting} is off: ${sentence}`),
      incarnation,
      ...(before === undefined || incarnation === undefined || before === incarnation
        ? {}
        : { changedFrom: before }),
      encrypted: isTrue(server, 'encrypted'),
    };
  }

  /** Makes or upgrades the tables, and those of the queue. */
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

  /** Removes all tables. */
  async drop(): Promise<void> {
    await this.#sql.query(`drop schema if exists ${schema} cascade`);
    await this.#sql.query(`drop schema if exists ${queueSchema} cascade`);
  }

  /** From now on, this incarnation is the right one: a person has compared the runs with the service. */
  async accept(): Promise<void> {
    const incarnation = await incarnationOf(this.#sql);
    await this.#sql.query(`update ${schema}.version set incarnation = $1`, [incarnation ?? null]);
  }

  async runs(): Promise<readonly EngineRun[]> {
    return (await this.#sql.query(`${allRuns} order by terms.pipeline, terms.service`)).map(runOf);
  }

  /** The run of a pipeline at a service. */
  async find(pipeline: string, service: string): Promise<EngineRun | undefined> {
    const [row] = await this.#sql.query(
      `${allRuns} where terms.pipeline = $1 and terms.service = $2`,
      [pipeline, service],
    );
    return row === undefined ? undefined : runOf(row);
  }

  /** Replaces an `importing` or `exported` run of the pipeline at the service, if there is one. */
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

  run(run: string): RunStore {
    return new RunStore(this.#sql, this.#queue(run), run);
  }

  worker(run: string, identity: WorkerIdentity): WorkerStore {
    return new DatabaseWorkerStore(this.#sql, this.#queue(run), run, identity);
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
    coalesce(run.coordinator_until > clock_timestamp(), false) as held
  from ${schema}.terms join ${schema}.run using (run)`;

function runOf(row: Row): EngineRun {
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
    ...(isTrue(row, 'held') && name !== undefined ? { coordinator: { name } } : {}),
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

// The condition of a database: whether its settings can lose committed transactions, and whether it was restored.

/** `synchronous_commit` is not here, because each of our transactions sets it. */
const unsafeSettings = [
  {
    setting: 'fsync',
    sentence: 'a crash of the server can lose transactions that it has acknowledged.',
  },
  {
    setting: 'full_page_writes',
    sentence: 'a crash of the server can damage pages that were being written.',
  },
];

/**
 * The system identifier, which a restored backup shares, and the timeline, which a restore and a failover change.
 * Servers may keep both from ordinary roles.
 */
async function incarnationOf(sql: Statements): Promise<string | undefined> {
  try {
    const [row] = await sql.query(
      `select system_identifier::text || '/' || timeline_id::text as incarnation
       from pg_control_system(), pg_control_checkpoint()`,
    );
    return textOf(row, 'incarnation');
  } catch (error) {
    if (systemCode(error) === insufficientPrivilege || systemCode(error) === undefinedFunction)
      return undefined;
    throw error;
  }
}

const insufficientPrivilege = '42501';
const undefinedFunction = '42883';

async function acceptedIn(sql: Statements): Promise<string | undefined> {
  const [row] = await sql.query(`select incarnation from ${schema}.version`);
  return optionalText(row, 'incarnation');
}

// Brings what a state file knows into the database: its lines as they are, and of each job what money needs.

/** Within a transaction in which the run is not there. */
async function importInto(sql: Statements, from: Import): Promise<void> {
  const { run, pipeline, file, service, options } = from.terms;
  const sum = (of: 'charged' | 'refunded'): number =>
    from.runs.reduce((total, line) => total + line[of], 0);
  await sql.query(
    `insert into ${schema}.run (run, stage, charged, refunded, reserved) values ($1, 'importing', $2, $3, 0)`,
    [run, sum('charged'), sum('refunded')],
  );
  await sql.query(`insert into ${schema}.terms values ($1, $2, $3, $4, $5, $6)`, [
    run,
    pipeline,
    file,
    service,
    JSON.stringify(options),
    from.canary,
  ]);
  const { header, runs, tasks } = from;
  await writeSnapshot(sql, run, { header, runs, tasks, seq: 0 });
  let reserved = 0;
  for (const lines of groupsOf(from.jobs)) {
    for (const { state, reserve = 0 } of lines) if (jobFacts[state].inDoubt) reserved += reserve;
    await writeLines(sql, run, lines);
    await writeJobs(sql, run, lines);
  }
  await sql.query(`update ${schema}.run set reserved = $2 where run = $1`, [run, reserved]);
}

async function writeJobs(sql: Statements, run: string, lines: readonly JobLine[]): Promise<void> {
  await sql.query(
    `insert into ${schema}.job
     select $1, job, state, attempt, name, reserve, credits, project, past,
       (select array_agg(file) from jsonb_array_elements_text(files) file), take, unknown, null, at, adopted
     from jsonb_to_recordset($2::jsonb) as x(job text, state text, attempt bigint, name text, reserve bigint,
       credits bigint, project text, past jsonb, files jsonb, take boolean, unknown boolean, at timestamptz,
       adopted boolean)`,
    [run, JSON.stringify(lines.map(moneyOf))],
  );
}
