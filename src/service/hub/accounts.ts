// /hub/accounts and /hub/ledger.
import type { FastifyInstance } from 'fastify';
import { type Tier, tiers } from '../../contract/api/tier.ts';
import { orNotFound } from '../base/error-response.ts';
import type { LedgerEntry } from '../base/ledger-entry.ts';
import { grant, newAccount, newTier } from '../endpoints/hub-requests.ts';
import type { Dependencies } from '../http/dependencies.ts';
import type { ById } from '../http/route-types.ts';
import { localAccount, type StoredAccount } from '../store/accounts.ts';
import { fieldsOf, sendChanged, sendFacts } from './exchange.ts';
import { code, type Html, html, number, page, table, time } from './layout.ts';

type Of = { Querystring: { account?: string } };
const back = '/hub/accounts';

export function hubAccountRoutes(hub: FastifyInstance, { accounts, clock }: Dependencies): void {
  hub.get('/accounts', (request, reply) => {
    const all = accounts.all();
    return sendFacts(request, reply, { accounts: all }, () => accountsPage(all));
  });
  hub.post('/accounts', async (request, reply) => {
    const { email = 'someone@localhost', credits = 10_000, tier } = fieldsOf(newAccount, request);
    const wanted = { email: String(email), tier: tierOf(tier), credits: Number(credits) };
    const made = await accounts.add(wanted, clock.now());
    return sendChanged(request, reply, made, { status: 201, back });
  });
  hub.post<ById>('/accounts/:id/tier', async (request, reply) => {
    const tier = tierOf(fieldsOf(newTier, request)['tier']);
    const account = orNotFound(await accounts.setTier(request.params.id, tier));
    return sendChanged(request, reply, account, { back });
  });
  hub.post<ById>('/accounts/:id/credits', async (request, reply) => {
    const credits = Number(fieldsOf(grant, request)['credits']);
    const account = orNotFound(await accounts.grant(request.params.id, credits, clock.now()));
    return sendChanged(request, reply, account, { back });
  });
  hub.get<Of>('/ledger', (request, reply) => {
    const account = orNotFound(accounts.find(request.query.account ?? localAccount));
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
  const columns = {
    Account: ({ id }: StoredAccount) => code(id),
    'Id for clients': ({ publicId }: StoredAccount) => code(publicId),
    'E-mail': ({ email }: StoredAccount) => email,
    Tier: ({ tier }: StoredAccount) => tier,
    Credits: ({ id, credits }: StoredAccount) =>
      html`<a class="number" href=${`/hub/ledger?account=${id}`}>${number(credits)}</a>`,
    Change: ({ id, tier }: StoredAccount) => html`
      <form class="inline" method="post" action=${`/hub/accounts/${id}/tier`}>
        ${tierSelect(tier)} <button>Set tier</button>
      </form>
      <form class="inline" method="post" action=${`/hub/accounts/${id}/credits`}>
        <input name="credits" type="number" step="1" required aria-label=${`Credits to give to ${id}`} />
        <button>Give credits</button>
      </form>
    `,
  };
  return page('Accounts', back, [
    table(accounts, columns, 'No accounts.'),
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

// The page of the ledger: the newest movements of credits.

interface LedgerView {
  readonly account: string;
  readonly balance: number;
  readonly entries: readonly LedgerEntry[];
}

/** The page shows this many entries; the JSON has all. */
const mostRows = 500;

const ledgerColumns = {
  '#': ({ seq }: LedgerEntry) => seq,
  When: ({ at }: LedgerEntry) => time(at),
  What: ({ kind }: LedgerEntry) => kind,
  Credits: ({ kind, credits }: LedgerEntry) =>
    html`<span class="number">${kind === 'charge' ? '−' : credits < 0 ? '' : '+'}${number(credits)}</span>`,
  Project: ({ project, name }: LedgerEntry) =>
    project === null ? '–' : html`<a href=${`/hub/projects/${project}`}>${name}</a>`,
  Tool: ({ tool }: LedgerEntry) => tool ?? '–',
};

function ledgerPage({ account, balance, entries }: LedgerView): string {
  const newest = entries.slice(-mostRows).reverse();
  const left = entries.length - newest.length;
  return page('Credits', '/hub/ledger', [
    html`<p>Account <code>${account}</code> has <strong>${number(balance)} credits</strong>.</p>`,
    table(newest, ledgerColumns, 'No credits have moved yet.'),
    left > 0
      ? html`<p class="dim">${number(left)} earlier entries are in the JSON of this page.</p>`
      : null,
  ]);
}
