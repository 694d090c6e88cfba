// Resolves the doubts of a rehearsal by asking the local service for projects by name. The hosted service has no list
// of projects, so the user must resolve its doubts. The local service was killed together with the run, and knows
// exactly which creations it accepted.

import { notTaken } from '../model/settled.ts';
import { jobFacts } from '../model/state.ts';
import type { Journal } from '../run/jobs/ports.ts';
import type { LedgerEntry } from './local-service.ts';

/** Resolves every doubt of an interrupted rehearsal from the local service's own ledger. */
export function resolveFromLedger(journal: Journal, entries: () => readonly LedgerEntry[]): void {
  const open = [...journal.ledger.jobs()].filter(({ state }) => jobFacts[state].inDoubt);
  if (open.length === 0) return;
  const charges = new Map(
    entries()
      .filter(({ kind }) => kind === 'charge')
      .map((entry) => [entry.name, entry]),
  );
  for (const { job, name } of open) {
    const charge = name === undefined ? undefined : charges.get(name);
    if (charge === undefined || charge.project === null) {
      const error = { code: 'never_taken', message: 'the local service has no such project' };
      journal.append([notTaken(job, error)]);
    } else {
      const { project, credits } = charge;
      journal.append([{ event: 'created', job, project, credits: credits }]);
    }
  }
}
