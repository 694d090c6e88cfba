// `schedule`: one process that runs pipelines when they are due, one run at a time for each.

import { realPathOr } from '../../base/real-path.ts';
import type { RunInternals } from '../../features/run/options.ts';
import { runWith } from '../../features/run/run.ts';
import { type Places, placesOf, yamlIn } from '../../files/pipeline-files.ts';
import type { GivenInputs } from '../../language/load/inputs.ts';
import { type Problem, problem, Refusal } from '../../language/load/problem.ts';
import { realClock } from '../../run/clock.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { ScheduleEvent } from '../../views/schedule-event.ts';
import { contextOf, type ScheduleContext, type ScheduledRunOptions } from './context.ts';
import { PipelineFile } from './pipeline-file.ts';
import { longestSleep, PipelineSchedule, type RunEnd } from './pipeline-schedule.ts';

export type { RunEnd, ScheduledRunOptions };

export interface ScheduleOptions {
  /** The options of every run. `state` and `output` need exactly one pipeline. */
  readonly run?: ScheduledRunOptions;
  readonly inputs?: GivenInputs;
  /** `--profile`: every pipeline must have it. */
  readonly profile?: string | undefined;
  /** `--once`: runs what is due now, and returns. */
  readonly once?: boolean | undefined;
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with everything that happens. */
  readonly onEvent?: (event: ScheduleEvent) => void;
  /**
   * If it is aborted, nothing new begins, and requests in flight are completed for at most 8 s; the next start continues
   * from there. Without `once`, nothing else ends the operation.
   */
  readonly signal?: AbortSignal;
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
  const { run = {}, inputs = {}, env = process.env, clock = realClock } = options;
  const { onEvent = () => undefined, signal = new AbortController().signal } = options;
  const places = placesOf(names);
  const crash = new AbortController();
  const stop = AbortSignal.any([signal, crash.signal]);
  const context = contextOf({
    ...{ run, inputs, profile: options.profile, env, clock, stop, onEvent },
    start: (pipeline, all) => runWith(pipeline, all, internals),
  });
  const roster = new Roster(places, context);
  const unusable = await roster.check();
  if (unusable !== undefined) throw new Refusal(unusable);
  const perform = options.once === true ? catchUp : follow;
  const schedules = await perform(roster, context, crash);
  return outcomeOf(schedules);
}

type Follow = (
  roster: Roster,
  context: ScheduleContext,
  crash: AbortController,
) => Promise<readonly PipelineSchedule[]>;

const catchUp: Follow = async (roster, context, crash) => {
  const schedules = roster
    .fresh()
    .map((file) => new PipelineSchedule(file, context, { once: true }));
  const working = schedules.map((one) => guarded(() => context.inTurn(() => one.catchUp()), crash));
  await endOf(working);
  return schedules;
};

/** Until `stop` is aborted. */
const follow: Follow = async (roster, context, crash) => {
  const schedules: PipelineSchedule[] = [];
  const working: Promise<Bug | undefined>[] = [];
  do {
    const fresh = roster
      .fresh()
      .map((file) => new PipelineSchedule(file, context, { once: false }));
    schedules.push(...fresh);
    working.push(...fresh.map((one) => guarded(() => one.follow(), crash)));
    if (!roster.grows) break;
    await context.clock.sleep(longestSleep, context.stop);
  } while (!context.stop.aborted);
  await endOf(working);
  return schedules;
};

interface Bug {
  readonly error: unknown;
}

/** After a bug in one of the schedules, the others end in order, and then the error goes on. */
async function guarded(
  work: () => Promise<void>,
  crash: AbortController,
): Promise<Bug | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    crash.abort();
    return { error };
  }
}

async function endOf(working: readonly Promise<Bug | undefined>[]): Promise<void> {
  for (const bug of await Promise.all(working)) if (bug !== undefined) throw bug.error;
}

function outcomeOf(schedules: readonly PipelineSchedule[]): Scheduled {
  const ends = new Set(schedules.flatMap((one) => [...one.ends]));
  const [next] = schedules
    .flatMap(({ next }) => (next === undefined ? [] : [next]))
    .sort((a, b) => a.moment - b.moment);
  return { ends: [...ends], next: next?.due };
}

// The pipeline files of one `schedule`. Files that appear in a folder join.

class Roster {
  readonly #places: Places;
  readonly #context: ScheduleContext;
  /** The real paths of the files that have joined. */
  readonly #known = new Set<string>();

  constructor(places: Places, context: ScheduleContext) {
    this.#places = places;
    this.#context = context;
  }

  /** True if files may join later. */
  get grows(): boolean {
    return this.#places.folders.length > 0;
  }

  /** The files that are new since the last call. */
  fresh(): readonly PipelineFile[] {
    return this.#all().flatMap(({ file, named }) => {
      const real = realPathOr(file);
      if (this.#known.has(real)) return [];
      this.#known.add(real);
      return [new PipelineFile(file, this.#context, named)];
    });
  }

  /** Why nothing can be scheduled. A file that the user named must be right; in a folder, one with a schedule is enough. */
  async check(): Promise<Problem | undefined> {
    const { run } = this.#context;
    if ((run.state !== undefined || run.output !== undefined) && !this.#isOne)
      return problem('--state and --output need exactly one pipeline file, and no folder');
    let scheduled = 0;
    for (const { file, named } of this.#all()) {
      const status = await new PipelineFile(file, this.#context, named).look();
      if (named && status.is === 'invalid') return status.problem;
      if (named && status.is === 'no-schedule')
        return problem('the pipeline has no schedule', file, advice);
      if (status.is === 'ready' || status.is === 'invalid') scheduled += 1;
    }
    if (scheduled > 0) return undefined;
    const folders = this.#places.folders.join(', ');
    return problem(`no pipeline file in ${folders} has a schedule`, 'shotlist', advice);
  }

  get #isOne(): boolean {
    return this.#places.files.length === 1 && !this.grows;
  }

  #all(): readonly { readonly file: string; readonly named: boolean }[] {
    const { files, folders } = this.#places;
    const found = folders.flatMap((folder) => {
      const listed = yamlIn(folder);
      // A folder may be away for a while; its files are reported as removed.
      return listed.ok ? listed.value : [];
    });
    return [
      ...files.map((file) => ({ file, named: true })),
      ...found.map((file) => ({ file, named: false })),
    ];
  }
}

const advice = 'add, for example, schedule: { cron: "0 7 * * *", time_zone: Europe/Berlin }';
