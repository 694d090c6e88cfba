// The scheduler: what may start now, for one item. It knows steps and their order, but nothing about processes or
// money.
import type { Step } from '../language/pipeline.ts';
import type { Ending, Phase } from './ending.ts';
import type { Gathering } from './fan-in.ts';
import { type Turn, turnOf } from './turn.ts';

/** A step that is ready, and what to do with it. */
export interface StepTurn {
  readonly step: Step;
  readonly turn: Turn;
}

export class Schedule {
  readonly #steps: readonly Step[];
  readonly #phases = new Map<string, Phase>();
  /**
   * The phases of steps that run elsewhere: for an item, the shared steps; for the shared steps, those of all items.
   */
  readonly #outside: (step: string) => Phase;
  readonly #gathering: ((step: string) => Gathering) | undefined;
  #open: number;

  constructor(
    steps: readonly Step[],
    outside: (step: string) => Phase = () => 'waiting',
    gathering?: (step: string) => Gathering,
  ) {
    this.#steps = steps;
    this.#outside = outside;
    this.#gathering = gathering;
    this.#open = steps.length;
    for (const step of steps) this.#phases.set(step.name, 'waiting');
  }

  phase(step: string): Phase {
    return this.#phases.get(step) ?? this.#outside(step);
  }

  /** The next step that is ready, in the order of the pipeline. */
  next(): StepTurn | undefined {
    for (const step of this.#steps) {
      if (this.#phases.get(step.name) !== 'waiting') continue;
      const turn = this.turn(step);
      if (turn !== undefined) return { step, turn };
    }
    return undefined;
  }

  /** What a step does next; undefined if a step that it waits for is not over. */
  turn(step: Parameters<typeof turnOf>[0]): Turn | undefined {
    return turnOf(step, (before) => this.phase(before), this.#gathering);
  }

  start(step: string): void {
    this.#move(step, 'waiting', 'started');
  }

  /** Makes a step pending again, because its values are stale or because a step that it needs was reopened. */
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

  /** True if no step is waiting and no step is started. */
  get isOver(): boolean {
    return this.#open === 0;
  }
}
