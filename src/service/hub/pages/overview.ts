// The first page of the hub.
import type { LedgerEntry } from '../../base/ledger-entry.ts';
import type { StoredAccount } from '../../store/accounts.ts';
import type { ProjectView } from '../views.ts';
import { creditChart } from './chart.ts';
import { html, number, page } from './layout.ts';
import { projectCards } from './projects.ts';

interface Overview {
  readonly accounts: readonly StoredAccount[];
  readonly projects: readonly ProjectView[];
}

export function overviewPage(
  { accounts, projects }: Overview,
  entries: readonly LedgerEntry[],
): string {
  const sum = (kind: LedgerEntry['kind']): number =>
    entries.filter((entry) => entry.kind === kind).reduce((all, { credits }) => all + credits, 0);
  const figures: readonly (readonly [string, number])[] = [
    ['Credits left', accounts[0]?.credits ?? 0],
    ['Charged', sum('charge')],
    ['Refunded', sum('refund')],
  ];
  return page('Overview', '/hub', [
    html`<dl class="figures">
      ${figures.map(([name, value]) => html`<div><dt>${name}</dt><dd>${number(value)}</dd></div>`)}
    </dl>`,
    html`<h2>Credits over time</h2>`,
    creditChart(entries),
    html`<h2>Newest projects</h2>`,
    projectCards(projects),
  ]);
}
