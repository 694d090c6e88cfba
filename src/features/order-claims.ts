// Claims in the receipts what the coordinator of a distributed run orders of its workers, and says there what became of it.
import type { OrderClaims } from '../distributed/engine-performer.ts';
import { supersededOf } from '../model/job-view.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Job } from '../model/record/line.ts';
import { stateAfter } from '../model/state.ts';
import type { Clock } from '../run/jobs/ports.ts';
import type { Receipts } from '../state/receipts.ts';
import type { RememberedPayments } from './remembered-payments.ts';

interface Claiming {
  readonly receipts: Receipts;
  readonly remembered: Pick<RememberedPayments, 'claim'>;
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
}

export function orderClaims({ receipts, remembered, ledger, clock }: Claiming): OrderClaims {
  /** By the name of the attempt: no record says that these are begun. */
  const ordered = new Map<string, Job>();
  return {
    claim(order) {
      const { fingerprint: job, task, kind, attempt, name, reserve, expectation, take } = order;
      const { measure } = expectation;
      const at = new Date(clock.now()).toISOString();
      const intent = { event: 'intent', job, task, kind, attempt, name, reserve, measure } as const;
      const begun = stateAfter(ledger.job(job), { ...intent, at, ...(take && { take }) });
      // The database decides about an order that no longer fits.
      if (!begun.ok) return true;
      const line = supersededOf(begun.value);
      if (remembered.claim(line, name) !== undefined) return false;
      ordered.set(name, line);
      return true;
    },
    begun: (name) => void ordered.delete(name),
    withdraw(name) {
      const line = ordered.get(name);
      if (line !== undefined) receipts.note(neverSent(line, (attempt) => attempt === name));
      ordered.delete(name);
    },
  };
}

/**
 * Nobody performs the orders of this run now. What its record does not know was certainly never sent; what workers have
 * recorded while nobody coordinated it is noted. `changed`: the jobs that something has happened to.
 */
export function catchUp(
  receipts: Receipts,
  ledger: Ledger,
  { run, changed = [] }: { readonly run: string; readonly changed?: Iterable<string> },
): void {
  for (const job of changed) {
    const line = ledger.lineOf(job);
    if (line !== undefined) receipts.note(line);
  }
  for (const { line, orderedBy } of receipts.ownLines()) {
    if (orderedBy !== run) continue;
    const known = ledger.lineOf(line.job)?.attempts.map(({ name }) => name) ?? [];
    const isLost = (name: string): boolean => !known.includes(name);
    if (line.attempts.some(({ name, state }) => state === 'intended' && isLost(name)))
      receipts.note(neverSent(line, isLost));
  }
  receipts.flush();
}

const neverSent = (line: Job, isIt: (attempt: string) => boolean): Job => ({
  ...line,
  attempts: line.attempts.map((attempt) =>
    attempt.state === 'intended' && isIt(attempt.name)
      ? {
          ...attempt,
          state: 'refused',
          fault: { code: 'withheld', message: 'no worker has sent it' },
        }
      : attempt,
  ),
});
