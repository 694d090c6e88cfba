// `status`: shows the state file, and asks the run that is using it how far it is. Sends nothing to the service, and writes
// nothing.
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import { reachable } from '../../distributed/open-database.ts';
import type { QueueFacts } from '../../distributed/queue-facts.ts';
import { matchOf } from '../../files/glob.ts';
import { HashCache } from '../../files/hash-cache.ts';
import { SavedFiles } from '../../files/saved-files.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type Problem, problem, Refusal } from '../../language/load/refusal.ts';
import { storeNameOf } from '../../language/store.ts';
import type { OutputLine } from '../../model/line.ts';
import { taskStates } from '../../model/task-states.ts';
import { type Condition, conditionOf, isStored, keptCopy } from '../../plan/recorded-files.ts';
import { resultFates } from '../../plan/result-fate.ts';
import { realClock } from '../../run/clock.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import { type LocateOptions, locateState } from '../../state/locate-state.ts';
import type { Holding } from '../../state/lock/lock.ts';
import { askRun } from '../../state/lock/run-socket.ts';
import type { DoublePayment } from '../../state/repair/merge.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import type { MissingPayments } from '../../views/missing-text.ts';
import { type Takes, takesIn } from '../../views/takes.ts';
import type { OpenEngineRun } from '../engine-state.ts';
import { openDoublePayments } from '../merge/merge.ts';
import { headerOf, openState } from '../open-state.ts';
import { onlyInReceipts } from '../record-check.ts';
import {
  type ItemFilter,
  type ItemsStatus,
  itemsStatus,
  type StepStatus,
  stepsStatus,
} from './status-items.ts';
import { type Status, statusOf } from './status-report.ts';
import { UnrecordedTasks } from './unrecorded.ts';

export interface StatusOptions extends LocateOptions {
  /** Paid results whose addresses expire within this time are marked, in milliseconds; default 6 hours. */
  readonly expiringMs?: number | undefined;
  /** Also report on single items. Default: only on steps. */
  readonly items?: StatusItems | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with warnings for the user. */
  readonly onWarning?: (message: string) => void;
}

/** Which items a status shows. */
export interface StatusItems {
  /** `--items`: a key, or a glob of keys. Default: all. */
  readonly only?: string | undefined;
  /** `--failed`: only items with tasks that failed or are in doubt. */
  readonly failed?: boolean | undefined;
  /** `--step`: only the tasks of this step. */
  readonly step?: string | undefined;
  /** `--limit`: show so many items; default 50. */
  readonly limit?: number | undefined;
}

export interface StatusReport extends Status {
  /** The state file. */
  readonly state: string;
  /** The address of the service that the state file belongs to, or `rehearsal`. */
  readonly service: string;
  /** What the active run says about itself; absent if none is active, or it does not answer. */
  readonly live?: LiveFacts;
  /** The tasks that the state file knows, by step. */
  readonly steps: readonly StepStatus[];
  /** The results of which there are several takes. */
  readonly takes: readonly Takes[];
  /** Payments that the state file does not know, and your receipts do. */
  readonly onlyInReceipts: MissingPayments;
  /** The jobs that both sides of a merge paid for, until somebody accepts the merged file with `git add`. */
  readonly paidTwice: readonly DoublePayment[];
  /** With `items`. */
  readonly items?: ItemsStatus;
  /** With `engine`, while the record is in the database. */
  readonly engine?: EngineStatus;
}

/** A distributed run as its database knows it. */
export interface EngineStatus {
  /** Who coordinates it now. */
  readonly coordinator?: string;
  readonly queue: QueueFacts;
}

/**
 * Says what the state file holds: credits, results that are not saved yet, doubts and failures. Sends nothing.
 *
 * @example
 * ```ts
 * import { loadPipeline, status } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const report = await status(pipeline);
 * console.log(report.credits.charged, report.doubts.length);
 * ```
 */
export async function status(
  loaded: LoadedPipeline,
  options: StatusOptions = {},
): Promise<StatusReport> {
  const { clock = realClock, expiringMs = 6 * 3_600_000, onWarning = () => undefined } = options;
  const { env = process.env } = options;
  const bound = boundPipeline(loaded);
  const { steps } = bound.pipeline;
  const filter = options.items === undefined ? undefined : filterOf(options.items);
  const { paths } = locateState(bound, options);
  await using open = await openState(bound, paths, 'read', { clock, onWarning, env });
  const header = headerOf(open, bound);
  options.onState?.(header.service);
  const { running, state } = open;
  const engine = await engineStatus(open.engine);
  const active = running?.process ?? engine?.coordinator;
  const live = running === undefined ? undefined : await liveFrom(running);
  const fateOf = resultFates(bound.pipeline.steps);
  const { hashes, kept } = paths;
  using cache = new HashCache(hashes, 'read');
  const facts = new SavedFiles({
    ...{ folder: bound.folder, kept, hashes: cache },
    store: storeNameOf(bound.pipeline),
  });
  const found = statusOf(state.ledger, {
    ...{ now: clock.now(), expiringMs, fateOf, running: active },
    isStored: (output) => isStored(output, facts),
    conditionOf: (output) => conditionHere(output, facts),
  });
  const deleting = new Set(
    steps.filter(({ kind }) => kind.operation === 'delete').map(({ name }) => name),
  );
  const tasks = taskStates(state.ledger, {
    running: active !== undefined,
    deletes: (step) => deleting.has(step),
  });
  const unrecorded = new UnrecordedTasks(steps, tasks, state.ledger);
  const why = unrecorded.why.bind(unrecorded);
  const byStep = stepsStatus(steps, tasks, why);
  const unknown = unknownStep(options.items?.step, byStep);
  if (unknown !== undefined) throw new Refusal(unknown);
  return {
    ...{ state: paths.state, service: header.service, ...found, steps: byStep },
    takes: takesIn(state.ledger, steps),
    onlyInReceipts:
      open.engine === undefined && active === undefined
        ? onlyInReceipts({
            bound,
            paths,
            state,
            env,
            now: () => clock.now(),
            onWarning: () => undefined,
          })
        : { creations: 0, credits: 0 },
    paidTwice: await openDoublePayments(paths.state, env),
    live,
    engine,
    ...(filter === undefined
      ? {}
      : { items: itemsStatus(state.ledger, steps, tasks, filter, why) }),
  };
}

/** `whole` if the content is in its place, or kept. */
function conditionHere(output: OutputLine, facts: SavedFiles): Condition {
  const condition = conditionOf(output, facts);
  return condition !== 'whole' && keptCopy(output, facts) ? 'whole' : condition;
}

const liveFrom = async ({ socket }: Holding): Promise<LiveFacts | undefined> =>
  socket === undefined ? undefined : await askRun(socket);

async function engineStatus(opened: OpenEngineRun | undefined): Promise<EngineStatus | undefined> {
  if (opened?.run.stage !== 'open') return;
  const { engine, orderStore, run } = opened;
  const queue = await reachable(engine.address.shown, () => orderStore.facts());
  const { coordinator } = run;
  const name = coordinator === undefined ? {} : { coordinator: coordinator.name };
  return { ...name, queue };
}

function filterOf({ only, failed = false, step, limit = 50 }: StatusItems): ItemFilter {
  if (only === undefined) return { failed, step, limit };
  const matches = matchOf(only, { dot: true });
  if (matches.ok) return { failed, step, limit, only: { key: only, matches: matches.value } };
  const hint = 'write a key, or a pattern such as "*.jpg"';
  throw new Refusal(
    problem(`--items ${only.slice(0, 200)} ${matches.error}`, 'shotlist status', hint),
  );
}

function unknownStep(name: string | undefined, steps: readonly StepStatus[]): Problem | undefined {
  if (name === undefined || steps.some(({ step }) => step === name)) return undefined;
  const names = steps.map(({ step }) => step);
  const hint = suggestion(name, names) ?? `the steps are ${names.join(', ')}`;
  return problem(`there is no step "${name}"`, 'shotlist status', hint);
}
