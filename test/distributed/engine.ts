// The database of a test, and checkouts whose runs have their record in it.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { EngineDatabase, engineAddress, type Term } from '../../src/distributed/database.ts';
import { PostgresFile, type PostgresFileTerms } from '../../src/distributed/postgres-file.ts';
import { Promptness } from '../../src/distributed/promptness.ts';
import { openRunFile } from '../../src/features/open-run-file.ts';
import { openState } from '../../src/features/open-state.ts';
import { boundPipeline } from '../../src/language/load/bound-pipeline.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { type Line, lineText } from '../../src/model/record/line.ts';
import type { Access, StateContext } from '../../src/state/lock-state.ts';
import { pathsOf } from '../../src/state/run-paths.ts';
import { FakeClock } from '../files/places.ts';
import { sharedPostgres } from '../postgres.ts';
import { Rig } from '../rig.ts';

/** An open database, which ends with the test. Default: a new one with tables. */
export async function openEngine(url?: string): Promise<EngineDatabase> {
  const address = engineAddress(url ?? (await (await sharedPostgres()).newDatabase()));
  if (!address.ok) throw new Error(address.error);
  const database = await EngineDatabase.open(address.value);
  onTestFinished(() => database.close());
  if (url === undefined) await database.prepare();
  return database;
}

const service = 'https://api.example.com';

/** The term of a coordinator that finds the run free. */
export async function acquired(database: EngineDatabase, who = 'a coordinator'): Promise<Term> {
  const term = await database.acquire('p', service, who);
  if (term === undefined) throw new Error('another coordinator holds the run');
  return term;
}

/** The term lapses, as if 15 seconds had passed. */
export async function lapse({ sql }: EngineDatabase): Promise<void> {
  await sql.query("update shotlist.run set until = clock_timestamp() - interval '1 second'");
}

const pipeline = 'pipeline: p\nsteps: { up: { uses: upload, with: { file: a.png } } }\n';

/** A checkout of the pipeline, whose clock is the test's. */
export async function checkout() {
  const rig = new Rig(pipeline);
  const bound = boundPipeline(await loadPipeline(rig.file));
  const paths = pathsOf(bound, { kind: 'hosted', address: service, key: 'k' }, {});
  const clock = new FakeClock();
  const context: StateContext & { env: NodeJS.ProcessEnv } = {
    clock,
    onWarning: () => undefined,
    env: process.env,
  };
  const header = { shotlist: 4, pipeline: 'p', service } as const;
  const open = (access: Access) => openState(bound, paths, access, context);

  /** What a coordinator does before its run begins. Whatever ends the test ends it as a kill does. */
  const coordinate = async (
    database: EngineDatabase,
    more: Partial<PostgresFileTerms> & { readonly who?: string } = {},
  ) => {
    const term = await acquired(database, more.who);
    const engine = { rows: database.record(term.run), term };
    const opened = await openState(bound, paths, 'run', { ...context, engine });
    onTestFinished(() => opened[Symbol.asyncDispose]());
    const { state } = opened;
    const { ledger } = state;
    const [internals, onProblem] = [{}, () => undefined];
    const { signal: quit } = new AbortController();
    const file = await PostgresFile.begin({
      open: (onNews) => {
        const own = { paths, state, header, env: {}, clock, internals, onProblem, onNews };
        const file = openRunFile(own);
        onTestFinished(() => file.close());
        return file;
      },
      ledger,
      database,
      term,
      clock,
      promptness: new Promptness(clock),
      patience: { clock: { chance: () => 0, sleep: () => wait(5) }, quit },
      ...more,
    });
    const append = (...lines: readonly Line[]): void => {
      for (const line of lines) {
        ledger.put(line);
        file.append(lineText(line));
      }
    };
    /** The lock ends with the process. */
    const die = () => opened[Symbol.asyncDispose]();
    return { term, ledger, file, append, die };
  };
  return {
    state: paths.state,
    clock,
    rig,
    open,
    coordinate,
    /** The lines of the state file; empty if there is none. */
    lines: (): readonly string[] =>
      existsSync(paths.state) ? readFileSync(paths.state, 'utf8').trimEnd().split('\n') : [],
  };
}
