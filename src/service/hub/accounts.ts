// /hub/accounts and /hub/ledger.
import type { FastifyInstance } from 'fastify';
import { type Tier, tiers } from '../../contract/api/tier.ts';
import { grant, newAccount, newTier } from '../endpoints.ts';
import { orNotFound } from '../errors.ts';
import type { ById, RouteDependencies } from '../http/app.ts';
import type { LedgerEntry } from '../options.ts';
import { localAccount, type StoredAccount } from '../store/accounts.ts';
import { fieldsOf, sendChanged, sendFacts } from './exchange.ts';
import { code, type Html, html, number, page, table, time } from './layout.ts';

const back = '/hub/accounts';

export function hubAccountRoutes(
  hub: FastifyInstance,
  { accounts, clock }: RouteDependencies,
): void {
  hub.get('/accounts', (request, reply) => {
    const all = accounts.all();
    return sendFacts(request, reply, { accounts: all }, () => accountsPage(all));
  });
  hub.post('/accounts', async (request, reply) => {
    const { email = 'someone@localhost', credits = 10_000, tier } = fieldsOf(newAccount, request);
    const wanted = { email: String(email), tier: tierOf(tier), credits: Number(credits) };
    return sendChanged(request, reply, await accounts.add(wanted, clock.now()), back, 201);
  });
  hub.post<ById>('/accounts/:id/tier', async (request, reply) => {
    const tier = tierOf(fieldsOf(newTier, request)['tier']);
    const account = orNotFound(await accounts.setTier(request.params.id, tier));
    return sendChanged(request, reply, account, back);
  });
  hub.post<ById>('/accounts/:id/credits', async (request, reply) => {
    const credits = Number(fieldsOf(grant, request)['credits']);
    const account = orNotFound(await accounts.grant(request.params.id, credits, clock.now()));
    return sendChanged(request, reply, account, back);
  });
  hub.get<{ Querystring: { account?: string } }>('/ledger', (request, reply) => {
    const account = orNotFound(accounts.find(request.query.account ?? localAccount));
    const { id, credits: balance } = account;
    const entries = accounts.ledger(id);
    return sendFacts(request, reply, { account: id, balance, entries }, () =>
      ledgerPage(account, entries),
    );
  });
}

function tierOf(value: unknown): Tier {
  return tiers.find((tier) => tier === value) ?? 'pro';
}

function accountsPage(accounts: readonly StoredAccount[]): string {
  return page('Accounts', back, [
    table(accounts, 'No accounts.', {
      Account: ({ id }) => code(id),
      'Id for clients': ({ publicId }) => code(publicId),
      'E-mail': ({ email }) => email,
      Tier: ({ tier }) => tier,
      Credits: ({ id, credits }) =>
        html`<a class="number" href=${`/hub/ledger?account=${id}`}>${number(credits)}</a>`,
      Change: ({ id, tier }) => html`
        <form class="inline" method="post" action=${`/hub/accounts/${id}/tier`}>
          ${tierSelect(tier)} <button>Set tier</button>
        </form>
        <form class="inline" method="post" action=${`/hub/accounts/${id}/credits`}>
          <input name="credits" type="number" step="1" required aria-label=${`Credits to give to ${id}`} />
          <button>Give credits</button>
        </form>
      `,
    }),
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

/** The page shows this many entries; the JSON has all. */
const maxShownEntries = 500;

function ledgerPage(
  { id, credits: balance }: StoredAccount,
  entries: readonly LedgerEntry[],
): string {
  const newest = entries.slice(-maxShownEntries).reverse();
  const left = entries.length - newest.length;
  return page('Credits', '/hub/ledger', [
    html`<p>Account <code>${id}</code> has <strong>${number(balance)} credits</strong>.</p>`,
    table(newest, 'No credits have moved yet.', {
      '#': ({ seq }) => seq,
      When: ({ at }) => time(at),
      What: ({ kind }) => kind,
      Credits: ({ kind, credits }) =>
        html`<span class="number">${kind === 'charge' ? '−' : credits < 0 ? '' : '+'}${number(credits)}</span>`,
      Project: ({ project, name }) =>
        project === null ? '–' : html`<a href=${`/hub/projects/${project}`}>${name}</a>`,
      Tool: ({ tool }) => tool ?? '–',
    }),
    left > 0
      ? html`<p class="dim">${number(left)} earlier entries are in the JSON of this page.</p>`
      : null,
  ]);
}
