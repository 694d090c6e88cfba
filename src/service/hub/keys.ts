// /hub/keys: creates keys with a name and permissions, shows a new key once, lists keys by their last four characters, and
// revokes them immediately (interface.md, Authentication).
import type { FastifyInstance } from 'fastify';
import { newKey } from '../endpoints.ts';
import { orNotFound } from '../errors.ts';
import type { ById, RouteDependencies } from '../http/app.ts';
import type { StoredAccount } from '../store/accounts.ts';
import { isPermission, type KeyRow, permissions } from '../store/keys.ts';
import {
  accountIn,
  fieldsOf,
  isoTime,
  maybeIsoTime,
  sendChanged,
  sendFacts,
  textsOf,
} from './exchange.ts';
import {
  accountSelect,
  button,
  code,
  html,
  page,
  secretPage,
  table,
  ticks,
  time,
} from './layout.ts';

const back = '/hub/keys';

export function hubKeyRoutes(
  hub: FastifyInstance,
  { accounts, keys, clock }: RouteDependencies,
): void {
  hub.get('/keys', (request, reply) => {
    const all = keys.all().map(viewOf);
    return sendFacts(request, reply, { keys: all }, () => keysPage(all, accounts.all()));
  });
  hub.post('/keys', async (request, reply) => {
    const fields = fieldsOf(newKey, request);
    const { name, permissions: may = permissions } = fields;
    const wanted = {
      name: String(name),
      account: accountIn(fields, accounts),
      permissions: textsOf(may).filter(isPermission),
    };
    const { row, key } = await keys.add(wanted, clock.now());
    return sendFacts(request, reply.code(201), { ...viewOf(row), key }, () =>
      secretPage('API key', row.name, key, back),
    );
  });
  hub.post<ById>('/keys/:id/revoke', async (request, reply) => {
    // Only in the form of the list: "1e0" is not an id.
    const { id } = request.params;
    const row = /^[1-9]\d{0,14}$/.test(id) ? await keys.revoke(Number(id), clock.now()) : undefined;
    return sendChanged(request, reply, viewOf(orNotFound(row)), back);
  });
}

function viewOf({ createdAt, revokedAt, ...key }: KeyRow) {
  return { ...key, created_at: isoTime(createdAt), revoked_at: maybeIsoTime(revokedAt) };
}

function keysPage(
  keys: readonly ReturnType<typeof viewOf>[],
  accounts: readonly StoredAccount[],
): string {
  return page('Keys', back, [
    table(keys, 'No keys.', {
      Name: ({ name }) => name,
      Key: ({ last4 }) => code(`…${last4}`),
      Permissions: (key) => key.permissions.join(', '),
      Account: ({ account }) => code(account),
      Created: ({ created_at }) => time(created_at),
      Revoked: ({ revoked_at }) => time(revoked_at),
      '': ({ id, revoked_at }) =>
        revoked_at === null ? button(`/hub/keys/${id}/revoke`, 'Revoke') : null,
    }),
    html`<h2>New key</h2>
      <form class="panel" method="post" action="/hub/keys">
        <label>Name <input name="name" required maxlength="200" /></label>
        ${ticks('Permissions', 'permissions', permissions, true)}
        ${accountSelect(accounts)}
        <button>Create key</button>
      </form>`,
  ]);
}
