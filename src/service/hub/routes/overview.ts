// /hub: the newest projects with their pictures, and the credits.
import type { FastifyInstance } from 'fastify';
import type { LedgerEntry } from '../../base/ledger-entry.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { localAccount, type StoredAccount } from '../../store/accounts.ts';
import { creditChart } from '../pages/chart.ts';
import { html, number, page } from '../pages/layout.ts';
import { projectCards } from '../pages/projects.ts';
import { sendFacts } from '../respond.ts';
import { type ProjectView, projectView } from '../views.ts';

export function overviewRoute(hub: FastifyInstance, dependencies: Dependencies): void {
  const { accounts, projects } = dependencies;
  hub.get('/', (request, reply) => {
    const newest = projects
      .list({ limit: 24 })
      .map((project) => projectView(project, dependencies));
    const overview = { accounts: accounts.all(), projects: newest };
    return sendFacts(request, reply, overview, () =>
      overviewPage(overview, accounts.ledger(localAccount)),
    );
  });
}

// The first page of the hub.

interface Overview {
  readonly accounts: readonly StoredAccount[];
  readonly projects: readonly ProjectView[];
}

function overviewPage({ accounts, projects }: Overview, entries: readonly LedgerEntry[]): string {
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
