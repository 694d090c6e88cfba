// What must hold when a tortured distributed run is complete, besides the invariants of every run (invariants.ts).
import { readFileSync } from 'node:fs';
import type { LocalService } from '../src/service/start.ts';
import { type CheckContext, checkAlways, checkEnd, checkLedgers } from './invariants.ts';
import type { LedgerAudit } from './ledger-audit.ts';

export function checkEngineEnd(
  audit: LedgerAudit,
  service: LocalService,
  context: CheckContext,
): readonly string[] {
  return [
    ...checkAlways(audit, context),
    ...checkLedgers(audit),
    ...checkEnd(audit, context),
    ...noNameTwice(service),
    ...isHome(context),
  ];
}

/** Also when a charge was refunded: two projects of one name mean that a creation was sent twice. */
export function noNameTwice(service: LocalService): readonly string[] {
  const charges = new Map<string, string[]>();
  for (const { kind, name, project } of service.ledger())
    if (kind === 'charge' && name !== null)
      charges.set(name, [...(charges.get(name) ?? []), project ?? 'no project']);
  return [...charges]
    .filter(([, projects]) => projects.length > 1)
    .map(
      ([name, projects]) => `${name} was charged ${projects.length} times: ${projects.join(', ')}`,
    );
}

/** The record is exported: the state file is not marked as away. */
function isHome({ workspace }: CheckContext): readonly string[] {
  const [header = ''] = readFileSync(workspace.state, 'utf8').split('\n');
  return header.includes('"away"') ? [`the state file is still away: ${header}`] : [];
}
