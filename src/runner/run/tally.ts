// Counts how tasks and items end, so that a summary of a million tasks is a few numbers.
import type { Outcome, Summary, TaskEnding } from '../report/run-event.ts';
import type { Closed } from './purse.ts';
import { Trouble } from './trouble.ts';

const kept = 100;

/** What ended a run early, if anything did. */
export interface Stopped {
  readonly interrupted: boolean;
  readonly unauthorized: boolean;
  readonly money: boolean;
  /** This machine could not write what was paid for, or had no room for the journal: what was under way is recorded. */
  readonly machine: boolean;
  /** The service was away for longer than the run may wait. */
  readonly outage: boolean;
  readonly why: string | undefined;
}

export interface Halted {
  readonly what: 'run' | 'interrupt' | 'machine' | 'outage';
  readonly why: string;
}

export function stoppedBy(halted: Halted | undefined, closed: Closed | undefined): Stopped {
  const because = closed?.because;
  return {
    interrupted: halted?.what === 'interrupt',
    unauthorized: halted?.what === 'run',
    money: because === 'budget' || because === 'credits',
    machine: halted?.what === 'machine' || because === 'machine',
    outage: halted?.what === 'outage',
    why: halted?.why ?? closed?.why,
  };
}

export class Tally {
  readonly #tasks: Record<TaskEnding, number> = {
    done: 0,
    reused: 0,
    skipped: 0,
    excluded: 0,
    failed: 0,
    doubt: 0,
    pending: 0,
    blocked: 0,
  };
  readonly #trouble: Summary['trouble'][number][] = [];
  readonly #groups = new Trouble();
  #ended = 0;
  itemsDone = 0;
  itemsUnfinished = 0;

  /** `before`: how it had ended already in this run, and was then done again for another step. */
  add(
    task: string,
    told: {
      readonly ending: TaskEnding;
      readonly why: string;
      readonly advice: string | undefined;
      readonly before: TaskEnding | undefined;
    },
  ): void {
    const { ending, why, advice, before } = told;
    this.#ended += 1;
    if (before !== undefined) this.#tasks[before] -= 1;
    this.#tasks[ending] += 1;
    const bad = ending === 'failed' || ending === 'doubt' || ending === 'pending';
    if (!bad) return;
    this.#groups.add(task, ending, why, advice);
    if (this.#trouble.length < kept)
      this.#trouble.push({ task, ending, why, ...(advice === undefined ? {} : { advice }) });
  }

  /** Grows with every task and every item that ends. */
  get progress(): number {
    return this.#ended + this.itemsDone + this.itemsUnfinished;
  }

  outcome(stop: Stopped): Outcome {
    if (stop.interrupted) return 'interrupted';
    if (stop.unauthorized) return 'unauthorized';
    if (this.#tasks.doubt > 0) return 'doubt';
    if (stop.machine || stop.outage) return 'failed';
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
      ...(stopped === undefined ? {} : { stopped }),
      items: { total: items, done: this.itemsDone, unfinished: items - this.itemsDone },
      tasks: { ...this.#tasks },
      trouble: this.#trouble,
      groups: this.#groups.groups,
      ...others,
    };
  }
}
