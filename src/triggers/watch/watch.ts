// `watch`: one process that runs a pipeline when files arrive in its folder or change there.

import { statSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { isWithin } from '../../base/real-path.ts';
import type { Result } from '../../base/result.ts';
import { isSystemProblem, systemCode } from '../../base/system-error.ts';
import type { Clock } from '../../core/ports.ts';
import type { RunEvent, Summary } from '../../core/run-event.ts';
import type { RunInternals } from '../../features/internals.ts';
import { listSelected, selectionOf } from '../../features/planning/selected-items.ts';
import type { RunOptions } from '../../features/run/context.ts';
import { type Ran, runWith } from '../../features/run/run.ts';
import { boundaryOf } from '../../files/boundary.ts';
import { type FolderWatch, watchFolders } from '../../files/folder-watch.ts';
import type { ItemFilter } from '../../files/items.ts';
import { isExclusion } from '../../language/items.ts';
import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type Problem, problem, Refusal, valueOrThrow } from '../../language/load/refusal.ts';
import type { Step } from '../../language/pipeline.ts';
import { commonBase, type Item } from '../../model/item.ts';
import { chooseTarget } from '../../service-api/target.ts';
import { pathsOf, type RunPaths } from '../../state/run-paths.ts';
import type { BatchReason, WatchEvent } from '../../views/trigger-events.ts';
import {
  type DueRun,
  follow,
  type LoopOption,
  Problems,
  type Rest,
  type RetryState,
  type Source,
  settled,
  type TriggerContext,
  type TriggerOptions,
} from '../follow.ts';
import { PipelineFile, type PipelineFileStatus, type Unusable } from '../pipeline-file.ts';
import { Arrivals, type Sighting, type Standing } from './arrivals.ts';

/** The options of every run. `budget` covers all runs of the watch together. */
export type WatchedRunOptions = Omit<RunOptions, 'items' | 'payAgain' | LoopOption> & {
  /** Only files whose keys match this glob. */
  readonly items?: Pick<ItemFilter, 'only'> | undefined;
};

/** For tests. */
export interface WatchInternals {
  readonly run?: RunInternals;
  /** The clock of the runs, if it is another one. */
  readonly runClock?: Clock;
}

/** Only `signal` and a refused key end the operation. */
export interface WatchOptions extends TriggerOptions {
  /** The options of every run. */
  readonly run?: WatchedRunOptions;
  /** How long a file must look the same before it counts as complete, in milliseconds; default 2000. */
  readonly settleMs?: number | undefined;
  /** How often to look for changes that the system did not report, in milliseconds; default 60,000. */
  readonly pollMs?: number | undefined;
  /** Called with everything that happens. */
  readonly onEvent?: (event: WatchEvent) => void;
}

export interface Watched {
  /** The number of runs. */
  readonly runs: number;
  /** Credits that they were charged, minus refunds. */
  readonly credits: number;
  /** Why the watch ended. `interrupted`: in the middle of a run, which the next start continues. */
  readonly outcome: 'stopped' | 'interrupted' | 'unauthorized';
}

/**
 * Runs a pipeline when files arrive in its folder or change there, until `signal` is aborted or the service refuses the key.
 * `file`: the pipeline file. The error says why it cannot be used; later problems are events.
 *
 * @example
 * ```ts
 * import { watch } from 'shotlist';
 *
 * const stop = new AbortController();
 * const watched = await watch('pipeline.yaml', {
 *   run: { rehearse: true, rehearsalPictures: 'plain' },
 *   signal: stop.signal,
 *   onEvent: (event) => {
 *     if (event.type === 'ran') stop.abort(); // one run is enough here
 *   },
 * });
 * console.log(watched.runs, 'runs');
 * ```
 */
export async function watch(file: string, options: WatchOptions = {}): Promise<Watched> {
  return await watchWith(file, options, {});
}

/** The same, for tests. */
export async function watchWith(
  file: string,
  options: WatchOptions,
  internals: WatchInternals,
): Promise<Watched> {
  const { run = {}, settleMs = 2000, pollMs = 60_000, onEvent = () => undefined } = options;
  if (!(settleMs >= 0 && pollMs > 0))
    throw new Refusal(problem('settleMs and pollMs must be times in milliseconds'));
  const context: WatchContext = {
    ...settled(options),
    run,
    settleMs,
    pollMs,
    onEvent,
    once: false,
    start: (pipeline, all) => {
      const clock = internals.runClock ?? all.clock;
      return runWith(pipeline, { ...all, clock }, internals.run ?? {});
    },
    inTurn: (work) => work(),
  };
  const watched = new WatchedFolder(file, context);
  try {
    await follow(watched, context);
    return watched.result;
  } finally {
    await watched.close();
  }
}

interface WatchContext extends TriggerContext {
  readonly run: WatchedRunOptions;
  readonly settleMs: number;
  readonly pollMs: number;
  readonly onEvent: (event: WatchEvent) => void;
}

interface ReadyFolder {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  /** The patterns of `items.glob`. */
  readonly patterns: readonly string[];
}

/** A changed pipeline file is read when it has looked the same for so long, in milliseconds. */
const quietMs = 500;
/** How much longer complete files wait for others of their batch than each file for itself. */
const patience = 5;
/** The pauses before the rest is tried again, in milliseconds. */
const pauses = [1, 2, 4, 8, 15].map((minutes) => minutes * 60_000);

/** The folder of a pipeline's files, which are due when they are complete. */
class WatchedFolder implements Source<ReadyFolder> {
  readonly file: PipelineFile<ReadyFolder>;
  readonly problems: Problems;
  readonly longestWaitMs: number;
  readonly #context: WatchContext;
  /** Why runs did not begin. */
  readonly #refusals: Problems;
  readonly #arrivals: Arrivals;
  #watch: FolderWatch | undefined;
  #standing: Standing | undefined;
  /** True if the pipeline file has changed since the last run. */
  #isChanged = false;
  #runs = 0;
  #credits = 0;
  #outcome: Watched['outcome'] = 'stopped';
  #isBudgetReported = false;

  constructor(file: string, context: WatchContext) {
    const { inputs, profile, env, clock, settleMs, pollMs, onEvent } = context;
    const read = (loaded: Result<LoadedPipeline, Problem>) => this.#read(loaded);
    this.file = new PipelineFile(file, { inputs, profile, env, clock, quietMs }, read);
    const report = (refused: Problem): void => onEvent({ type: 'refused', problem: refused });
    this.problems = new Problems(report);
    this.#refusals = new Problems(report);
    this.#context = context;
    this.longestWaitMs = pollMs;
    this.#arrivals = new Arrivals({ settleMs, patienceMs: patience * settleMs });
  }

  get result(): Watched {
    return { runs: this.#runs, credits: this.#credits, outcome: this.#outcome };
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }

  #read(loaded: Result<LoadedPipeline, Problem>): PipelineFileStatus<ReadyFolder> {
    const { run, env } = this.#context;
    const bound = boundPipeline(valueOrThrow(loaded));
    const { items } = bound.pipeline;
    if (items.kind !== 'glob') throw new Refusal(notFiles(bound));
    const target = chooseTarget(run, bound, env);
    const paths = pathsOf(bound, target, run);
    return { is: 'ready', ready: { bound, paths, patterns: items.patterns } };
  }

  async open(ready: ReadyFolder): Promise<void> {
    const { file } = this.file;
    this.#isChanged = this.#watch !== undefined;
    this.#arrivals.forgive();
    await this.close();
    this.#watch = openFolderWatch(ready, file, this.#context);
    const { added, changed, settling } = await this.#look(ready);
    const { name } = ready.bound;
    const glob = ready.patterns.join(', ');
    const files = added + changed + settling;
    this.#context.onEvent({ type: 'watching', file, pipeline: name, glob, files });
  }

  /** Refuses if the pipeline cannot be used from the start. */
  unusable(status: Unusable): void {
    if (status.is === 'no-schedule') return;
    if (this.#watch === undefined) throw new Refusal(status.problem);
    this.#context.onEvent({ type: 'invalid', problem: status.problem });
  }

  async #look(ready: ReadyFolder): Promise<Standing> {
    const { clock, run } = this.#context;
    const elapsed = clock.elapsed();
    this.#arrivals.look(await sightings(ready, run, clock.now()), elapsed);
    this.#standing = this.#arrivals.standing(elapsed);
    return this.#standing;
  }

  async due(ready: ReadyFolder, retry: RetryState): Promise<DueRun | undefined> {
    const standing = await this.#look(ready);
    if (!this.#isChanged && !standing.ready && retry !== 'due') return undefined;
    const why = this.#isChanged ? 'pipeline' : standing.ready ? 'files' : 'again';
    const keys = this.#arrivals.selection(this.#context.clock.elapsed());
    if (keys.size === 0) {
      this.#isChanged = false;
      return undefined;
    }
    return this.#runOf(ready, why, { standing, keys });
  }

  #runOf(
    ready: ReadyFolder,
    why: BatchReason,
    { standing, keys }: { readonly standing: Standing; readonly keys: ReadonlySet<string> },
  ): DueRun {
    const { run, onEvent } = this.#context;
    const failures = new FailedItems();
    let taken: ReturnType<Arrivals['take']> | undefined;
    return {
      pipeline: ready.bound,
      begin: () => {
        taken = this.#arrivals.take(keys);
        this.#isChanged = false;
        const { added, changed, settling } = standing;
        const { failed } = this.#arrivals;
        onEvent({ type: 'batch', why, added, changed, items: keys.size, settling, failed });
        const budget =
          run.budget === undefined ? undefined : Math.max(0, run.budget - this.#credits);
        return {
          ...run,
          items: filterFor(run, keys),
          budget,
          onEvent: (event) => {
            failures.hear(event, ready.bound.pipeline.steps);
            onEvent({ type: 'run', event });
          },
        };
      },
      ended: async (ran) => {
        this.#runs += 1;
        taken?.(failures.waiting);
        return ran.ok
          ? await this.#ran(ready, ran.value, failures)
          : await this.#refused(ready, ran.error, keys);
      },
    };
  }

  async #ran(ready: ReadyFolder, ran: Ran, failures: FailedItems): Promise<Rest> {
    const { run, onEvent } = this.#context;
    const { summary, pipeline, state, output } = ran;
    this.#credits += summary.credits.charged - summary.credits.refunded;
    const removed = failures.all.size === 0 ? 0 : await this.#removed(ready, failures.all);
    onEvent({ type: 'ran', summary, pipeline, state, output, removed });
    this.#refusals.clear();
    const { outcome } = summary;
    if (outcome === 'unauthorized' || outcome === 'interrupted') {
      this.#outcome = outcome;
      return { next: 'end' };
    }
    if (run.budget !== undefined && this.#credits >= run.budget && !this.#isBudgetReported) {
      this.#isBudgetReported = true;
      const message = `--budget ${run.budget} is used up: nothing more is bought until you start watch again`;
      onEvent({ type: 'notice', message });
    }
    const rest = restOf(summary, failures.unsaved.size > 0);
    if (rest.next === 'paused') onEvent({ type: 'paused', why: summary.stopped ?? '' });
    return rest;
  }

  /** If files were removed since the run was planned, that may be the cause, and the rest runs at once. */
  async #refused(ready: ReadyFolder, refused: Problem, keys: ReadonlySet<string>): Promise<Rest> {
    if (this.#context.signal.aborted) return { next: 'changes' };
    if (refused.reason === 'input' && (await this.#removed(ready, keys)) > 0)
      return { next: 'now' };
    this.#refusals.report(refused);
    return { next: 'again', pauses };
  }

  /** How many of these files are gone. */
  async #removed(ready: ReadyFolder, keys: ReadonlySet<string>): Promise<number> {
    await this.problems.caught(() => this.#look(ready));
    return [...keys].filter((key) => !this.#arrivals.has(key)).length;
  }

  retriesAt(at: number): void {
    this.#context.onEvent({ type: 'again', at: new Date(at).toISOString() });
  }

  waitsMs(): readonly number[] {
    const nextAt = this.#standing?.nextAt;
    return nextAt === undefined ? [] : [nextAt - this.#context.clock.elapsed()];
  }

  async changed(signal: AbortSignal): Promise<void> {
    const { clock, settleMs } = this.#context;
    await this.#watch?.changed(signal);
    // Thousands of files that arrive together are one look, not thousands.
    await clock.sleep(Math.min(500, settleMs / 4), signal);
  }
}

const otherItems: Readonly<Record<BoundPipeline['pipeline']['items']['kind'], string>> = {
  one: 'has no items',
  glob: '',
  values: 'lists its items as values',
  csv: 'takes its items from a table',
  jsonl: 'takes its items from a table',
  matrix: 'takes its items from a matrix',
};

function notFiles({ pipeline, file }: BoundPipeline): Problem {
  const { source, items } = pipeline;
  const found = otherItems[items.kind];
  const message = `watch follows the files of items.glob, and this pipeline ${found}`;
  const hint = 'write items: { glob: "photos/*.jpg" }, or use shotlist run';
  const span = source.keySpanOf([items.kind === 'one' ? 'pipeline' : 'items']);
  return {
    reason: 'input',
    text: source.text,
    diagnostics: [{ severity: 'error', code: 'SL504', file, span, message, hint }],
  };
}

/** Collects the items that failed, from the events of a run. */
export class FailedItems {
  readonly all = new Set<string>();
  /** Items with a paid result that could not be saved: to save it is free, and the result may expire. */
  readonly unsaved = new Set<string>();

  hear(event: RunEvent, steps: readonly Step[]): void {
    if (event.type !== 'task' || event.ending !== 'failed' || event.item === undefined) return;
    this.all.add(event.item);
    const step = steps.find(({ name }) => name === event.step);
    if (step?.kind.operation === 'download') this.unsaved.add(event.item);
  }

  /** The items that wait until their file changes. */
  get waiting(): ReadonlySet<string> {
    return new Set([...this.all].filter((item) => !this.unsaved.has(item)));
  }
}

/** A run decides what is still to be done; this decides when. */
export function restOf(summary: Summary, hasUnsaved: boolean): Rest {
  const { stoppedBy, resumesAt, tasks } = summary;
  const again: Rest = { next: 'again', pauses, progress: tasks.done > 0 };
  switch (stoppedBy) {
    case 'outage':
    case 'machine':
    case 'credits':
      return again;
    case 'budget':
      // Another run at once would make the budget of a run meaningless.
      return resumesAt === undefined
        ? { next: 'changes' }
        : { next: 'at', at: Date.parse(resumesAt) };
    case 'failures':
    // Each try may leave another creation in doubt.
    case 'unanswered':
      return { next: 'paused' };
    default:
      return tasks.pending > 0 || hasUnsaved ? again : { next: 'changes' };
  }
}

// A watch listens to the folder of its files and to the pipeline file, but not to what its own runs write.

function openFolderWatch(
  { bound, paths, patterns }: ReadyFolder,
  file: string,
  { pollMs, onEvent }: WatchContext,
): FolderWatch {
  const folder = resolve(bound.folder, commonBase(patterns.filter((one) => !isExclusion(one))));
  // If the watched folder is inside the output folder, the files in it are not outputs.
  const own = [paths.ownFolder, paths.output].filter((path) => !isWithin(folder, path));
  return watchFolders({
    paths: [folder, resolve(file)],
    ignores: (path) =>
      own.some((one) => isWithin(path, one)) ||
      isStateFile(path, paths.state) ||
      path.split(sep).includes('.git'),
    onProblem: (why) => {
      const message = `not every change is reported: ${why}; watch looks for changes every ${pollMs / 1000} s`;
      onEvent({ type: 'notice', message });
    },
  });
}

/** The state file, and the files that a run keeps beside it. */
function isStateFile(path: string, state: string): boolean {
  if (dirname(path) !== dirname(state)) return false;
  const [name, own] = [basename(path), basename(state)];
  return name.startsWith(own) || name.startsWith(`.${own}`);
}

// The files of a watch: those that a run would find, with the size and the times of each.

/** The filter of every run of a watch; `keys`: the files that may be in the run. */
const filterFor = ({ items }: WatchedRunOptions, keys?: ReadonlySet<string>): ItemFilter => ({
  ...items,
  growing: true,
  keys,
});

/** `now` is the wall clock, in epoch milliseconds. */
async function sightings(
  { bound, paths }: ReadyFolder,
  options: WatchedRunOptions,
  now: number,
): Promise<readonly Sighting[]> {
  const { filter } = selectionOf(bound.pipeline, { ...options, items: filterFor(options) });
  const boundary = boundaryOf(bound, options);
  using items = await listSelected(bound, paths, filter, { boundary });
  return [...items].flatMap((item) => sightingOf(item, bound.folder, now) ?? []);
}

/** Undefined if the file is gone by now. */
function sightingOf({ key, fields }: Item, folder: string, now: number): Sighting | undefined {
  const path = resolve(folder, String(fields['path']));
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { size, mtimeMs, ctimeMs, ino } = stats;
    const stamp = `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
    return { key, stamp, age: now - Math.max(mtimeMs, ctimeMs) };
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    // The run says why it cannot be read.
    return { key, stamp: systemCode(error) ?? '', age: 0 };
  }
}
