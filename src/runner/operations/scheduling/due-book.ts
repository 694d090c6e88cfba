// The due times of one pipeline: what is decided, by the state file and the memory of earlier processes, and written down
// when a decision is made.
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { RunLine } from '../../journal/line.ts';
import {
  type DueDecision,
  type DueState,
  decideDue,
  dueStateOf,
  nextDue,
  openDueOf,
  type QueuedRun,
  sinceOnTime,
} from '../../plan/due.ts';
import { type Problem, problem } from '../pipeline/problem.ts';
import { openState } from '../state/open-state.ts';
import { unsavedProblem } from '../state/unsaved-state.ts';
import { appearanceOf } from './appearance.ts';
import type { ScheduleContext } from './context.ts';
import { readDueFile, writeDueFile } from './due-file.ts';
import type { ReadyPipeline } from './pipeline-file.ts';

export class DueBook {
  readonly #context: ScheduleContext;
  readonly #ready: ReadyPipeline;
  readonly #warn: (message: string) => void;
  #state: DueState;
  /** How the state file looked when its runs were read. */
  #seen: string;
  #open: number | undefined;
  /** The first due time after `from`, so that it is not looked up each minute. */
  #upcoming: { readonly from: number; readonly next: number | undefined } = {
    from: Number.POSITIVE_INFINITY,
    next: undefined,
  };

  private constructor(
    context: ScheduleContext,
    ready: ReadyPipeline,
    { state, seen, open, warn }: Opening,
  ) {
    this.#context = context;
    this.#ready = ready;
    this.#state = state;
    this.#seen = seen;
    this.#open = open;
    this.#warn = warn;
  }

  /** `once`: a due time of the last hour counts, even if nothing is known yet. */
  static async open(
    context: ScheduleContext,
    ready: ReadyPipeline,
    { once, warn }: { readonly once: boolean; readonly warn: (message: string) => void },
  ): Promise<Result<DueBook, Problem>> {
    const { paths } = ready;
    const seen = appearanceOf(paths.state);
    const runs = await runsIn(context, ready);
    if (!runs.ok) return runs;
    const remembered = readDueFile(paths.due);
    if (!remembered.ok) return err(problem(`${paths.due} ${remembered.error}`));
    const now = context.clock.now();
    const since = once ? sinceOnTime(ready.schedule, now) : now;
    const state = dueStateOf(runs.value, remembered.value, since);
    const book = new DueBook(context, ready, { state, seen, open: openDueOf(runs.value), warn });
    if (remembered.value === undefined) await book.save();
    return ok(book);
  }

  /** The next due time that has a run to start. */
  get head(): QueuedRun | undefined {
    return this.#state.queue[0];
  }

  get queue(): readonly QueuedRun[] {
    return this.#state.queue;
  }

  /** The first due time that is not decided yet; undefined if the schedule has an end. */
  get next(): number | undefined {
    const { decidedUntil } = this.#state;
    const { from, next } = this.#upcoming;
    if (from <= decidedUntil && decidedUntil < (next ?? Number.POSITIVE_INFINITY)) return next;
    this.#upcoming = { from: decidedUntil, next: nextDue(this.#ready.schedule, decidedUntil) };
    return this.#upcoming.next;
  }

  /** True if the state file has an interrupted run for this due time. */
  isOpen(due: number): boolean {
    return this.#open === due;
  }

  /** Decides about the due times that have come. `running`: they overlap a run. */
  async decide(running: boolean): Promise<DueDecision> {
    const { clock } = this.#context;
    const now = clock.now();
    const { next = Number.POSITIVE_INFINITY } = this;
    if (now < next && now >= this.#state.decidedUntil) {
      this.#state = { ...this.#state, decidedUntil: now };
      return { state: this.#state, queued: [] };
    }
    const decision = decideDue(this.#ready.schedule, this.#state, {
      ...{ now, running, chance: () => clock.chance() },
    });
    this.#state = decision.state;
    if (decision.queued.length > 0 || decision.leftOut !== undefined) await this.save();
    return decision;
  }

  async drop(due: number): Promise<void> {
    const queue = this.#state.queue.filter((one) => one.due !== due);
    this.#state = { ...this.#state, queue };
    await this.save();
  }

  /** Reads the runs in the state file again if it has changed: another process, or git, may have brought new ones. */
  async reread(): Promise<Result<void, Problem>> {
    const seen = appearanceOf(this.#ready.paths.state);
    if (seen === this.#seen) return ok(undefined);
    const runs = await runsIn(this.#context, this.#ready);
    if (!runs.ok) return runs;
    this.#seen = seen;
    this.#open = openDueOf(runs.value);
    this.#state = dueStateOf(runs.value, this.#state, this.#state.decidedUntil);
    return ok(undefined);
  }

  async save(): Promise<void> {
    const saved = await writeDueFile(this.#ready.paths, this.#state);
    if (!saved.ok)
      for (const { message, file } of saved.error.diagnostics) this.#warn(`${file}: ${message}`);
  }
}

interface Opening {
  readonly state: DueState;
  readonly seen: string;
  readonly open: number | undefined;
  readonly warn: (message: string) => void;
}

async function runsIn(
  { clock }: ScheduleContext,
  { bound, paths }: ReadyPipeline,
): Promise<Result<readonly RunLine[], Problem>> {
  // Every run would be refused: nothing is decided until a person has merged both files.
  const unsaved = unsavedProblem(paths.state);
  if (unsaved !== undefined) return err(unsaved);
  // The run itself reports the warnings of a state file.
  const opened = await openState(bound, paths, 'read', {
    clock,
    onWarning: () => undefined,
    env: undefined,
  });
  if (!opened.ok) return opened;
  await using open = opened.value;
  return ok([...open.state.ledger.runs()]);
}
