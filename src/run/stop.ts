// Why a run ends early: it is halted, or it may buy nothing more.

import type { RunEvent } from '../core/run-event.ts';
import type { Stopped } from '../core/summary.ts';
import type { Closed } from './budget.ts';
import type { Performer } from './jobs/performer.ts';

export interface Halted {
  /** `left`: the run had to end (`--detach-after`), and a job did not end by itself. */
  readonly what: 'unauthorized' | 'interrupt' | 'machine' | 'outage' | 'left';
  readonly why: string;
}

export class Stop {
  readonly #performer: Pick<Performer, 'abort'>;
  readonly #onEvent: (event: RunEvent) => void;
  #halted: Halted | undefined;

  constructor(performer: Pick<Performer, 'abort'>, onEvent: (event: RunEvent) => void) {
    this.#performer = performer;
    this.#onEvent = onEvent;
  }

  get isHalted(): boolean {
    return this.#halted !== undefined;
  }

  /** Starts nothing new, and lets running jobs end. The first reason stays. */
  halt(halted: Halted): void {
    if (this.#halted !== undefined) return;
    this.#halted = halted;
    this.#onEvent({ type: 'stopping', why: halted.why });
    this.#performer.abort();
  }

  /** True if the run was left, so that what did not end is for the next run. */
  get isLeft(): boolean {
    return this.#halted?.what === 'left';
  }

  /** `all`: every item was admitted. */
  stopped(closed: Closed | undefined, all: boolean): Stopped {
    const what = this.#halted?.what;
    const because = closed?.because;
    return {
      interrupted: what === 'interrupt',
      unauthorized: what === 'unauthorized',
      money: because === 'budget' || because === 'credits',
      machine: what === 'machine' || because === 'machine',
      outage: what === 'outage',
      left: what === 'left' || (because === 'left' && !all),
      why: this.#halted?.why ?? closed?.why,
      by: what ?? because,
      limit: what === undefined ? closed?.limit : undefined,
      until: closed?.until,
    };
  }
}
