// How far one step is: its tasks by state, and how long they take.
import type { PlanRow } from '../../plan/plan.ts';
import { comesLater } from '../../plan/planned-action.ts';
import type { TaskEnding } from '../../run/run-event.ts';

type Action = keyof PlanRow['tasks'];

export class StepProgress {
  readonly step: string;
  readonly kind: string;
  /** The number of its tasks; a fan-out that only the run can count makes it grow. */
  readonly #planned: number;
  /** The planned tasks that have something to do. */
  readonly #toDo: number;
  /** True if only the run will know the number of its tasks. */
  readonly isOpen: boolean;
  /** How long a task usually takes, in milliseconds, by earlier runs; undefined if they say nothing. */
  readonly usualMs: number | undefined;
  running = 0;
  #begun = 0;
  #ended = 0;
  /** Tasks that were to do and ended without a beginning: an earlier step failed, or the run buys nothing more. */
  #dropped = 0;
  #measured = 0;
  #measuredMs = 0;
  readonly #endings: Partial<Record<TaskEnding, number>> = {};

  constructor({ step, kind, tasks, times }: PlanRow, usualMs?: number) {
    this.usualMs = usualMs;
    this.step = step;
    this.kind = kind;
    this.isOpen = times?.open === true;
    let [planned, toDo] = [0, 0];
    for (const [action, count = 0] of Object.entries(tasks) as [Action, number][]) {
      planned += count;
      if (comesLater(action) || action === 'store') toDo += count;
    }
    this.#planned = planned;
    this.#toDo = toDo;
  }

  begin(): void {
    this.running += 1;
    this.#begun += 1;
  }

  /** `tookMs`: undefined for a task that did not begin. */
  end(ending: TaskEnding, tookMs: number | undefined): void {
    this.#ended += 1;
    this.#endings[ending] = this.of(ending) + 1;
    if (tookMs === undefined) {
      if (ending !== 'reused' && ending !== 'excluded' && ending !== 'skipped') this.#dropped += 1;
      return;
    }
    this.running -= 1;
    if (ending !== 'done' && ending !== 'failed') return;
    this.#measured += 1;
    this.#measuredMs += tookMs;
  }

  of(ending: TaskEnding): number {
    return this.#endings[ending] ?? 0;
  }

  get ended(): number {
    return this.#ended;
  }

  get total(): number {
    return Math.max(this.#planned, this.#ended + this.running);
  }

  get queued(): number {
    return this.total - this.#ended - this.running;
  }

  /** Queued tasks that have something to do: those of an earlier run end as soon as the run looks at them. */
  get waiting(): number {
    return Math.min(this.queued, Math.max(0, this.#toDo - this.#begun - this.#dropped));
  }

  /** The mean of the tasks that this run has finished, in milliseconds; undefined with fewer than `least`. */
  meanMs(least: number): number | undefined {
    return this.#measured < least ? undefined : this.#measuredMs / this.#measured;
  }
}
