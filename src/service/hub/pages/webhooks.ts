// The pages of webhooks and of their deliveries.
import { eventKinds } from '../../../contract/api/event.ts';
import type { StoredAccount } from '../../store/accounts.ts';
import type { DeliveryView, WebhookView } from '../views.ts';
import { accountSelect } from './account-select.ts';
import { badge, button, type Html, html, page, table, time } from './layout.ts';

export function webhooksPage(
  webhooks: readonly WebhookView[],
  accounts: readonly StoredAccount[],
): string {
  return page('Webhooks', '/hub/webhooks', [
    table(
      ['Address', 'Events', 'Account', 'Since', ''],
      webhooks.map(
        ({ id, url, events, account, created_at, removed_at }) => html`
          <tr>
            <td><code>${url}</code></td>
            <td>${events.length === eventKinds.length ? 'all' : events.join(', ')}</td>
            <td><code>${account}</code></td>
            <td>${time(created_at)}</td>
            <td>
              <a href=${`/hub/deliveries?webhook=${id}`}>Deliveries</a>${' '}
              ${removed_at === null ? button(`/hub/webhooks/${id}/remove`, 'Remove') : 'removed'}
            </td>
          </tr>
        `,
      ),
      'No webhooks. The service sends events to the addresses that you register here.',
    ),
    html`<h2>New webhook</h2>
      <form class="panel" method="post" action="/hub/webhooks">
        <label>
          Address (https://, or http:// on this machine)
          <input name="url" type="url" required placeholder="http://127.0.0.1:8080/events" />
        </label>
        <fieldset>
          <legend>Events (none selected: all)</legend>
          ${eventKinds.map(
            (kind) =>
              html`<label class="tick"><input type="checkbox" name="events" value=${kind} />${kind}</label>`,
          )}
        </fieldset>
        ${accountSelect(accounts)}
        <button>Register</button>
      </form>`,
  ]);
}

export function deliveriesPage(deliveries: readonly DeliveryView[]): string {
  return page('Deliveries', '/hub/deliveries', deliveryTable(deliveries));
}

export function deliveryTable(deliveries: readonly DeliveryView[]): Html {
  return table(
    ['Event', 'State', 'NewEvent', 'Attempts', 'Next', 'Project', ''],
    deliveries.map(
      ({ id, type, state, created_at, attempts, next_at, project }) => html`
        <tr>
          <td>${type}</td>
          <td>${badge(state)}</td>
          <td>${time(created_at)}</td>
          <td>
            ${attempts.map(
              ({ at, status, error }) => html`<div>${time(at)} → ${status ?? error}</div>`,
            )}
          </td>
          <td>${time(next_at)}</td>
          <td><a href=${`/hub/projects/${project}`}><code>${project.slice(0, 8)}</code></a></td>
          <td>${button(`/hub/deliveries/${id}/replay`, 'Send again')}</td>
        </tr>
      `,
    ),
    'No events yet.',
  );
}
