// The select element for an account in a form.
import type { StoredAccount } from '../../store/accounts.ts';
import { type Html, html } from './layout.ts';

export function accountSelect(accounts: readonly StoredAccount[]): Html {
  return html`<label>
    Account
    <select name="account">
      ${accounts.map(({ id, email }) => html`<option value=${id}>${email}</option>`)}
    </select>
  </label>`;
}
