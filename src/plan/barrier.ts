// The barrier between the items and the shared steps that wait for all of them: tracks how far each step is over all
// items.
import { type Ending, endingFacts, type Phase } from './ending.ts';

export class Barrier {
  /** Item-level steps that are not over for every item. They keep shared projects. */
  readonly #unfinished = new Map<string, 'blocked' | 'later' | 'excluded'>();
  readonly #partial: boolean;

  /** `partial`: the run includes only some of the items, so no step is ever over for all of them. */
  constructor(partial: boolean) {
    this.#partial = partial;
  }

  note(step: string, ending: Ending): void {
    const { dependents } = endingFacts[ending];
    const known = this.#unfinished.get(step);
    if (dependents === 'blocked') this.#unfinished.set(step, 'blocked');
    if (dependents === 'later' && known !== 'blocked') this.#unfinished.set(step, 'later');
    if (dependents === 'excluded' && known === undefined) this.#unfinished.set(step, 'excluded');
  }

  /**
   * `over`: no item is in progress, and none will follow. `rest`: the phase of the items that were not admitted;
   * undefined if every item was.
   */
  phase(
    step: string,
    { over, rest }: { readonly over: boolean; readonly rest: 'blocked' | 'later' | undefined },
  ): Phase {
    if (!over) return 'waiting';
    return this.#unfinished.get(step) ?? rest ?? (this.#partial ? 'excluded' : 'done');
  }
}
