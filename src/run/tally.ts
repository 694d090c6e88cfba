// Counts how tasks and items end, so that a summary of a million tasks is a few numbers.
import type { Outcome, Summary, TaskEnding } from '../report/happening.ts';
import { exitCodes } from '../report/happening.ts';

const kept = 100;

/** What ended a run early, if anything did. */
export interface Stopped {
  readonly interrupted: boolean;
  readonly unauthorized: boolean;
  readonly money: boolean;
  /** The disk, so that not even the journal had room; what was under way is recorded. */
  readonly full: boolean;
  readonly why: string | undefined;
}

export class Tally {
  readonly #tasks: Record<TaskEnding, number> = {
    done: 0,
    reused: 0,
    skipped: 0,
    failed: 0,
    doubt: 0,
    pending: 0,
    blocked: 0,
  };
  readonly #trouble: { task: string; ending: TaskEnding; why: string }[] = [];
  /** How many tasks have ended. */
  ended = 0;
  itemsDone = 0;
  itemsUnfinished = 0;

  add(task: string, ending: TaskEnding, why: string): void {
    this.ended += 1;
    this.#tasks[ending] += 1;
    const bad = ending === 'failed' || ending === 'doubt' || ending === 'pending';
    if (bad && this.#trouble.length < kept) this.#trouble.push({ task, ending, why });
  }

  outcome(stop: Stopped): Outcome {
    if (stop.interrupted && !stop.full) return 'interrupted';
    if (stop.unauthorized) return 'unauthorized';
    if (this.#tasks.doubt > 0) return 'doubt';
    if (stop.full) return 'failed';
    if (stop.money) return 'budget';
    return this.#tasks.failed + this.#tasks.pending + this.#tasks.blocked > 0 ? 'failed' : 'done';
  }

  summary(
    outcome: Outcome,
    rest: Pick<Summary, 'credits' | 'elapsedMs'> & {
      readonly items: number;
      readonly stopped?: string | undefined;
    },
  ): Summary {
    const { items, stopped, ...others } = rest;
    return {
      outcome,
      exitCode: exitCodes[outcome],
      ...(stopped === undefined ? {} : { stopped }),
      items: { total: items, done: this.itemsDone, unfinished: items - this.itemsDone },
      tasks: { ...this.#tasks },
      trouble: this.#trouble,
      ...others,
    };
  }
}
