// /hub/accounts and /hub/ledger.
import type { FastifyInstance } from 'fastify';
import { type Tier, tiers } from '../../../contract/api/tier.ts';
import { notFound } from '../../base/error-response.ts';
import { grant, newAccount, newTier } from '../../endpoints/hub-requests.ts';
import { sendError } from '../../http/app.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import type { ById } from '../../http/route-types.ts';
import { localAccount, type StoredAccount } from '../../store/accounts.ts';
import { fieldsOf } from '../form.ts';
import { creditChart } from '../pages/chart.ts';
import { type Html, html, number, page, table, time } from '../pages/layout.ts';
import { sendChanged, sendFacts } from '../respond.ts';
import type { LedgerView } from '../views.ts';

type Of = { Querystring: { account?: string } };
const back = '/hub/accounts';

export function hubAccountRoutes(hub: FastifyInstance, { accounts, clock }: Dependencies): void {
  hub.get('/accounts', (request, reply) => {
    const all = accounts.all();
    return sendFacts(request, reply, { accounts: all }, () => accountsPage(all));
  });
  hub.post('/accounts', async (request, reply) => {
    const fields = fieldsOf(newAccount, request);
    if (!fields.ok) return sendError(reply, fields.error);
    const { email = 'someone@localhost', credits = 10_000 } = fields.value;
    const made = await accounts.add(
      { email: String(email), tier: tierOf(fields.value['tier']), credits: Number(credits) },
      clock.now(),
    );
    return sendChanged(request, reply, made, { status: 201, back });
  });
  hub.post<ById>('/accounts/:id/tier', async (request, reply) => {
    const fields = fieldsOf(newTier, request);
    if (!fields.ok) return sendError(reply, fields.error);
    const account = await accounts.setTier(request.params.id, tierOf(fields.value['tier']));
    if (account === undefined) return sendError(reply, notFound);
    return sendChanged(request, reply, account, { back });
  });
  hub.post<ById>('/accounts/:id/credits', async (request, reply) => {
    const fields = fieldsOf(grant, request);
    if (!fields.ok) return sendError(reply, fields.error);
    const credits = Number(fields.value['credits']);
    const account = await accounts.grant(request.params.id, credits, clock.now());
    if (account === undefined) return sendError(reply, notFound);
    return sendChanged(request, reply, account, { back });
  });
  hub.get<Of>('/ledger', (request, reply) => {
    const account = accounts.find(request.query.account ?? localAccount);
    if (account === undefined) return sendError(reply, notFound);
    const { id, credits: balance } = account;
    const ledger: LedgerView = { account: id, balance, entries: accounts.ledger(id) };
    return sendFacts(request, reply, ledger, () => ledgerPage(ledger));
  });
}

function tierOf(value: unknown): Tier {
  return tiers.find((known) => known === value) ?? 'pro';
}

// The page of accounts: their tiers and balances, and forms to change them.

function accountsPage(accounts: readonly StoredAccount[]): string {
  return page('Accounts', '/hub/accounts', [
    table(
      ['Account', 'Id for clients', 'E-mail', 'Tier', 'Credits', 'Change'],
      accounts.map(
        ({ id, publicId, email, tier, credits }) => html`
          <tr>
            <td><code>${id}</code></td>
            <td><code>${publicId}</code></td>
            <td>${email}</td>
            <td>${tier}</td>
            <td class="number"><a href=${`/hub/ledger?account=${id}`}>${number(credits)}</a></td>
            <td>
              <form class="inline" method="post" action=${`/hub/accounts/${id}/tier`}>
                ${tierSelect(tier)} <button>Set tier</button>
              </form>
              <form class="inline" method="post" action=${`/hub/accounts/${id}/credits`}>
                <input name="credits" type="number" step="1" required aria-label=${`Credits to give to ${id}`} />
                <button>Give credits</button>
              </form>
            </td>
          </tr>
        `,
      ),
      'No accounts.',
    ),
    html`<h2>New account</h2>
      <form class="panel" method="post" action="/hub/accounts">
        <label>E-mail <input name="email" type="email" required /></label>
        <label>Tier ${tierSelect('pro')}</label>
        <label>Opening balance <input name="credits" type="number" min="0" step="1" value="10000" /></label>
        <button>Add account</button>
      </form>`,
  ]);
}

function tierSelect(chosen: string): Html {
  return html`<select name="tier" aria-label="Tier">
    ${tiers.map((tier) => html`<option selected=${tier === chosen}>${tier}</option>`)}
  </select>`;
}

// The page of the ledger: credits over time, and the newest entries.

/** The page shows this many entries; the JSON has all. */
const mostRows = 500;

function ledgerPage({ account, balance, entries }: LedgerView): string {
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
