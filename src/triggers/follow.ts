// The loop that starts runs by itself: follow the pipeline file, ask a source what is due, run it, hear how it ended, and look
// again in time. A schedule and a watched folder are its sources. A run decides itself what is to be done, so a run too many
// costs nothing.

import type { Result } from '../base/result.ts';
import { realClock } from '../core/clock.ts';
import type { Clock } from '../core/ports.ts';
import type { RunOptions } from '../features/run/context.ts';
import type { Ran } from '../features/run/run.ts';
import type { GivenInputs } from '../language/load/inputs.ts';
import type { LoadedPipeline } from '../language/load/loaded-pipeline.ts';
import { type Problem, renderProblem, resultOf } from '../language/load/refusal.ts';
import type { PipelineFile, Unusable } from './pipeline-file.ts';

/** What `schedule` and `watch` are both given. */
export interface TriggerOptions {
  readonly inputs?: GivenInputs;
  /** `--profile`: one of the `profiles:` of every pipeline. */
  readonly profile?: string | undefined;
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /**
   * If it is aborted, nothing new begins, and requests in flight are completed for at most 8 s; the next start continues
   * from there.
   */
  readonly signal?: AbortSignal;
}

/** The options of a run that the loop sets. */
export type LoopOption = 'listen' | 'signal' | 'graceMs' | 'env' | 'clock' | 'onEvent';

/** The options with their defaults. */
export function settled(options: TriggerOptions) {
  const { inputs = {}, profile, env = process.env, clock = realClock } = options;
  const { signal = new AbortController().signal } = options;
  return { inputs, profile, env, clock, signal };
}

export interface TriggerContext extends ReturnType<typeof settled> {
  /** The operation `run`. */
  readonly start: (pipeline: LoadedPipeline, options: RunOptions) => Promise<Ran>;
  /** Waits for one of the few places for runs, then runs. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** The loop ends when nothing is due. */
  readonly once: boolean;
}

/** What makes runs of one pipeline file due. */
export interface Source<Ready> {
  readonly file: PipelineFile<Ready>;
  /** The problems of `open` and `due`. */
  readonly problems: Problems;
  /** The longest time between two looks, in milliseconds. */
  readonly longestWaitMs: number;
  /** The file is new or has changed, and can be used. Called again at the next look if it is refused. */
  open(ready: Ready): Promise<void>;
  /** The file cannot be used any more. */
  unusable(status: Unusable): void;
  /** The run that is due now. */
  due(ready: Ready, retry: RetryState): Promise<DueRun | undefined>;
  /** The times until something may be due by itself that was not due at the last look, in milliseconds. */
  waitsMs(): readonly number[];
  /** Resolves when something may be due earlier than that, or when the signal is aborted. */
  changed?(signal: AbortSignal): Promise<void>;
  /** What a run left is tried again at this moment, in epoch milliseconds. */
  retriesAt?(at: number): void;
}

/** Whether what an earlier run left is tried again. */
export type RetryState = 'none' | 'waits' | 'due';

export interface DueRun {
  readonly pipeline: LoadedPipeline;
  /** False if somebody else has seen to it. */
  isDue?(): Promise<boolean>;
  /** Reports that the run begins. */
  begin(): Omit<RunOptions, Exclude<LoopOption, 'onEvent'>>;
  /** Reports how the run ended, or why it did not begin. */
  ended(ran: Result<Ran, Problem>): Promise<Rest>;
}

/**
 * What a run leaves to do.
 * - `changes`: nothing, until something is due.
 * - `again`: the rest is tried again after a pause, which grows from try to try; `progress` begins the pauses again.
 * - `at`: the rest is tried again at this moment, in epoch milliseconds.
 * - `now`: the rest is tried again at once.
 * - `paused`: nothing runs until the pipeline file changes.
 * - `end`: nothing more, the loop ends.
 */
export type Rest =
  | { readonly next: 'changes' | 'now' | 'paused' | 'end' }
  | { readonly next: 'again'; readonly pauses: readonly number[]; readonly progress?: boolean }
  | { readonly next: 'at'; readonly at: number };

/** A run that is stopped must end well before a supervisor loses its patience at 10 s. In milliseconds. */
export const graceMs = 8000;

/** Follows a pipeline file until `signal` is aborted, or until the source ends it. */
export async function follow<Ready>(source: Source<Ready>, context: TriggerContext): Promise<void> {
  await new Loop(source, context).follow();
}

class Loop<Ready> {
  readonly #source: Source<Ready>;
  readonly #context: TriggerContext;
  /** True if the source has taken up the file as it is. */
  #isOpen = false;
  /** What an earlier run left. `times`: how often it was tried without success. */
  #retry: { readonly at: number; readonly times: number } | undefined;
  #isPaused = false;
  #isOver = false;
  /** Epoch milliseconds. */
  #lookedAt = 0;

  constructor(source: Source<Ready>, context: TriggerContext) {
    this.#source = source;
    this.#context = context;
  }

  async follow(): Promise<void> {
    const { signal, inTurn, once } = this.#context;
    await this.#refresh();
    while (!signal.aborted && !this.#isOver) {
      const run = await this.#look();
      if (run !== undefined) await inTurn(() => this.#perform(run));
      else if (once && (this.#retry === undefined || this.#isPaused)) return;
      else await this.#wait();
    }
  }

  async #look(): Promise<DueRun | undefined> {
    await this.#refresh();
    this.#lookedAt = this.#context.clock.now();
    const { file, problems } = this.#source;
    if (!this.#isOpen || this.#isPaused || file.status?.is !== 'ready') return undefined;
    const { ready } = file.status;
    const { at } = this.#retry ?? {};
    const retry = at === undefined ? 'none' : at > this.#lookedAt ? 'waits' : 'due';
    return await problems.caught(() => this.#source.due(ready, retry));
  }

  /** Takes up a new or changed pipeline file. True if nothing has changed. */
  async #refresh(): Promise<boolean> {
    const source = this.#source;
    const news = await source.file.refresh();
    if (news !== undefined) {
      this.#isOpen = false;
      this.#isPaused = false;
      if (news.is === 'ready') this.#retry = undefined;
      else source.unusable(news);
    }
    const { status } = source.file;
    if (this.#isOpen || status?.is !== 'ready') return news === undefined;
    await source.problems.caught(() => source.open(status.ready));
    this.#isOpen = !source.problems.isRefused;
    return false;
  }

  async #perform(run: DueRun): Promise<void> {
    const { env, clock, signal, start } = this.#context;
    // The turn may come late: the file may have changed, or another process may have run this.
    if (!(await this.#refresh())) return;
    const isDue = run.isDue === undefined || (await this.#source.problems.caught(run.isDue));
    if (isDue !== true || signal.aborted) return;
    const times = this.#retry?.times ?? 0;
    this.#retry = undefined;
    const options = { ...run.begin(), env, clock, signal, graceMs };
    const ran = await resultOf(() => start(run.pipeline, options));
    this.#goOn(await run.ended(ran), times);
  }

  #goOn(rest: Rest, times: number): void {
    const now = this.#context.clock.now();
    switch (rest.next) {
      case 'changes':
        return;
      case 'again': {
        const failures = rest.progress === true ? 0 : times;
        return this.#tryAgain(now + pauseBefore(failures, rest.pauses), failures + 1);
      }
      case 'at':
        return this.#tryAgain(rest.at, 0);
      case 'now':
        this.#retry = { at: now, times };
        return;
      case 'paused':
        this.#isPaused = true;
        return;
      case 'end':
        this.#isOver = true;
    }
  }

  #tryAgain(at: number, times: number): void {
    this.#retry = { at, times };
    this.#source.retriesAt?.(at);
  }

  /** Until something may have changed, or it is time for another look. */
  async #wait(): Promise<void> {
    const { clock, signal } = this.#context;
    const source = this.#source;
    const { at = 0 } = this.#retry ?? {};
    const isFollowed = this.#isOpen && !this.#isPaused && !source.problems.isRefused;
    const waits = [
      source.longestWaitMs,
      ...(source.file.quietInMs === undefined ? [] : [source.file.quietInMs]),
      ...(at > this.#lookedAt ? [at - clock.now()] : []),
      ...(isFollowed ? source.waitsMs() : []),
    ];
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    await Promise.race([
      clock.sleep(Math.max(1, Math.ceil(Math.min(...waits))), either),
      ...(source.changed === undefined ? [] : [source.changed(either)]),
    ]);
    over.abort();
  }
}

/** The pause before another try, in milliseconds; the last one of `pauses` repeats. */
const pauseBefore = (failures: number, pauses: readonly number[]): number =>
  pauses[Math.min(failures, pauses.length - 1)] ?? 0;

/** Reports why something is refused, and a problem that stays only once. */
export class Problems {
  readonly #report: (problem: Problem) => void;
  #reported: string | undefined;

  constructor(report: (problem: Problem) => void) {
    this.#report = report;
  }

  /** True if the last thing was refused. */
  get isRefused(): boolean {
    return this.#reported !== undefined;
  }

  report(problem: Problem): void {
    const text = renderProblem(problem);
    if (text !== this.#reported) this.#report(problem);
    this.#reported = text;
  }

  /** The problem is over. */
  clear(): void {
    this.#reported = undefined;
  }

  /** Undefined if it is refused. */
  async caught<T>(work: () => Promise<T>): Promise<T | undefined> {
    const done = await resultOf(work);
    if (!done.ok) return void this.report(done.error);
    this.clear();
    return done.value;
  }
}
