// Follows one pipeline's schedule: one run at a time, each due time once.

import { type Problem, resultOf } from '../../language/load/problem.ts';
import { isoIn } from '../../language/schedule.ts';
import type { DueDecision, QueuedRun } from '../../plan/due.ts';
import type { RunOutcome } from '../../run/run-event.ts';
import type { ScheduleContext } from './context.ts';
import { DueBook } from './due-book.ts';
import type { PipelineFile, ReadyPipeline } from './pipeline-file.ts';

/** Long sleeps are cut, so that a suspended machine, a changed clock and a changed file are noticed. In milliseconds. */
export const longestSleep = 60_000;

/** The pause before a run that could not begin or be completed is tried again. In milliseconds. */
const retryPause = 300_000;

/** In milliseconds; `schedule` ends within 10 s of a request to stop. */
const graceMs = 8000;

/** How a run, or the attempt to begin one, ended. */
export type RunEnd = RunOutcome | Problem['reason'];

interface Followed {
  readonly ready: ReadyPipeline;
  readonly book: DueBook;
}

interface Retry {
  readonly due: number;
  readonly at: number;
  /** True if another process works on the state file. */
  readonly locked: boolean;
}

export class PipelineSchedule {
  readonly #file: PipelineFile;
  readonly #context: ScheduleContext;
  readonly #once: boolean;
  #followed: Followed | undefined;
  #badState: string | undefined;
  /** The run that could not begin or be completed, and when to try it again. */
  #retry: Retry | undefined;
  readonly ends = new Set<RunEnd>();

  constructor(file: PipelineFile, context: ScheduleContext, { once }: { readonly once: boolean }) {
    this.#file = file;
    this.#context = context;
    this.#once = once;
  }

  /** Runs what is due until `stop` is aborted. */
  async follow(): Promise<void> {
    const { clock, stop } = this.#context;
    while (!stop.aborted) {
      const followed = await this.#refresh();
      if (followed !== undefined && (await this.#runNext(followed))) continue;
      await clock.sleep(this.#sleepMs(followed), stop);
    }
    await this.#followed?.book.save();
  }

  /** Runs what is due now. Jitter does not apply. */
  async catchUp(): Promise<void> {
    const { clock, stop } = this.#context;
    const followed = await this.#refresh();
    if (followed === undefined) return this.#addUnusable();
    this.#reportLeftOut(followed, await followed.book.decide(false));
    for (const queued of followed.book.queue) {
      for (;;) {
        if (stop.aborted) return void this.ends.add('interrupted');
        await this.#perform(followed, queued);
        if (this.#file.status.is !== 'ready') return;
        if (this.#retry === undefined) break;
        if (!this.#retry.locked) return;
        await clock.sleep(longestSleep, stop);
      }
    }
  }

  /** A file in a folder may have no schedule: nothing is wrong with it. */
  #addUnusable(): void {
    const { status } = this.#file;
    if (status.is === 'ready' || status.is === 'invalid') this.ends.add('input');
  }

  /** The next due time; undefined if there is none. */
  get next(): { readonly moment: number; readonly due: string } | undefined {
    const moment = this.#followed?.book.next;
    if (this.#followed === undefined || moment === undefined) return undefined;
    return { moment, due: isoIn(this.#followed.ready.schedule.timeZone, moment) };
  }

  /** Brings the file and its due times up to date; undefined if nothing may run. */
  async #refresh(): Promise<Followed | undefined> {
    const changed = await this.#file.refresh();
    const { status } = this.#file;
    if (status.is !== 'ready') return undefined;
    const { ready } = status;
    const known = this.#followed;
    if (known === undefined || changed) {
      // The moment up to which the old schedule was followed: the new one begins there.
      await known?.book.save();
      const { file } = this.#file;
      const warn = (message: string): void =>
        this.#context.onEvent({ type: 'notice', file, message });
      const opened = await resultOf(() =>
        DueBook.open(this.#context, ready, { once: this.#once, warn }),
      );
      if (!opened.ok) return this.#reportState(opened.error);
      this.#badState = undefined;
      this.#followed = { ready, book: opened.value };
      const next = this.next?.due;
      this.#context.onEvent({
        ...{ type: 'scheduled', file, pipeline: ready.bound.name },
        next,
        service: ready.service,
      });
      return this.#followed;
    }
    const reread = await resultOf(() => known.book.reread());
    if (!reread.ok) return this.#reportState(reread.error);
    this.#badState = undefined;
    const waiting = known.book.queue.some(({ due }) => due === this.#retry?.due);
    if (!waiting) this.#retry = undefined;
    return known;
  }

  #reportState(problem: Problem): undefined {
    const words = problem.diagnostics.map(({ message }) => message).join('\n');
    if (words !== this.#badState)
      this.#context.onEvent({ type: 'invalid', file: this.#file.file, problem });
    this.#badState = words;
  }

  /** Decides what is due and performs the next run; false if there is nothing to do now. */
  async #runNext(followed: Followed): Promise<boolean> {
    const { book } = followed;
    const { clock, inTurn, stop } = this.#context;
    this.#reportLeftOut(followed, await book.decide(this.#retry !== undefined));
    const { head } = book;
    const now = clock.now();
    if (head === undefined || head.start > now) return false;
    if (this.#retry?.due === head.due && this.#retry.at > now) return false;
    await inTurn(async () => {
      // The turn may come late: the file may have changed, or another process may have run this.
      const same = (await this.#refresh()) === followed && book.head?.due === head.due;
      if (same && !stop.aborted) await this.#perform(followed, head);
    });
    return true;
  }

  async #perform(followed: Followed, { due }: QueuedRun): Promise<void> {
    const { ready, book } = followed;
    const { run, env, clock, stop, start, onEvent } = this.#context;
    const about = this.#about(ready, due);
    if (this.#retry?.due !== due) onEvent({ type: 'due', ...about });
    const ran = await resultOf(() =>
      start(ready.bound, {
        ...{ ...run, env, clock, due, signal: stop, graceMs },
        onEvent: (event) => onEvent({ type: 'run', ...about, event }),
      }),
    );
    const reread = await resultOf(() => book.reread());
    if (!reread.ok) this.#reportState(reread.error);
    if (ran.ok) {
      const { summary, state, output } = ran.value;
      const open = book.isOpen(due);
      this.ends.add(summary.outcome);
      await this.#settle(followed, due, open ? 'later' : undefined);
      const next = this.next?.due;
      const more = { open, next };
      onEvent({ type: 'ran', ...about, summary, state, output, ...more });
      if (summary.outcome === 'unauthorized') this.#file.refuse();
    } else await this.#refused(followed, due, ran.error);
    this.#reportLeftOut(followed, await book.decide(true));
  }

  async #refused(followed: Followed, due: number, problem: Problem): Promise<void> {
    const { ready, book } = followed;
    const { onEvent } = this.#context;
    const about = this.#about(ready, due);
    const open = book.isOpen(due);
    if (problem.reason === 'locked') {
      const waits = ready.schedule.overlap === 'queue' || (open && !this.#once);
      if (waits && this.#retry?.due !== due) onEvent({ type: 'locked', ...about });
      if (!waits) onEvent({ type: 'left-out', ...about, why: 'overlap' });
      return await this.#settle(followed, due, waits ? 'locked' : undefined);
    }
    this.ends.add(problem.reason);
    const again = open || problem.reason !== 'input';
    onEvent({ type: 'refused', ...about, problem, again });
    await this.#settle(followed, due, again ? 'later' : undefined);
  }

  /** Keeps the due time to try it again later, or is done with it. */
  async #settle(
    { book }: Followed,
    due: number,
    again: 'locked' | 'later' | undefined,
  ): Promise<void> {
    const pause = again === 'locked' ? longestSleep : retryPause;
    const at = this.#context.clock.now() + pause;
    this.#retry = again === undefined ? undefined : { due, at, locked: again === 'locked' };
    if (again === undefined) await book.drop(due);
  }

  #reportLeftOut({ ready }: Followed, { leftOut }: DueDecision): void {
    if (leftOut === undefined) return;
    const { due, why } = leftOut;
    this.#context.onEvent({ type: 'left-out', ...this.#about(ready, due), why });
  }

  #about({ bound, schedule }: ReadyPipeline, due: number) {
    const { file } = this.#file;
    return { file, pipeline: bound.name, due: isoIn(schedule.timeZone, due) };
  }

  #sleepMs(followed: Followed | undefined): number {
    const head = followed?.book.head;
    const wakes = [
      ...(head === undefined ? [] : [head.start]),
      ...(followed?.book.next === undefined ? [] : [followed.book.next]),
    ];
    const now = this.#context.clock.now();
    const waits = wakes.map((at) => at - now).filter((ms) => ms > 0);
    return Math.min(longestSleep, ...waits);
  }
}
