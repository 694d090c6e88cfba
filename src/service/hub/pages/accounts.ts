// The page of accounts: their tiers and balances, and forms to change them.
import { tiers } from '../../../contract/api/tier.ts';
import type { StoredAccount } from '../../store/accounts.ts';
import { type Html, html, number, page, table } from './layout.ts';

export function accountsPage(accounts: readonly StoredAccount[]): string {
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
