// Tells a monitor every few seconds how a distributed run is: its queue, its workers, and what the coordinator has not
// heard yet.
import type { QueueState } from '../../../report/engine-watch.ts';
import { unlessAway } from '../../../run/engine/away.ts';
import type { Coordinator } from '../../../run/engine/coordinator.ts';
import type { Clock } from '../../../run/jobs/ports.ts';

export interface QueueWatchOptions {
  readonly coordinator: Pick<Coordinator, 'desk' | 'term' | 'folded'>;
  readonly clock: Clock;
  /** Undefined: the database is away. */
  readonly tell: (state: QueueState | undefined) => void;
}

/** Between two looks, in milliseconds: each counts the queue. */
const everyMs = 5_000;

export class QueueWatch {
  readonly #o: QueueWatchOptions;
  readonly #over = new AbortController();
  readonly #looks: Promise<void>;

  constructor(options: QueueWatchOptions) {
    this.#o = options;
    this.#looks = this.#follow();
    // Nobody waits for it before `end`, which rejects with the same error.
    this.#looks.catch(() => undefined);
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#looks;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      const state = await this.#look();
      if (!signal.aborted) this.#o.tell(state);
      await this.#o.clock.sleep(everyMs, signal);
    }
  }

  async #look(): Promise<QueueState | undefined> {
    const { desk, term, folded } = this.#o.coordinator;
    const facts = await unlessAway(() => desk.facts());
    if (facts === undefined) return undefined;
    const { last, ...queue } = facts;
    return { ...queue, term: term.epoch, behind: Math.max(0, last - folded) };
  }
}
