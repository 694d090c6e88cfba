// The scheduler: what may start now, for one item. It knows steps and their order, nothing of processes or money.
import type { Step } from '../language/pipeline.ts';

/**
 * - `done`: its outputs are there. `skipped`: it is not wanted; what uses it is not either.
 * - `excluded`: this run leaves it out; what waits for it is left out too.
 * - `failed`, `held`, `blocked`, `pending`: it has no outputs now; what waits for it is blocked.
 */
export type Ending = 'done' | 'skipped' | 'excluded' | 'failed' | 'held' | 'blocked' | 'pending';
export type Phase = 'waiting' | 'started' | Ending;

/** What a step is to do, now that all that it waits for is over. */
export type Turn =
  | { readonly turn: 'start'; readonly step: Step }
  | { readonly turn: 'skip'; readonly step: Step; readonly because: string }
  | { readonly turn: 'exclude'; readonly step: Step; readonly because: string }
  | { readonly turn: 'block'; readonly step: Step; readonly because: string };

export class Schedule {
  readonly #steps: readonly Step[];
  readonly #phases = new Map<string, Phase>();
  /** Steps that others perform: for an item the shared ones, for the shared ones those of all items. */
  readonly #outside: (step: string) => Phase;
  #open: number;

  constructor(steps: readonly Step[], outside: (step: string) => Phase = () => 'waiting') {
    this.#steps = steps;
    this.#outside = outside;
    this.#open = steps.length;
    for (const step of steps) this.#phases.set(step.name, 'waiting');
  }

  phase(step: string): Phase {
    return this.#phases.get(step) ?? this.#outside(step);
  }

  /** The next step whose turn has come, in the order of the pipeline. */
  next(): Turn | undefined {
    for (const step of this.#steps) {
      if (this.#phases.get(step.name) !== 'waiting') continue;
      const turn = this.#turnOf(step);
      if (turn !== undefined) return turn;
    }
    return undefined;
  }

  #turnOf(step: Step): Turn | undefined {
    let skip: string | undefined;
    let exclude: string | undefined;
    for (const before of step.after) {
      const phase = this.phase(before);
      if (phase === 'waiting' || phase === 'started') return undefined;
      if (phase === 'skipped' && step.uses.includes(before)) skip ??= before;
      if (phase === 'excluded') exclude ??= before;
      if (phase === 'failed' || phase === 'held' || phase === 'blocked' || phase === 'pending')
        return { turn: 'block', step, because: before };
    }
    if (skip !== undefined) return { turn: 'skip', step, because: skip };
    if (exclude !== undefined) return { turn: 'exclude', step, because: exclude };
    return { turn: 'start', step };
  }

  start(step: string): void {
    this.#move(step, 'waiting', 'started');
  }

  /** It goes back among the waiting: its values went stale, or something that it needs did. */
  reopen(step: string): void {
    const phase = this.#phases.get(step);
    if (phase === 'done') this.#open += 1;
    if (phase !== 'done' && phase !== 'started')
      throw new Error(`bug: ${step} is ${phase}, it cannot reopen`);
    this.#phases.set(step, 'waiting');
  }

  end(step: string, ending: Ending): void {
    const phase = this.#phases.get(step);
    if (phase !== 'waiting' && phase !== 'started') throw new Error(`bug: ${step} ended twice`);
    this.#phases.set(step, ending);
    this.#open -= 1;
  }

  #move(step: string, from: Phase, to: Phase): void {
    const phase = this.#phases.get(step);
    if (phase !== from) throw new Error(`bug: ${step} is ${phase}, not ${from}`);
    this.#phases.set(step, to);
  }

  /** Nothing waits and nothing is started. */
  get isOver(): boolean {
    return this.#open === 0;
  }
}
