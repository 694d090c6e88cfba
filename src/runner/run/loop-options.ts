// What a loop is given: the items, the runner, the money, and who listens.
import type { RunEvent } from '../report/run-event.ts';
import type { Item } from '../task/item.ts';
import type { DispatcherOptions } from './action.ts';
import type { Closed } from './budget.ts';
import type { Runner } from './jobs/ports.ts';

export interface LoopOptions
  extends Omit<
    DispatcherOptions,
    'budget' | 'stepBreaker' | 'key' | 'inUse' | 'isInFlight' | 'begunNow'
  > {
  readonly items: Iterable<Item>;
  /** How many items the pipeline has in this run. */
  readonly total: number;
  /** The run leaves steps out. */
  readonly someLeftOut: boolean;
  /** The run takes only some of the pipeline's items. */
  readonly partial: boolean;
  readonly runner: Runner;
  /** Credits that this run may charge, at most. */
  readonly budget: number | undefined;
  /** Set: nothing is bought from the start. */
  readonly closed?: Closed;
  /** Tasks that were done in this run already, before anything new was bought. */
  readonly rescued?: ReadonlySet<string>;
  readonly onEvent: (event: RunEvent) => void;
}
