// The page of the ledger: credits over time, and the newest entries.
import type { LedgerView } from '../views.ts';
import { creditChart } from './chart.ts';
import { html, number, page, table, time } from './layout.ts';

/** The page shows this many entries; the JSON has all. */
const mostRows = 500;

export function ledgerPage({ account, balance, entries }: LedgerView): string {
  const newest = entries.slice(-mostRows).reverse();
  const left = entries.length - newest.length;
  return page('Credits', '/hub/ledger', [
    html`<p>Account <code>${account}</code> has <strong>${number(balance)} credits</strong>.</p>`,
    creditChart(entries),
    table(
      ['#', 'When', 'What', 'Credits', 'Project', 'Tool'],
      newest.map(
        ({ seq, at, kind, credits, project, name, tool }) => html`
          <tr>
            <td class="number">${seq}</td>
            <td>${time(at)}</td>
            <td>${kind}</td>
            <td class="number">${kind === 'charge' ? '−' : credits < 0 ? '' : '+'}${number(credits)}</td>
            <td>${project === null ? '–' : html`<a href=${`/hub/projects/${project}`}>${name}</a>`}</td>
            <td>${tool ?? '–'}</td>
          </tr>
        `,
      ),
      'No credits have moved yet.',
    ),
    left > 0
      ? html`<p class="dim">${number(left)} earlier entries are in the JSON of this page.</p>`
      : null,
  ]);
}
