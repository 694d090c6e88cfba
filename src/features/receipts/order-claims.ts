// Claims in the receipts what the coordinator of a distributed run orders of its workers.

import type { OrderClaims } from '../../distributed/order-claims.ts';
import type { Ledger } from '../../model/ledger.ts';
import { stateAfter } from '../../model/state.ts';
import type { CreateOrder } from '../../run/jobs/job.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { OpenedReceipts } from './open-remembered.ts';

interface Claiming extends OpenedReceipts {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
}

export function orderClaims({ book, remembered, ledger, clock }: Claiming): OrderClaims {
  return {
    claim(order) {
      const { fingerprint: job, task, kind, attempt, name, reserve, expectation, take } = order;
      const { measure } = expectation;
      const at = new Date(clock.now()).toISOString();
      const intent = { event: 'intent', job, task, kind, attempt, name, reserve, measure } as const;
      const known = ledger.job(job);
      const begun = stateAfter(known, { ...intent, seq: 1, at, ...(take && { take }) });
      // The database decides about an order that no longer fits.
      if (!begun.ok) return true;
      if (remembered.claim(begun.value, isOnPurpose(order), known) === 'busy') return false;
      book.ordered(begun.value);
      return true;
    },
    begun: (name) => book.begun(name),
    withdraw: (name) => book.withdraw(name),
  };
}

/** Another take is paid for whatever is remembered. */
const isOnPurpose = ({ saveTo }: CreateOrder): boolean => saveTo !== undefined;
