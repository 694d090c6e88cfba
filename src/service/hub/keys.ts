// /hub/keys: creates keys with a name and permissions, shows a new key once, lists keys by their last four characters, and
// revokes them immediately (interface.md, Authentication).
import type { FastifyInstance } from 'fastify';
import { orNotFound } from '../base/error-response.ts';
import { newKey } from '../endpoints/hub-requests.ts';
import type { Dependencies } from '../http/dependencies.ts';
import type { ById } from '../http/route-types.ts';
import type { StoredAccount } from '../store/accounts.ts';
import { isPermission, permissions } from '../store/keys.ts';
import { accountIn, fieldsOf, sendChanged, sendFacts, textsOf } from './exchange.ts';
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
import { type KeyView, keyView } from './views.ts';

const back = '/hub/keys';

export function hubKeyRoutes(hub: FastifyInstance, { accounts, keys, clock }: Dependencies): void {
  hub.get('/keys', (request, reply) => {
    const all = keys.all().map(keyView);
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
    return sendFacts(request, reply.code(201), { ...keyView(row), key }, () =>
      secretPage('API key', row.name, key, back),
    );
  });
  hub.post<ById>('/keys/:id/revoke', async (request, reply) => {
    // Only in the form of the list: "1e0" is not an id.
    const { id } = request.params;
    const row = /^[1-9]\d{0,14}$/.test(id) ? await keys.revoke(Number(id), clock.now()) : undefined;
    return sendChanged(request, reply, keyView(orNotFound(row)), { back });
  });
}

const columns = {
  Name: ({ name }: KeyView) => name,
  Key: ({ last4 }: KeyView) => code(`…${last4}`),
  Permissions: (key: KeyView) => key.permissions.join(', '),
  Account: ({ account }: KeyView) => code(account),
  Created: ({ created_at }: KeyView) => time(created_at),
  Revoked: ({ revoked_at }: KeyView) => time(revoked_at),
  '': ({ id, revoked_at }: KeyView) =>
    revoked_at === null ? button(`/hub/keys/${id}/revoke`, 'Revoke') : null,
};

function keysPage(keys: readonly KeyView[], accounts: readonly StoredAccount[]): string {
  return page('Keys', back, [
    table(keys, columns, 'No keys.'),
    html`<h2>New key</h2>
      <form class="panel" method="post" action="/hub/keys">
        <label>Name <input name="name" required maxlength="200" /></label>
        ${ticks('Permissions', 'permissions', permissions, true)}
        ${accountSelect(accounts)}
        <button>Create key</button>
      </form>`,
  ]);
}
