// The barrier between the items and the shared steps that wait for all of them: how a step stands over every item.
import type { Ending, Phase } from '../plan/turn.ts';

export class Barrier {
  /** Item-level steps that are not over for every item: what keeps a shared project. */
  readonly #unfinished = new Map<string, 'blocked' | 'excluded'>();
  readonly #partial: boolean;

  /** `partial`: the run takes only some of the items, so no step is ever over for all of them. */
  constructor(partial: boolean) {
    this.#partial = partial;
  }

  note(step: string, ending: Ending): void {
    if (ending === 'done' || ending === 'skipped') return;
    if (ending !== 'excluded') this.#unfinished.set(step, 'blocked');
    else if (!this.#unfinished.has(step)) this.#unfinished.set(step, 'excluded');
  }

  /** `over`: no item is in the works and none is to come. `all`: every item was taken in. */
  phase(step: string, { over, all }: { readonly over: boolean; readonly all: boolean }): Phase {
    if (!over) return 'waiting';
    return this.#unfinished.get(step) ?? (!all ? 'blocked' : this.#partial ? 'excluded' : 'done');
  }
}
