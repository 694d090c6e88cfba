// `schedule`: one process that runs pipelines when they are due, one run at a time for each.

import pLimit from 'p-limit';
import { realPathOr } from '../../base/real-path.ts';
import type { Result } from '../../base/result.ts';
import type { RunOutcome } from '../../core/run-event.ts';
import type { RunInternals } from '../../features/internals.ts';
import type { RunOptions } from '../../features/run/context.ts';
import { type Ran, runWith } from '../../features/run/run.ts';
import { type Places, placesOf, yamlIn } from '../../files/pipeline-files.ts';
import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type Problem, problem, Refusal } from '../../language/load/refusal.ts';
import { isoIn } from '../../language/schedule.ts';
import { chooseTarget } from '../../service-api/target.ts';
import { pathsOf } from '../../state/run-paths.ts';
import type { ScheduleEvent } from '../../views/trigger-events.ts';
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
import {
  absent,
  appearanceOf,
  PipelineFile,
  type PipelineFileStatus,
  type Unusable,
} from '../pipeline-file.ts';
import type { DueDecision } from './due.ts';
import { DueBook, type ScheduledPipeline } from './due-book.ts';

/** The options of every run. */
export type ScheduledRunOptions = Omit<RunOptions, 'due' | LoopOption>;

/** How a run, or the attempt to begin one, ended. */
export type RunEnd = RunOutcome | Problem['reason'];

/** Without `once`, only `signal` ends the operation. */
export interface ScheduleOptions extends TriggerOptions {
  /** The options of every run. `state` and `output` need exactly one pipeline. */
  readonly run?: ScheduledRunOptions;
  /** `--once`: runs what is due now, and returns. */
  readonly once?: boolean | undefined;
  /** Called with everything that happens. */
  readonly onEvent?: (event: ScheduleEvent) => void;
}

export interface Scheduled {
  /** How runs ended, each way once. */
  readonly ends: readonly RunEnd[];
  /** The earliest due time to come, in ISO 8601, in the time zone of its schedule. */
  readonly next?: string;
}

/**
 * Runs pipelines when they are due, until `signal` is aborted; with `once`, runs what is due now and returns.
 * `names`: pipeline files, and folders of them. Without any: the folder `pipelines`, or the working folder.
 *
 * @example
 * ```ts
 * import { schedule } from 'shotlist';
 *
 * const scheduled = await schedule(['pipeline.yaml'], { once: true, run: { rehearse: true } });
 * console.log(scheduled.ends, 'next due at', scheduled.next);
 * ```
 */
export async function schedule(
  names: readonly string[],
  options: ScheduleOptions = {},
): Promise<Scheduled> {
  return await scheduleWith(names, options, {});
}

/** The same, for tests. */
export async function scheduleWith(
  names: readonly string[],
  options: ScheduleOptions,
  internals: RunInternals,
): Promise<Scheduled> {
  const { run = {}, once = false, onEvent = () => undefined } = options;
  const defaulted = settled(options);
  const places = placesOf(names);
  const crash = new AbortController();
  const signal = AbortSignal.any([defaulted.signal, crash.signal]);
  const context: ScheduleContext = {
    ...defaulted,
    signal,
    run,
    once,
    onEvent,
    owners: new Map(),
    start: (pipeline, all) => runWith(pipeline, all, internals),
    inTurn: pLimit(runsAtOnce),
  };
  await refuseUnusable(places, context);
  /** The real paths of the files that have joined. */
  const joined = new Set<string>();
  const schedules: PipelineSchedule[] = [];
  const working: Promise<void>[] = [];
  const bugs: unknown[] = [];
  // The other schedules end in order, and then the error goes on.
  const crashed = (error: unknown): void => {
    bugs.push(error);
    crash.abort();
  };
  do {
    const fresh = filesIn(places).flatMap(({ file, isNamed }) => {
      const real = realPathOr(file);
      if (joined.has(real)) return [];
      joined.add(real);
      return [new PipelineSchedule(file, isNamed, context)];
    });
    schedules.push(...fresh);
    working.push(...fresh.map((one) => one.follow().catch(crashed)));
    if (once || places.folders.length === 0) break;
    await context.clock.sleep(longestWaitMs, signal);
  } while (!signal.aborted);
  await Promise.all(working);
  if (bugs.length > 0) throw bugs[0];
  return outcomeOf(schedules);
}

function outcomeOf(schedules: readonly PipelineSchedule[]): Scheduled {
  const ends = new Set(schedules.flatMap((one) => [...one.ends]));
  const [next] = schedules
    .flatMap(({ next }) => (next === undefined ? [] : [next]))
    .sort((a, b) => a.moment - b.moment);
  return { ends: [...ends], next: next?.due };
}

/** What all pipelines of one `schedule` share. */
interface ScheduleContext extends TriggerContext {
  readonly run: ScheduledRunOptions;
  readonly onEvent: (event: ScheduleEvent) => void;
  /** By state file: the pipeline file that uses it. Two files with one state file would run for each other. */
  readonly owners: Map<string, string>;
}

/** How many pipelines run at once in one process; the others wait. */
const runsAtOnce = 4;

/** Long sleeps are cut, so that a suspended machine, a changed clock and a changed file are noticed. In milliseconds. */
const longestWaitMs = 60_000;

/** The pause before a run that could not begin or be completed is tried again. In milliseconds. */
const pauses = [300_000];
const pausesIfLocked = [60_000];

/** The pipeline files of one `schedule`, as they are now: files that appear in a folder join. */
function filesIn({ files, folders }: Places) {
  const found = folders.flatMap((folder) => {
    const listed = yamlIn(folder);
    // A folder may be away for a while; its files are reported as removed.
    return listed.ok ? listed.value : [];
  });
  return [
    ...files.map((file) => ({ file, isNamed: true })),
    ...found.map((file) => ({ file, isNamed: false })),
  ];
}

/** A file that the user named must be right; in a folder, one with a schedule is enough. */
async function refuseUnusable(places: Places, context: ScheduleContext): Promise<void> {
  const { state, output } = context.run;
  const isOne = places.files.length === 1 && places.folders.length === 0;
  if ((state !== undefined || output !== undefined) && !isOne) {
    const message = '--state and --output need exactly one pipeline file, and no folder';
    throw new Refusal(problem(message));
  }
  let scheduled = 0;
  for (const { file, isNamed } of filesIn(places)) {
    const status = await new PipelineSchedule(file, isNamed, context).file.refresh();
    if (isNamed && (status?.is === 'invalid' || status?.is === 'removed'))
      throw new Refusal(status.problem);
    if (isNamed && status?.is === 'no-schedule')
      throw new Refusal(problem('the pipeline has no schedule', file, advice));
    if (status?.is === 'ready' || status?.is === 'invalid') scheduled += 1;
  }
  if (scheduled > 0) return;
  const folders = places.folders.join(', ');
  throw new Refusal(problem(`no pipeline file in ${folders} has a schedule`, 'shotlist', advice));
}

const advice = 'add, for example, schedule: { cron: "0 7 * * *", time_zone: Europe/Berlin }';

/** One pipeline's schedule: one run at a time, each due time once. */
class PipelineSchedule implements Source<ScheduledPipeline> {
  readonly file: PipelineFile<ScheduledPipeline>;
  readonly problems: Problems;
  readonly longestWaitMs = longestWaitMs;
  readonly ends = new Set<RunEnd>();
  readonly #context: ScheduleContext;
  /** True if the user named the file; false if it was found in a folder, where other YAML files may be. */
  readonly #isNamed: boolean;
  /** True if the user knows that the file counts. */
  #counts: boolean;
  #book: DueBook | undefined;
  /** The due time of the run that could not begin or be completed, and is tried again. */
  #again: number | undefined;
  /** With `once`: later due times are left to the next start. */
  #until: number | undefined;

  constructor(file: string, isNamed: boolean, context: ScheduleContext) {
    const { inputs, profile, env, clock } = context;
    const read = (loaded: Result<LoadedPipeline, Problem>) => this.#read(loaded);
    this.file = new PipelineFile(file, { inputs, profile, env, clock, quietMs: 0 }, read);
    this.problems = new Problems((found) =>
      context.onEvent({ type: 'invalid', file, problem: found }),
    );
    this.#context = context;
    this.#isNamed = isNamed;
    this.#counts = isNamed;
  }

  /** Runs what is due until `stop` is aborted; with `once`, what is due now. */
  async follow(): Promise<void> {
    await follow(this, this.#context);
    if (!this.#context.once) return await this.#book?.save();
    const { status } = this.file;
    const mayBeDue = this.#until === undefined || this.#dueNow !== undefined;
    if (this.#context.signal.aborted && mayBeDue) this.ends.add('interrupted');
    const isUnusable = status?.is === 'invalid' || this.problems.isRefused;
    if (isUnusable && this.ends.size === 0) this.ends.add('input');
  }

  /** The next due time; undefined if there is none. */
  get next(): { readonly moment: number; readonly due: string } | undefined {
    const moment = this.#book?.next;
    if (this.#book === undefined || moment === undefined) return undefined;
    return { moment, due: isoIn(this.#book.pipeline.schedule.timeZone, moment) };
  }

  #read(loaded: Result<LoadedPipeline, Problem>): PipelineFileStatus<ScheduledPipeline> {
    if (!loaded.ok) {
      if (appearanceOf(this.file.file) === absent) return { is: 'removed', problem: loaded.error };
      const counts = this.#isNamed || speaksOfSchedule(loaded.error);
      return counts ? { is: 'invalid', problem: loaded.error } : { is: 'no-schedule' };
    }
    const bound = boundPipeline(loaded.value);
    const { schedule } = bound.pipeline;
    if (schedule === undefined) return { is: 'no-schedule' };
    return { is: 'ready', ready: { bound, schedule, ...this.#placesOf(bound) } };
  }

  #placesOf(bound: BoundPipeline): Pick<ScheduledPipeline, 'paths' | 'service'> {
    const { run, env, owners } = this.#context;
    const { file } = this.file;
    const target = chooseTarget(run, bound, env);
    const paths = pathsOf(bound, target, run);
    const owner = owners.get(paths.state) ?? file;
    owners.set(paths.state, owner);
    const service = target.kind === 'hosted' ? target.address : undefined;
    if (owner === file) return { paths, service };
    const message = `${owner} has the same state file, ${paths.state}`;
    const hint = 'give each pipeline a name of its own with pipeline:, and schedule each file once';
    throw new Refusal(problem(message, file, hint));
  }

  async open(ready: ScheduledPipeline): Promise<void> {
    const { clock, once, onEvent } = this.#context;
    const { file } = this.file;
    // The moment up to which the old schedule was followed: the new one begins there.
    await this.#book?.save();
    const warn = (message: string): void => onEvent({ type: 'notice', file, message });
    this.#book = await DueBook.open(ready, { clock, once, warn });
    this.#counts = true;
    const { service, bound } = ready;
    onEvent({
      type: 'scheduled',
      file,
      pipeline: bound.name,
      next: this.next?.due,
      service,
    });
  }

  unusable(status: Unusable): void {
    const { onEvent } = this.#context;
    const { file } = this.file;
    if (status.is === 'invalid') {
      this.#counts = true;
      onEvent({ type: 'invalid', file, problem: status.problem });
      return;
    }
    if (this.#counts) onEvent({ type: 'unscheduled', file, why: status.is });
    this.#counts = this.#isNamed;
  }

  waitsMs(): readonly number[] {
    const { head, next } = this.#book ?? {};
    const now = head === this.#again ? undefined : head;
    const moments = [now, next].filter((moment) => moment !== undefined);
    return moments.map((moment) => moment - this.#context.clock.now());
  }

  async due(_: ScheduledPipeline, retry: RetryState): Promise<DueRun | undefined> {
    const book = this.#book;
    if (book === undefined) return undefined;
    await book.reread();
    if (this.#again !== undefined && !book.queue.includes(this.#again)) this.#again = undefined;
    this.#reportLeftOut(book, await book.decide(this.#again !== undefined));
    const { once, clock } = this.#context;
    this.#until ??= once ? clock.now() : Number.POSITIVE_INFINITY;
    const due = this.#dueNow;
    if (due === undefined || (due === this.#again && retry === 'waits')) return undefined;
    return {
      pipeline: book.pipeline.bound,
      isDue: async () => {
        await book.reread();
        return book.head === due;
      },
      begin: () => this.#begin(book, due),
      ended: (ran) => this.#ended(book, due, ran),
    };
  }

  /** The due time whose run may begin. */
  get #dueNow(): number | undefined {
    const head = this.#book?.head;
    if (head === undefined) return undefined;
    const { once, clock } = this.#context;
    return head <= (once ? (this.#until ?? 0) : clock.now()) ? head : undefined;
  }

  #begin(book: DueBook, due: number): ReturnType<DueRun['begin']> {
    const { run, onEvent } = this.#context;
    const about = this.#about(book, due);
    if (this.#again !== due) onEvent({ type: 'due', ...about });
    return { ...run, due, onEvent: (event) => onEvent({ type: 'run', ...about, event }) };
  }

  async #ended(book: DueBook, due: number, ran: Result<Ran, Problem>): Promise<Rest> {
    await this.problems.caught(() => book.reread());
    const rest = ran.ok
      ? await this.#ran(book, due, ran.value)
      : await this.#refused(book, due, ran.error);
    this.#reportLeftOut(book, await book.decide(true));
    return rest;
  }

  async #ran(book: DueBook, due: number, { summary, state, output }: Ran): Promise<Rest> {
    const { onEvent } = this.#context;
    const about = this.#about(book, due);
    const open = book.isOpen(due);
    this.ends.add(summary.outcome);
    const rest = await this.#leave(book, due, open ? pauses : undefined);
    const next = this.next?.due;
    onEvent({ type: 'ran', ...about, summary, state, output, open, next });
    if (summary.outcome !== 'unauthorized') return rest;
    onEvent({ type: 'unauthorized', file: about.file });
    return { next: 'paused' };
  }

  async #refused(book: DueBook, due: number, problem: Problem): Promise<Rest> {
    const { onEvent, once } = this.#context;
    const about = this.#about(book, due);
    const open = book.isOpen(due);
    if (problem.reason === 'locked') {
      const waits = open && !once;
      if (waits && this.#again !== due) onEvent({ type: 'locked', ...about });
      if (!waits) onEvent({ type: 'left-out', ...about, why: 'overlap' });
      return await this.#leave(book, due, waits ? pausesIfLocked : undefined);
    }
    this.ends.add(problem.reason);
    const again = open || problem.reason !== 'input';
    onEvent({ type: 'refused', ...about, problem, again });
    return await this.#leave(book, due, again ? pauses : undefined);
  }

  /** Keeps the due time to try it again, or is done with it. With `once`, only a locked state file is worth a pause. */
  async #leave(book: DueBook, due: number, again?: readonly number[]): Promise<Rest> {
    this.#again = again === undefined ? undefined : due;
    if (again === undefined) await book.drop(due);
    if (again === undefined) return { next: 'changes' };
    const waits = !this.#context.once || again === pausesIfLocked;
    return waits ? { next: 'again', pauses: again } : { next: 'end' };
  }

  #reportLeftOut(book: DueBook, { leftOut }: DueDecision): void {
    if (leftOut === undefined) return;
    const { due, why } = leftOut;
    this.#context.onEvent({ type: 'left-out', ...this.#about(book, due), why });
  }

  #about({ pipeline: { bound, schedule } }: DueBook, due: number) {
    return { file: this.file.file, pipeline: bound.name, due: isoIn(schedule.timeZone, due) };
  }
}

/** A broken file in a folder is a pipeline with a schedule if it has that line. */
const speaksOfSchedule = ({ text }: Problem): boolean => /^schedule\s*:/m.test(text ?? '');
