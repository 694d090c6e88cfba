// What the parts of a run share.
import type { Calls } from './calls.ts';
import type { Facts, ReceiptsPort } from './facts.ts';
import type { Journal } from './journal.ts';
import type { Looks } from './looks.ts';
import type { Clock, Disk, Hands, JobApi, OutputStore } from './ports.ts';
import type { Slots } from './slots.ts';
import type { Spending } from './spending.ts';
import type { Telling } from './telling.ts';

export interface World {
  readonly journal: Journal;
  readonly receipts: ReceiptsPort;
  readonly facts: Facts;
  readonly calls: Calls;
  readonly api: JobApi;
  readonly looks: Looks;
  readonly slots: Slots;
  readonly spending: Spending;
  readonly disk: Disk;
  readonly hands: Hands;
  readonly store: OutputStore | undefined;
  /** The first pause before something is asked of the store again, in milliseconds. */
  readonly backoffMs: number;
  readonly clock: Clock;
  /** If it is aborted, all waits end. */
  readonly signal: AbortSignal;
  readonly telling: Pick<Telling, 'begun' | 'charged' | 'remark' | 'waits' | 'over' | 'bug'>;
  /** The lock of the state file is still ours: no other run may have begun. Otherwise the run ends. */
  readonly isAlone: () => boolean;
  /** Looks once at what is due, and waits for nothing. */
  readonly isTick: boolean;
}
