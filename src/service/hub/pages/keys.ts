// The page of keys: their permissions, and forms to create and revoke keys.
import type { StoredAccount } from '../../store/accounts.ts';
import { permissions } from '../../store/keys.ts';
import type { KeyView } from '../views.ts';
import { accountSelect } from './account-select.ts';
import { button, html, page, table, time } from './layout.ts';

export function keysPage(keys: readonly KeyView[], accounts: readonly StoredAccount[]): string {
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
