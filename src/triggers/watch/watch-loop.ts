// The loop of a watch: look at the files, run what is complete, wait until something may have changed. A run decides
// itself what is to be done for its files, so a run too many costs nothing.

import { statSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { isSystemProblem, systemCode } from '../../base/system-error.ts';
import { isWithin } from '../../base/within.ts';
import { selectionOf } from '../../features/plan/item-selection.ts';
import { listSelected } from '../../features/plan/list-items.ts';
import type { FolderWatch } from '../../files/folder-watch.ts';
import type { ItemFilter } from '../../files/items.ts';
import { boundaryOf } from '../../files/pipeline-boundary.ts';
import { isExclusion } from '../../language/items.ts';
import { type Problem, Refusal, renderProblem, resultOf } from '../../language/load/problem.ts';
import type { Step } from '../../language/pipeline.ts';
import { commonBase, type Item } from '../../model/item.ts';
import { Ledger } from '../../model/ledger.ts';
import { Arrivals, type Sighting, type Standing } from '../../plan/arrivals.ts';
import type { RunEvent, Summary } from '../../run/run-event.ts';
import type { BatchReason } from '../../views/watch-event.ts';
import type { WatchContext, WatchedRunOptions } from './context.ts';
import { type ReadyPipeline, WatchedPipeline } from './watched-pipeline.ts';

/** A drained run must end well before a supervisor loses its patience at 10 s. */
const graceMs = 8000;
/** How much longer complete files wait for others of their batch than each file for itself. */
const patience = 5;

export interface Watched {
  /** The number of runs. */
  readonly runs: number;
  /** Credits that they were charged, minus refunds. */
  readonly credits: number;
  /** Why the watch ended. `interrupted`: in the middle of a run, which the next start continues. */
  readonly outcome: 'stopped' | 'interrupted' | 'unauthorized';
}

export class WatchLoop {
  readonly #c: WatchContext;
  readonly #pipeline: WatchedPipeline;
  readonly #arrivals: Arrivals;
  #ready: ReadyPipeline | undefined;
  #watch: FolderWatch | undefined;
  /** True if the pipeline file has changed since the last run. */
  #isChanged = false;
  #again: { readonly at: number; readonly times: number } | undefined;
  #paused = false;
  #runs = 0;
  #credits = 0;
  #lastProblem = '';
  #isBudgetTold = false;

  constructor(context: WatchContext) {
    this.#c = context;
    this.#pipeline = new WatchedPipeline(context);
    const { settleMs } = context;
    this.#arrivals = new Arrivals({ settleMs, patienceMs: patience * settleMs });
  }

  /** Fails only if the pipeline cannot be used from the start. */
  async follow(): Promise<Watched> {
    const { stop } = this.#c;
    try {
      const unusable = await this.#refresh();
      if (unusable !== undefined) throw new Refusal(unusable);
      let outcome: Watched['outcome'] = 'stopped';
      while (!stop.aborted && outcome === 'stopped') {
        const standing = await this.#look();
        const why = standing === undefined ? undefined : this.#reason(standing);
        if (standing === undefined || why === undefined) await this.#wait(standing);
        else outcome = await this.#run(why, standing);
        if (!stop.aborted) await this.#refresh();
      }
      return { runs: this.#runs, credits: this.#credits, outcome };
    } finally {
      await this.#watch?.close();
    }
  }

  /** Takes up a new or changed pipeline file; returns why it cannot be used. */
  async #refresh(): Promise<Problem | undefined> {
    const { file, onEvent } = this.#c;
    const isFirst = this.#runs === 0 && this.#watch === undefined;
    const refreshed = await resultOf(() => this.#pipeline.refresh());
    if (!refreshed.ok) {
      this.#ready = undefined;
      if (!isFirst) onEvent({ type: 'invalid', problem: refreshed.error });
      return refreshed.error;
    }
    const ready = refreshed.value;
    if (ready === undefined) return undefined;
    this.#ready = ready;
    this.#paused = false;
    this.#again = undefined;
    this.#isChanged = this.#watch !== undefined;
    this.#arrivals.forgive();
    await this.#watch?.close();
    this.#watch = openFolderWatch(ready, this.#c);
    const files = await this.#look();
    if (files === undefined) return undefined;
    const { added, changed: other, settling } = files;
    const { name } = ready.bound;
    const glob = ready.patterns.join(', ');
    onEvent({ type: 'watching', file, pipeline: name, glob, files: added + other + settling });
    return undefined;
  }

  /** Undefined if there is nothing to look at. */
  async #look(): Promise<Standing | undefined> {
    const { clock, run } = this.#c;
    const ready = this.#ready;
    if (ready === undefined) return undefined;
    const elapsed = clock.elapsed();
    const found = await resultOf(() => sightings(ready, run, clock.now()));
    if (!found.ok) {
      this.#tell(found.error);
      return undefined;
    }
    this.#arrivals.look(found.value, elapsed);
    return this.#arrivals.standing(elapsed);
  }

  #reason({ ready }: Standing): BatchReason | undefined {
    const { clock } = this.#c;
    if (this.#paused) return undefined;
    if (this.#isChanged) return 'pipeline';
    if (ready) return 'files';
    if (this.#again !== undefined && clock.now() >= this.#again.at) return 'again';
    return undefined;
  }

  async #run(why: BatchReason, standing: Standing): Promise<Watched['outcome']> {
    const { run, env, clock, stop, onEvent, start } = this.#c;
    const ready = this.#ready;
    if (ready === undefined) return 'stopped';
    const keys = this.#arrivals.selection(clock.elapsed());
    const end = this.#arrivals.take(keys);
    this.#isChanged = false;
    const times = this.#again?.times ?? 0;
    this.#again = undefined;
    if (keys.size === 0) return 'stopped';
    const { added, changed, settling } = standing;
    const { failed } = this.#arrivals;
    onEvent({ type: 'batch', why, added, changed, items: keys.size, settling, failed });
    const failures = new FailedItems(ready.bound.pipeline.steps);
    const ran = await resultOf(() =>
      start(ready.bound, {
        ...run,
        items: filterFor(run, keys),
        ...(run.budget === undefined ? {} : { budget: Math.max(0, run.budget - this.#credits) }),
        ...{ env, signal: stop, graceMs },
        onEvent: (event) => {
          failures.hear(event);
          onEvent({ type: 'run', event });
        },
      }),
    );
    this.#runs += 1;
    end(failures.waiting);
    if (!ran.ok) {
      await this.#refused(ran.error, keys, times);
      return 'stopped';
    }
    const { summary, pipeline, state, output } = ran.value;
    this.#credits += summary.credits.charged - summary.credits.refunded;
    const removed = failures.all.size === 0 ? 0 : await this.#removed(failures.all);
    onEvent({ type: 'ran', summary, pipeline, state, output, removed });
    this.#lastProblem = '';
    if (summary.outcome === 'unauthorized') return 'unauthorized';
    if (summary.outcome === 'interrupted') return 'interrupted';
    this.#goOn(summary, failures.hasUnsaved, times);
    return 'stopped';
  }

  /** What a run left is tried again, or waits. */
  #goOn(summary: Summary, hasUnsaved: boolean, times: number): void {
    const { onEvent, run } = this.#c;
    if (run.budget !== undefined && this.#credits >= run.budget && !this.#isBudgetTold) {
      this.#isBudgetTold = true;
      const message = `--budget ${run.budget} is used up: nothing more is bought until you start watch again`;
      onEvent({ type: 'notice', message });
    }
    const rest = restOf(summary, hasUnsaved);
    switch (rest.next) {
      case 'never':
        this.#paused = true;
        return onEvent({ type: 'paused', why: rest.why });
      case 'at':
        return this.#tryAgain(rest.at, 0);
      case 'again': {
        // Progress begins the pauses again.
        const failures = summary.tasks.done > 0 ? 0 : times;
        return this.#tryAgain(this.#c.clock.now() + pauseBefore(failures), failures + 1);
      }
      case 'changes':
        return;
    }
  }

  #tryAgain(at: number, times: number): void {
    this.#again = { at, times };
    this.#c.onEvent({ type: 'again', at: new Date(at).toISOString() });
  }

  /** If files were removed since the run was planned, that may be the cause, and the rest runs at once. */
  async #refused(problem: Problem, keys: ReadonlySet<string>, times: number): Promise<void> {
    const { clock, stop } = this.#c;
    if (stop.aborted) return;
    if (problem.reason === 'input' && (await this.#removed(keys)) > 0) {
      this.#again = { at: clock.now(), times };
      return;
    }
    this.#tell(problem);
    this.#tryAgain(clock.now() + pauseBefore(times), times + 1);
  }

  /** How many of these files are gone. */
  async #removed(keys: ReadonlySet<string>): Promise<number> {
    await this.#look();
    return [...keys].filter((key) => !this.#arrivals.has(key)).length;
  }

  /** A problem that stays is reported once. */
  #tell(problem: Problem): void {
    const text = renderProblem(problem);
    if (text === this.#lastProblem) return;
    this.#lastProblem = text;
    this.#c.onEvent({ type: 'refused', problem });
  }

  /** Until something may have changed, or it is time for another look. */
  async #wait(standing: Standing | undefined): Promise<void> {
    const { clock, stop, pollMs, settleMs } = this.#c;
    const [elapsed, now] = [clock.elapsed(), clock.now()];
    const delays = [
      pollMs,
      standing?.nextAt === undefined ? pollMs : standing.nextAt - elapsed,
      this.#pipeline.nextAt === undefined ? pollMs : this.#pipeline.nextAt - elapsed,
      this.#again === undefined || this.#paused ? pollMs : this.#again.at - now,
    ];
    const over = new AbortController();
    const signal = AbortSignal.any([stop, over.signal]);
    await Promise.race([
      clock.sleep(Math.max(1, Math.ceil(Math.min(...delays))), signal),
      this.#watch?.changed(signal) ?? clock.sleep(pollMs, signal),
    ]);
    over.abort();
    // Thousands of files that arrive together are one look, not thousands.
    if (!stop.aborted) await clock.sleep(Math.min(500, settleMs / 4), stop);
  }
}

// What a run of a watch leaves: which files wait until they change, and when the rest is tried again.

/** Collects the items that failed, from the events of a run. */
export class FailedItems {
  readonly #downloads: ReadonlySet<string>;
  readonly #failed = new Set<string>();
  readonly #unsaved = new Set<string>();

  constructor(steps: readonly Step[]) {
    const downloads = steps.filter(({ kind }) => kind.operation === 'download');
    this.#downloads = new Set(downloads.map(({ name }) => name));
  }

  hear(event: RunEvent): void {
    if (event.type !== 'task' || event.ending !== 'failed') return;
    const { item } = event;
    if (item === undefined) return;
    (this.#downloads.has(event.step) ? this.#unsaved : this.#failed).add(item);
  }

  /**
   * Items that wait until their file changes. An item with a paid result that could not be saved is not among them: to
   * save it is free, and the result may expire.
   */
  get waiting(): ReadonlySet<string> {
    return new Set([...this.#failed].filter((item) => !this.#unsaved.has(item)));
  }

  get all(): ReadonlySet<string> {
    return new Set([...this.#failed, ...this.#unsaved]);
  }

  get hasUnsaved(): boolean {
    return this.#unsaved.size > 0;
  }
}

/**
 * What to do about the rest of a run. `again`: try after a pause. `at`: at this moment, epoch milliseconds. `changes`:
 * when files change. `never`: when a person has acted.
 */
type Rest =
  | { readonly next: 'again' | 'changes' }
  | { readonly next: 'at'; readonly at: number }
  | { readonly next: 'never'; readonly why: string };

export function restOf(summary: Summary, hasUnsaved: boolean): Rest {
  const { stoppedBy, resumesAt, stopped = '', tasks } = summary;
  switch (stoppedBy) {
    case 'outage':
    case 'machine':
    case 'credits':
      return { next: 'again' };
    case 'budget':
      // Another run at once would make the budget of a run meaningless.
      return resumesAt === undefined
        ? { next: 'changes' }
        : { next: 'at', at: Date.parse(resumesAt) };
    case 'failures':
    // Each try may leave another creation in doubt.
    case 'unanswered':
      return { next: 'never', why: stopped };
    default:
      return { next: tasks.pending > 0 || hasUnsaved ? 'again' : 'changes' };
  }
}

const first = 60_000;
const longest = 15 * 60_000;

/** The pause before the rest is tried again, in milliseconds. `times`: how often it was tried without success. */
export const pauseBefore = (times: number): number => Math.min(longest, first * 2 ** times);

// What a watch listens to: the folder of its files, the pipeline file and what it includes, without what its own runs write.

function openFolderWatch(
  { bound, paths, patterns }: ReadyPipeline,
  { file, pollMs, onEvent, watchFolders }: WatchContext,
): FolderWatch {
  const folder = resolve(bound.folder, commonBase(patterns.filter((one) => !isExclusion(one))));
  // If the watched folder is inside the output folder, the files in it are not outputs.
  const own = [paths.ownFolder, paths.output].filter((path) => !isWithin(folder, path));
  const included = new Set(Object.keys(bound.included).map((name) => resolve(name)));
  // A folder reports a file that is removed and written again; of these folders, nothing else counts.
  const besides = new Set([...included].map(dirname));
  const isBeside = (path: string): boolean =>
    besides.has(dirname(path)) && !included.has(path) && path !== resolve(file);
  return watchFolders({
    paths: [folder, resolve(file), ...besides],
    ignores: (path) =>
      own.some((one) => isWithin(path, one)) ||
      (isBeside(path) && !isWithin(path, folder) && !isWithin(folder, path)) ||
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

// The files of a watch: those that a run would find, and how each looks.

/** The filter of every run of a watch; `keys`: the files that may be in the run. */
const filterFor = ({ items }: WatchedRunOptions, keys?: ReadonlySet<string>): ItemFilter => ({
  ...items,
  growing: true,
  keys,
});

/** `now` is the wall clock, in epoch milliseconds. */
async function sightings(
  { bound, paths }: ReadyPipeline,
  options: WatchedRunOptions,
  now: number,
): Promise<readonly Sighting[]> {
  const selection = selectionOf(bound.pipeline, { ...options, items: filterFor(options) });
  const boundary = boundaryOf(bound, options);
  // A watch leaves failures out by itself, so it needs no ledger.
  using items = await listSelected(bound, paths, selection, {
    ...{ boundary, ledger: new Ledger() },
  });
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
