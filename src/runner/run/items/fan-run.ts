// The elements of one fan-out, for one item or for the shared steps. Each is an item run inside the one of the item.
import type { Json } from '../../../contract/base/json.ts';
import type { FanOut, Step } from '../../language/pipeline.ts';
import { Barrier } from '../../plan/barrier.ts';
import type { Phase } from '../../plan/ending.ts';
import type { Contributor, Gathering } from '../../plan/fan-in.ts';
import type { Schedule } from '../../plan/schedule.ts';

/** One element. */
interface Lane {
  readonly schedule: Schedule;
  contributor(step: string): Contributor;
}

export class FanRun<Run extends Lane> {
  readonly fan: FanOut;
  readonly steps: readonly Step[];
  #lanes: readonly Run[] | undefined;

  constructor(fan: FanOut, steps: readonly Step[]) {
    this.fan = fan;
    this.steps = steps;
  }

  /** The elements; undefined if the list is not known yet. */
  get lanes(): readonly Run[] | undefined {
    return this.#lanes;
  }

  open(lanes: readonly Run[]): void {
    if (this.#lanes !== undefined) throw new Error(`bug: ${this.fan.step} was opened twice`);
    this.#lanes = lanes;
  }

  has(step: string): boolean {
    return this.steps.some(({ name }) => name === step);
  }

  get isOver(): boolean {
    return this.#lanes?.every(({ schedule }) => schedule.isOver) ?? false;
  }

  /** The phase of a step over all elements, as the barrier has it over all items. */
  phase(step: string): Phase {
    const barrier = new Barrier(false);
    for (const { schedule } of this.#lanes ?? []) {
      const phase = schedule.phase(step);
      if (phase === 'waiting' || phase === 'started') return 'waiting';
      barrier.note(step, phase);
    }
    return barrier.phase(step, { over: this.#lanes !== undefined, rest: undefined });
  }

  gathering(step: string): Gathering {
    const contributors = (this.#lanes ?? []).map((lane) => lane.contributor(step));
    return { contributors, rest: this.#lanes === undefined ? 'waiting' : 'done' };
  }
}

/** Which element of a fan-out an item run stands for. No `index`: the fan-out has no elements. */
export interface ElementOf {
  readonly fan: FanOut;
  readonly index?: number;
  /** The number of elements. */
  readonly of: number;
  /** By content. */
  readonly value?: Json;
}

export function fanRunsOf<Run extends Lane>(steps: readonly Step[]): readonly FanRun<Run>[] {
  const fans = new Map<string, FanOut>();
  for (const { fan } of steps) if (fan !== undefined) fans.set(fan.step, fan);
  return [...fans.values()].map(
    (fan) =>
      new FanRun<Run>(
        fan,
        steps.filter((step) => step.fan?.step === fan.step),
      ),
  );
}
