// /hub/accounts and /hub/ledger.
import type { FastifyInstance } from 'fastify';
import { type Tier, tiers } from '../../../contract/api/tier.ts';
import { notFound } from '../../base/error-response.ts';
import { grant, newAccount, newTier } from '../../endpoints/hub-requests.ts';
import { sendError } from '../../http/app.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import type { ById } from '../../http/route-types.ts';
import { localAccount } from '../../store/accounts.ts';
import { fieldsOf } from '../form.ts';
import { accountsPage } from '../pages/accounts.ts';
import { ledgerPage } from '../pages/ledger.ts';
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
