// /hub/keys: creates keys with a name and permissions, shows a new key once, lists keys by their last four characters, and
// revokes them immediately (interface.md, Authentication).
import type { FastifyInstance } from 'fastify';
import { badRequest, notFound } from '../../base/error-response.ts';
import { newKey } from '../../endpoints/hub-requests.ts';
import { sendError } from '../../http/app.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import type { ById } from '../../http/route-types.ts';
import { localAccount, type StoredAccount } from '../../store/accounts.ts';
import { isPermission, permissions } from '../../store/keys.ts';
import { fieldsOf } from '../form.ts';
import { accountSelect } from '../pages/account-select.ts';
import { button, html, page, table, time } from '../pages/layout.ts';
import { secretPage } from '../pages/secret.ts';
import { sendChanged, sendFacts, wantsPage } from '../respond.ts';
import { type KeyView, keyView } from '../views.ts';

const back = '/hub/keys';

export function hubKeyRoutes(hub: FastifyInstance, { accounts, keys, clock }: Dependencies): void {
  hub.get('/keys', (request, reply) => {
    const all = keys.all().map(keyView);
    return sendFacts(request, reply, { keys: all }, () => keysPage(all, accounts.all()));
  });
  hub.post('/keys', async (request, reply) => {
    const fields = fieldsOf(newKey, request);
    if (!fields.ok) return sendError(reply, fields.error);
    const { name, permissions: may = permissions, account = localAccount } = fields.value;
    if (accounts.find(String(account)) === undefined)
      return sendError(reply, badRequest(`Invalid request: there is no account ${account}.`).error);
    const wanted = {
      name: String(name),
      account: String(account),
      permissions: (Array.isArray(may) ? may : []).map(String).filter(isPermission),
    };
    const { row, key } = await keys.add(wanted, clock.now());
    reply.code(201);
    if (wantsPage(request))
      return reply
        .type('text/html; charset=utf-8')
        .send(secretPage('API key', row.name, key, back));
    return reply.send({ ...keyView(row), key });
  });
  hub.post<ById>('/keys/:id/revoke', async (request, reply) => {
    // Only in the form of the list: "1e0" is not an id.
    const { id } = request.params;
    const row = /^[1-9]\d{0,14}$/.test(id) ? await keys.revoke(Number(id), clock.now()) : undefined;
    if (row === undefined) return sendError(reply, notFound);
    return sendChanged(request, reply, keyView(row), { back });
  });
}

// The page of keys: their permissions, and forms to create and revoke keys.

function keysPage(keys: readonly KeyView[], accounts: readonly StoredAccount[]): string {
  return page('Keys', '/hub/keys', [
    table(
      ['Name', 'Key', 'Permissions', 'Account', 'Created', 'Revoked', ''],
      keys.map(
        (key) => html`
          <tr>
            <td>${key.name}</td>
            <td><code>…${key.last4}</code></td>
            <td>${key.permissions.join(', ')}</td>
            <td><code>${key.account}</code></td>
            <td>${time(key.created_at)}</td>
            <td>${time(key.revoked_at)}</td>
            <td>${key.revoked_at === null ? button(`/hub/keys/${key.id}/revoke`, 'Revoke') : null}</td>
          </tr>
        `,
      ),
      'No keys.',
    ),
    html`<h2>New key</h2>
      <form class="panel" method="post" action="/hub/keys">
        <label>Name <input name="name" required maxlength="200" /></label>
        <fieldset>
          <legend>Permissions</legend>
          ${permissions.map(
            (name) =>
              html`<label class="tick"><input type="checkbox" name="permissions" value=${name} checked />${name}</label>`,
          )}
        </fieldset>
        ${accountSelect(accounts)}
        <button>Create key</button>
      </form>`,
  ]);
}
