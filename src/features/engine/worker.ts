// `worker`: performs the orders of a distributed run on this host.
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { printable } from '../../base/printable.ts';
import { count } from '../../base/text.ts';
import type { Env } from '../../base/user-folder.ts';
import { retryWhileAway } from '../../distributed/away.ts';
import type { EngineDatabase, EngineRun } from '../../distributed/database/database.ts';
import { awaitDatabase, reachable } from '../../distributed/open-database.ts';
import { serveRun } from '../../distributed/serve-run.ts';
import { hasCanary } from '../../distributed/shared-folder.ts';
import { type Problem, problem, Refusal } from '../../language/load/refusal.ts';
import { realClock } from '../../run/clock.ts';
import type { Clock, MediaApi } from '../../run/jobs/ports.ts';
import type { RunEvent } from '../../run/run-event.ts';
import type { ClientOptions } from '../../service-api/http-client.ts';
import type { TargetOptions } from '../../service-api/target.ts';
import { refuse } from '../refuse.ts';
import { Deadline } from '../run/deadline.ts';

export interface WorkerOptions extends Pick<TargetOptions, 'service'> {
  /** `--engine`: the address of the database. */
  readonly engine: string;
  /** `--root`: the folder of the pipeline file, as this host sees it. Default: the working folder. */
  readonly root?: string | undefined;
  /** `--jobs`: how many orders are performed at once; default 16. */
  readonly jobs?: number | undefined;
  /** `--once`: end when the run is over. By default, a worker waits for the next run. */
  readonly once?: boolean | undefined;
  readonly allowOutside?: boolean | undefined;
  /** Default: the process's environment. */
  readonly env?: Env;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** If it is aborted, nothing more is begun, and what is under way is completed. */
  readonly signal?: AbortSignal | undefined;
  /** How long that may take, in milliseconds; default 30,000. */
  readonly graceMs?: number;
  readonly onEvent?: (event: WorkerEvent) => void;
}

export type { WorkerEvent };

export interface Worked {
  /** The number of runs that this worker took part in. */
  readonly runs: number;
}

/** For tests. */
export interface WorkerInternals {
  readonly client?: Partial<ClientOptions>;
  readonly api?: (api: MediaApi) => MediaApi;
}

/**
 * Performs the orders of distributed runs until `signal` is aborted, or, with `once`, until the run is over.
 */
export async function worker(options: WorkerOptions): Promise<Worked> {
  return await workerWith(options, {});
}

/** The same, for tests. */
export async function workerWith(
  options: WorkerOptions,
  internals: WorkerInternals,
): Promise<Worked> {
  const { clock = realClock, env = process.env, jobs = 16, onEvent = () => undefined } = options;
  const root = resolve(options.root ?? '.');
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
    refuse(`--root ${root} is not a folder`);
  const leave = options.signal ?? new AbortController().signal;
  const name = `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`;
  let isAway = false;
  const onDatabase = (why: string | undefined): void => {
    const now = why !== undefined;
    if (now !== isAway) onEvent({ type: 'database', ...(now ? { away: why } : {}) });
    isAway = now;
  };
  const patience = {
    clock,
    quit: leave,
    onAway: (error: Error) => onDatabase(error.message),
  };
  const grace = new Deadline(clock, options.graceMs);
  let runs = 0;
  /** The database of a run that this worker takes part in. */
  let serving: string | undefined;
  let told: number | undefined;
  try {
    await using engine = await awaitDatabase(options.engine, patience);
    const { shown } = engine.address;
    grace.beginAfter(leave);
    while (!leave.aborted) {
      const { own, others } = await reachable(shown, () =>
        retryWhileAway(patience, () => findRun(engine.database, root)),
      );
      onDatabase(undefined);
      if (own === undefined) {
        if (told !== others) onEvent({ type: 'idle', others });
        told = others;
        if (options.once === true && runs > 0) break;
        await clock.sleep(1_000, leave);
        continue;
      }
      told = undefined;
      const { run, pipeline } = own.terms;
      onEvent({ type: 'serving', run, pipeline, worker: name });
      serving = shown;
      const end = await reachable(shown, () =>
        serveRun(engine.database, own, {
          service: options.service,
          root,
          places: jobs,
          worker: name,
          env,
          clock,
          allowOutside: options.allowOutside,
          leave,
          quit: grace.passed,
          onEvent,
          onDatabase,
          ...internals,
        }),
      );
      serving = undefined;
      runs += 1;
      onEvent({ type: 'served', run, left: end === 'left' });
      if (options.once === true) break;
    }
  } catch (error) {
    if (!(error instanceof Refusal) || !hasLeft(error.problem, leave)) throw error;
    if (serving !== undefined) throw new Refusal(cutOff(serving));
  } finally {
    grace.cancel();
  }
  return { runs };
}

/** The worker was asked to leave while it waited for the database. */
const hasLeft = ({ reason }: Problem, leave: AbortSignal): boolean =>
  leave.aborted && reason === 'unreachable';

const cutOff = (shown: string): Problem => ({
  ...problem(
    `the worker was stopped while the database ${shown} was away, so what it was doing is not recorded`,
    'shotlist',
    'other workers go on with it when the database is back; a creation without a recorded answer is in doubt',
  ),
  reason: 'system',
});

// Finds the run whose folder a worker sees: the canary there must be the one that the coordinator wrote.

interface FoundRuns {
  /** The open run of the folder. */
  readonly own: EngineRun | undefined;
  /** The number of open runs with other folders. */
  readonly others: number;
}

async function findRun(database: EngineDatabase, root: string): Promise<FoundRuns> {
  const open = (await database.runs()).filter(({ stage }) => stage === 'open');
  const own = open.find((run) => hasCanary(root, run));
  return { own, others: open.length - (own === undefined ? 0 : 1) };
}

// What a worker says while it works.

/** What happens to a worker, besides the events of its runs. */
type WorkerEvent =
  /** It waits for a run. `others`: open runs whose folder this host does not see. */
  | { readonly type: 'idle'; readonly others: number }
  | {
      readonly type: 'serving';
      readonly run: string;
      readonly pipeline: string;
      readonly worker: string;
    }
  | { readonly type: 'served'; readonly run: string; readonly left: boolean }
  /** The database is away, and why, or it is back. */
  | { readonly type: 'database'; readonly away?: string }
  | RunEvent;

/** Undefined for an event that people need not see. */
export function workerText(event: WorkerEvent): string | undefined {
  switch (event.type) {
    case 'idle':
      return event.others === 0
        ? 'There is no run: waiting for one. Ctrl-C stops this worker.'
        : `Waiting for a run of this folder: ${count(event.others, 'run')} in the database belong to other folders. If one of them is yours, check --root.`;
    case 'serving':
      return `Working on "${printable(event.pipeline)}" (run ${printable(event.run)}) as ${printable(event.worker)}`;
    case 'served':
      return event.left
        ? `Left the run ${printable(event.run)}`
        : `The run ${printable(event.run)} no longer needs this worker`;
    case 'database':
      return event.away === undefined
        ? 'the database is back'
        : `waiting: the database is away: ${printable(event.away)}`;
    case 'warning':
      return `warning: ${printable(event.message)}`;
    case 'waiting':
      return `waiting: ${printable(event.why)}`;
    case 'back':
      return 'the service is back';
    default:
      return undefined;
  }
}
