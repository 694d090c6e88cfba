// /hub/webhooks and /hub/deliveries: where events go, and what was sent (interface.md, Events).
import type { FastifyInstance } from 'fastify';
import { eventKinds, isEventKind } from '../../contract/api/event.ts';
import { orNotFound, RequestError } from '../base/error-response.ts';
import { newWebhook } from '../endpoints/hub-requests.ts';
import { isDeliveryState } from '../events/deliveries.ts';
import { checkWebhookUrl } from '../events/webhooks.ts';
import type { Dependencies } from '../http/dependencies.ts';
import type { ById } from '../http/route-types.ts';
import type { StoredAccount } from '../store/accounts.ts';
import { accountIn, fieldsOf, limitOf, sendChanged, sendFacts, textsOf } from './exchange.ts';
import {
  accountSelect,
  badge,
  button,
  code,
  type Html,
  html,
  page,
  secretPage,
  table,
  ticks,
  time,
} from './layout.ts';
import { type DeliveryView, deliveryView, type WebhookView, webhookView } from './views.ts';

interface DeliveriesQuery {
  readonly webhook?: string;
  readonly project?: string;
  readonly state?: string;
  readonly limit?: string;
}
const back = '/hub/webhooks';

export function hubWebhookRoutes(hub: FastifyInstance, dependencies: Dependencies): void {
  const { accounts, webhooks, deliveries, eventDispatcher, clock } = dependencies;
  hub.get('/webhooks', (request, reply) => {
    const all = webhooks.all().map(webhookView);
    return sendFacts(request, reply, { webhooks: all }, () => webhooksPage(all, accounts.all()));
  });
  hub.post('/webhooks', async (request, reply) => {
    const fields = fieldsOf(newWebhook, request);
    const address = checkWebhookUrl(String(fields['url']));
    if (!address.ok)
      throw new RequestError({ status: 400, message: `Invalid request: url: ${address.error}.` });
    const account = accountIn(fields, accounts);
    const kinds = textsOf(fields['events']).filter(isEventKind);
    const made = await webhooks.add({ url: address.value, kinds, account }, clock.now());
    const { url, secret } = made;
    return sendFacts(request, reply.code(201), { ...webhookView(made), secret }, () =>
      secretPage('Webhook secret', url, secret, back),
    );
  });
  hub.post<ById>('/webhooks/:id/remove', async (request, reply) => {
    const webhook = orNotFound(await webhooks.remove(request.params.id, clock.now()));
    return sendChanged(request, reply, webhookView(webhook), { back });
  });

  hub.get<{ Querystring: DeliveriesQuery }>('/deliveries', (request, reply) => {
    const { webhook, project, state } = request.query;
    const limit = limitOf(request.query.limit);
    if (state !== undefined && !isDeliveryState(state)) {
      const message = `${JSON.stringify(state)} is not a state of a delivery.`;
      throw new RequestError({ status: 400, message });
    }
    const list = deliveries.list({ webhook, project, state, limit }).map(deliveryView);
    return sendFacts(request, reply, { deliveries: list }, () =>
      page('Deliveries', '/hub/deliveries', deliveryTable(list)),
    );
  });
  hub.post<ById>('/deliveries/:id/replay', async (request, reply) => {
    const again = orNotFound(await deliveries.replay(request.params.id, clock.now()));
    eventDispatcher.wake();
    const answer = { status: 202, back: '/hub/deliveries' };
    return sendChanged(request, reply, deliveryView(again), answer);
  });
}

const webhookColumns = {
  Address: ({ url }: WebhookView) => code(url),
  Events: ({ events }: WebhookView) =>
    events.length === eventKinds.length ? 'all' : events.join(', '),
  Account: ({ account }: WebhookView) => code(account),
  Since: ({ created_at }: WebhookView) => time(created_at),
  '': ({ id, removed_at }: WebhookView) => html`
    <a href=${`/hub/deliveries?webhook=${id}`}>Deliveries</a>${' '}
    ${removed_at === null ? button(`/hub/webhooks/${id}/remove`, 'Remove') : 'removed'}
  `,
};

function webhooksPage(
  webhooks: readonly WebhookView[],
  accounts: readonly StoredAccount[],
): string {
  const empty = 'No webhooks. The service sends events to the addresses that you register here.';
  return page('Webhooks', back, [
    table(webhooks, webhookColumns, empty),
    html`<h2>New webhook</h2>
      <form class="panel" method="post" action="/hub/webhooks">
        <label>
          Address (https://, or http:// on this machine)
          <input name="url" type="url" required placeholder="http://127.0.0.1:8080/events" />
        </label>
        ${ticks('Events (none selected: all)', 'events', eventKinds, false)}
        ${accountSelect(accounts)}
        <button>Register</button>
      </form>`,
  ]);
}

const deliveryColumns = {
  Event: ({ type }: DeliveryView) => type,
  State: ({ state }: DeliveryView) => badge(state),
  Created: ({ created_at }: DeliveryView) => time(created_at),
  Attempts: ({ attempts }: DeliveryView) =>
    attempts.map(({ at, status, error }) => html`<div>${time(at)} → ${status ?? error}</div>`),
  Next: ({ next_at }: DeliveryView) => time(next_at),
  Project: ({ project }: DeliveryView) =>
    html`<a href=${`/hub/projects/${project}`}><code>${project.slice(0, 8)}</code></a>`,
  '': ({ id }: DeliveryView) => button(`/hub/deliveries/${id}/replay`, 'Send again'),
};

export const deliveryTable = (deliveries: readonly DeliveryView[]): Html =>
  table(deliveries, deliveryColumns, 'No events yet.');
