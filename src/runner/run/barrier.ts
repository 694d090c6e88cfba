// The barrier between the items and the shared steps that wait for all of them: tracks how far each step is over all
// items.
import { type Ending, endingFacts, type Phase } from '../plan/ending.ts';

export class Barrier {
  /** Item-level steps that are not over for every item. They keep shared projects. */
  readonly #unfinished = new Map<string, 'blocked' | 'excluded'>();
  readonly #partial: boolean;

  /** `partial`: the run includes only some of the items, so no step is ever over for all of them. */
  constructor(partial: boolean) {
    this.#partial = partial;
  }

  note(step: string, ending: Ending): void {
    const { dependents } = endingFacts[ending];
    if (dependents === 'blocked') this.#unfinished.set(step, 'blocked');
    if (dependents === 'excluded' && !this.#unfinished.has(step))
      this.#unfinished.set(step, 'excluded');
  }

  /** `over`: no item is in progress, and none will follow. `all`: every item was admitted. */
  phase(step: string, { over, all }: { readonly over: boolean; readonly all: boolean }): Phase {
    if (!over) return 'waiting';
    return this.#unfinished.get(step) ?? (!all ? 'blocked' : this.#partial ? 'excluded' : 'done');
  }
}
