// The barrier between the items and the shared steps that wait for all of them: how a step stands over every item.
import { type Ending, endingFacts, type Phase } from '../plan/ending.ts';

export class Barrier {
  /** Item-level steps that are not over for every item: what keeps a shared project. */
  readonly #unfinished = new Map<string, 'blocked' | 'excluded'>();
  readonly #partial: boolean;

  /** `partial`: the run takes only some of the items, so no step is ever over for all of them. */
  constructor(partial: boolean) {
    this.#partial = partial;
  }

  note(step: string, ending: Ending): void {
    const { dependents } = endingFacts[ending];
    if (dependents === 'blocked') this.#unfinished.set(step, 'blocked');
    if (dependents === 'excluded' && !this.#unfinished.has(step))
      this.#unfinished.set(step, 'excluded');
  }

  /** `over`: no item is in progress and none is to come. `all`: every item was taken in. */
  phase(step: string, { over, all }: { readonly over: boolean; readonly all: boolean }): Phase {
    if (!over) return 'waiting';
    return this.#unfinished.get(step) ?? (!all ? 'blocked' : this.#partial ? 'excluded' : 'done');
  }
}
