// `status`: shows the state file, and what the run that is using it says of itself. Sends nothing to the service, and writes
// nothing.

import { adviceFor } from '../../contract/api/failure.ts';
import { realClock } from '../../core/clock.ts';
import { type FileCounts, isKept, isStored } from '../../core/facts.ts';
import { type Condition, conditionOf } from '../../core/recorded-files.ts';
import { counts, type Takes, takesIn } from '../../core/takes.ts';
import type { EngineStatus } from '../../distributed/engine-status.ts';
import { matchOf } from '../../files/glob.ts';
import { HashCache } from '../../files/hash-cache.ts';
import { SavedFiles } from '../../files/saved-files.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { storeNameOf } from '../../language/store.ts';
import { type StandingFailure, standingFailures } from '../../model/failures.ts';
import { type Doubt, doubtOf, doubtsIn, type JobView, viewsOf } from '../../model/job-view.ts';
import type { Ledger, Totals } from '../../model/record/ledger.ts';
import type { Output } from '../../model/record/line.ts';
import { isWithheld } from '../../model/state.ts';
import { stepOf } from '../../model/task.ts';
import { taskStates } from '../../model/task-states.ts';
import { serviceIn } from '../../state/load-state.ts';
import { locateState } from '../../state/locate-state.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import { type PaidTwice, paidTwiceOf } from '../../views/paid-twice-text.ts';
import { addressOf } from '../engine-address.ts';
import { internalsOf } from '../internals.ts';
import { headerOf, openState, type ReadOptions } from '../open-state.ts';
import { refuse } from '../refuse.ts';
import { type ResultFate, resultFates } from '../result-fate.ts';
import {
  type ItemFilter,
  type ItemsStatus,
  RecordedTasks,
  type StepStatus,
} from './recorded-tasks.ts';

export interface StatusOptions extends ReadOptions {
  /** `--engine`: the database of a run on several machines, which has its record until it ends. */
  readonly engine?: string | undefined;
  /** Also report on single items. Default: only on steps. */
  readonly items?: StatusItems | undefined;
}

/** Which items a status shows. */
export interface StatusItems {
  /** `--items`: a key, or a glob of keys. Default: all. */
  readonly only?: string | undefined;
  /** `--failed`: only items with tasks that failed or are in doubt. */
  readonly failed?: boolean | undefined;
}

export interface StatusReport extends Status {
  /** The state file. */
  readonly state: string;
  /** The address of the service that the state file belongs to, or `rehearsal`. */
  readonly service: string;
  /** What the active run says about itself; absent if none is active, or it does not say. */
  readonly live?: LiveFacts;
  /** The tasks that the state file knows, by step. */
  readonly steps: readonly StepStatus[];
  /** The results of which there are several takes. */
  readonly takes: readonly Takes[];
  /** Until a person accepts them. */
  readonly paidTwice: readonly PaidTwice[];
  /** With `engine`. */
  readonly engine?: EngineStatus | undefined;
  /** With `items`. */
  readonly items?: ItemsStatus;
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
  const { clock = realClock, onWarning = () => undefined } = options;
  const { env = process.env } = options;
  const bound = boundPipeline(loaded);
  const { steps } = bound.pipeline;
  const filter = options.items === undefined ? undefined : filterOf(options.items);
  const { paths } = locateState(bound, options);
  const internals = internalsOf(options);
  await using database = await engineOf(options.engine, bound.name, serviceIn(paths.state));
  const engine = database?.rows && { rows: database.rows };
  const context = { clock, onWarning, env, internals, engine };
  await using open = await openState(bound, paths, 'read', context);
  const header = headerOf(open, bound);
  options.onState?.(header.service);
  const { running, state } = open;
  const active = running?.process;
  const live = running?.facts;
  const fateOf = resultFates(bound.pipeline.steps);
  const { hashes, kept } = paths;
  using cache = new HashCache(hashes, 'read');
  const facts = new SavedFiles({
    folder: bound.folder,
    kept,
    hashes: cache,
    store: storeNameOf(bound.pipeline),
  });
  const jobs = viewsOf(state.ledger);
  const found = statusOf(
    state.ledger,
    {
      now: clock.now(),
      fateOf,
      running: active,
      isStored: (output) => isStored(output, facts),
      conditionOf: (output) => conditionHere(output, facts),
    },
    jobs,
  );
  const deletes = (name: string): boolean =>
    steps.some((step) => step.name === name && step.kind.operation === 'delete');
  const states = taskStates(state.ledger, { running: active !== undefined, deletes }, jobs);
  const tasks = new RecordedTasks(steps, states, state.ledger);
  return {
    state: paths.state,
    service: header.service,
    ...found,
    steps: tasks.steps(),
    takes: takesIn(state.ledger, steps),
    paidTwice: state.ledger.paidTwice().map(paidTwiceOf),
    live,
    engine: database?.status,
    items: filter && tasks.items(filter),
  };
}

/** Undefined for a run on one machine. */
async function engineOf(address: string | undefined, pipeline: string, service?: string) {
  if (address === undefined) return undefined;
  const { openEngineStatus } = await import('../../distributed/engine-status.ts');
  return await openEngineStatus(await addressOf(address), pipeline, service);
}

/** `whole` if the content is in its place, or kept. */
function conditionHere(output: Output, facts: SavedFiles): Condition {
  const condition = conditionOf(output, facts);
  return condition !== 'whole' && isKept(output, facts) ? 'whole' : condition;
}

function filterOf({ only, failed = false }: StatusItems): ItemFilter {
  if (only === undefined) return { failed };
  const matches = matchOf(only, { dot: true });
  if (matches.ok) return { failed, only: { key: only, matches: matches.value } };
  const hint = 'write a key, or a pattern such as "*.jpg"';
  refuse(`--items ${only.slice(0, 200)} ${matches.error}`, hint, 'shotlist status');
}

// The status of a state file: jobs by step kind and state, credits, and what needs a person.

export interface Failure {
  readonly task: string;
  readonly why: string;
  /** What a person can do. */
  readonly advice?: string;
}

/** A paid and complete result without a recorded file, which no step downloads. */
export interface Remote {
  readonly tasks: readonly string[];
  readonly project: string;
  /** True with `keep: remote`. */
  readonly meant: boolean;
}

/** A paid and complete result without a recorded file: the next run downloads it. */
export interface Unsaved {
  readonly tasks: readonly string[];
  readonly project: string;
  /**
   * When the result's address expires, ISO 8601. While the project exists, a fresh address is
   * available.
   */
  readonly expires: string;
  /** True if the address has expired, or will within six hours. */
  readonly soon: boolean;
}

export interface Status {
  /** The process that is using the state file now. */
  readonly running?: string;
  readonly runs: number;
  readonly lastRun?: { readonly at: string; readonly ended?: string };
  readonly credits: Totals;
  /** Jobs by step kind, then by state; `withheld`: not bought, because the run stopped or stopped buying. */
  readonly jobs: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly outputs: number;
  /** Recorded files that are not here as recorded. Content that was never hashed counts as unchanged. */
  readonly files: FileCounts & {
    /** They were in this checkout, and are gone. */
    readonly lost: number;
  };
  readonly unsaved: readonly Unsaved[];
  readonly remote: readonly Remote[];
  readonly doubts: readonly Doubt[];
  readonly failures: readonly Failure[];
}

interface StatusQuestion {
  /** Epoch milliseconds. */
  readonly now: number;
  /** What the pipeline does with a step's results. */
  readonly fateOf: (step: string) => ResultFate;
  /** The condition of a recorded file; `whole` if its content is anywhere in this checkout. */
  readonly conditionOf: (output: Output) => Condition;
  /** True if the output store has the file. */
  readonly isStored: (output: Output) => boolean;
  /**
   * The process that is using the state file. Then, a request without an answer is in progress, not
   * in doubt.
   */
  readonly running?: string | undefined;
}

export function statusOf(ledger: Ledger, question: StatusQuestion, all = viewsOf(ledger)): Status {
  const { now, fateOf, running } = question;
  const jobs: Record<string, Record<string, number>> = {};
  const doubts: Doubt[] = [];
  const unsaved: Unsaved[] = [];
  const remote: Remote[] = [];
  let outputs = 0;
  for (const job of all) {
    const states = jobs[job.kind] ?? {};
    const state = isWithheld(job) ? 'withheld' : job.state;
    states[state] = (states[state] ?? 0) + 1;
    jobs[job.kind] = states;
    outputs += job.outputs.filter(({ pruned }) => pruned === undefined).length;
    const { project = '' } = job;
    if (job.state === 'complete' && job.outputs.length === 0 && counts(ledger, job)) {
      const fates = new Set(job.tasks.map((task) => fateOf(stepOf(task))));
      if (fates.has('fetched')) unsaved.push(unsavedOf(job, now + soonMs));
      else if (!fates.has('used'))
        remote.push({ tasks: job.tasks, project, meant: fates.has('kept') });
    }
  }
  for (const doubt of doubtsIn(ledger))
    if (doubt.state === 'doubt' || running === undefined) doubts.push(doubtOf(doubt));
  const last = ledger.runs().at(-1);
  return {
    running,
    runs: ledger.runs().length,
    lastRun: last && { at: last.at, ended: last.ended },
    credits: ledger.totals(),
    jobs,
    outputs,
    files: oddFiles(all, question),
    unsaved: unsaved.sort((a, b) => (a.expires < b.expires ? -1 : a.expires > b.expires ? 1 : 0)),
    remote,
    doubts,
    failures: standingFailures(ledger, all).map(failureOf),
  };
}

/** A path counts once, with its newest record: a later result may have replaced an earlier one. */
function oddFiles(
  jobs: readonly JobView[],
  { conditionOf, isStored }: Pick<StatusQuestion, 'conditionOf' | 'isStored'>,
): Status['files'] {
  const odd = new Map<string, { readonly at: string; readonly output: Output; is: Condition }>();
  for (const { at, outputs } of jobs)
    for (const output of outputs) {
      const is = conditionOf(output);
      if (!isHere(is) && (odd.get(output.path)?.at ?? '') < at)
        odd.set(output.path, { at, output, is });
    }
  // A file that one record describes as it is counts as whole, whatever other records say of its path.
  if (odd.size > 0)
    for (const { outputs } of jobs)
      for (const output of outputs)
        if (odd.has(output.path) && isHere(conditionOf(output))) odd.delete(output.path);
  const files = { changed: 0, lost: 0, elsewhere: 0, stored: 0 };
  for (const { output, is } of odd.values()) {
    if (is === 'changed' || is === 'lost' || is === 'elsewhere') files[is] += 1;
    if (is === 'elsewhere' && isStored(output)) files.stored += 1;
  }
  return files;
}

const isHere = (condition: Condition): boolean => condition === 'whole' || condition === 'unread';

function failureOf({ tasks, why, code }: StandingFailure): Failure {
  const advice = adviceFor(code);
  return { task: tasks.join(', '), why, advice };
}

/** A paid result whose address expires within this time is pressing. */
const soonMs = 6 * 3_600_000;
/** interface.md, Project record: an address lasts 24 hours. */
const addressLifetimeMs = 24 * 3_600_000;

function unsavedOf({ tasks, project = '', expires, at }: JobView, until: number): Unsaved {
  const runsOut = expires ?? new Date(Date.parse(at) + addressLifetimeMs).toISOString();
  return { tasks, project, expires: runsOut, soon: Date.parse(runsOut) <= until };
}
