// What a plan finds beside its rows: what subscription plans would refuse, the items with nothing to do, and those with something
// to pay for or to wait for.

import type { Ledger } from '../model/ledger.ts';
import { reuseEvents } from '../model/reuse-events.ts';
import type { PlannedTask } from './planned-action.ts';

/** The items with nothing to do, which the run only reports: a set of places. A million of them take 125 KB. */
export class SettledItems {
  #bits = new Uint8Array(64);

  /** `place`: the place of the item among all items. */
  add(place: number): void {
    const byte = place >> 3;
    if (byte >= this.#bits.length) {
      const larger = new Uint8Array(byte * 2);
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (place & 7));
  }

  has(place: number): boolean {
    return ((this.#bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0;
  }
}

/** True if a run only reports the task: it is settled, or skipped as the state file knows. */
export function isAtRest(planned: PlannedTask, ledger: Ledger): boolean {
  const { action, task, why, times } = planned;
  if (action !== 'skipped') return isSettled(planned, ledger);
  return times === undefined && !ledger.lacks({ task, state: 'skipped', why });
}

/** True if the task's result is here, its files are those that were saved, and the state file says so already. */
export function isSettled(planned: PlannedTask, ledger: Ledger): boolean {
  const { action, task, step, files, fingerprint, times } = planned;
  if (action !== 'reuse' || files !== undefined || times !== undefined) return false;
  const job = fingerprint === undefined ? undefined : ledger.job(fingerprint);
  return job !== undefined && reuseEvents(task, step.kind.operation, job, ledger).length === 0;
}
