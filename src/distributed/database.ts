// The port of the database that a distributed run is in: which runs it has, how they come and go, and its own condition.
// No code.
import type { Header, JobLine, RunLine, TaskLine } from '../model/line.ts';
import type { CoordinatorStore, RunTerms, WorkerStore } from './ports.ts';
import type { WorkerIdentity } from './queue-facts.ts';

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
  /** Who coordinates the run now, and for how long at least; undefined: nobody. */
  readonly coordinator?: { readonly name: string; readonly untilMs: number };
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

export interface EngineDatabase {
  condition(): Promise<EngineCondition>;
  /** Makes or upgrades the tables, and those of the queue. */
  migrate(): Promise<void>;
  /** Removes all tables. */
  drop(): Promise<void>;
  /** From now on, this incarnation is the right one: a person has compared the runs with the service. */
  accept(): Promise<void>;
  runs(): Promise<readonly EngineRun[]>;
  /** The run of a pipeline at a service. */
  find(pipeline: string, service: string): Promise<EngineRun | undefined>;
  /** Replaces an `importing` or `exported` run of the pipeline at the service, if there is one. */
  import(from: Import): Promise<void>;
  setStage(run: string, stage: Stage): Promise<void>;
  /** Removes a run that is not open, with its queue. */
  remove(run: string): Promise<void>;
  coordinator(run: string): CoordinatorStore;
  worker(run: string, identity: WorkerIdentity): WorkerStore;
  close(): Promise<void>;
}
