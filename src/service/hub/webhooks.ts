// /hub/webhooks and /hub/deliveries: where events go, and what was sent (interface.md, Events).
import type { FastifyInstance } from 'fastify';
import { eventKinds, isEventKind } from '../../contract/api/event.ts';
import { newWebhook } from '../endpoints.ts';
import { orNotFound, RequestError } from '../errors.ts';
import { type Delivery, isDeliveryState } from '../events/deliveries.ts';
import { checkWebhookUrl, type Webhook } from '../events/webhooks.ts';
import type { ById, RouteDependencies } from '../http/app.ts';
import type { StoredAccount } from '../store/accounts.ts';
import {
  accountIn,
  choiceOf,
  fieldsOf,
  isoTime,
  limitOf,
  maybeIsoTime,
  sendChanged,
  sendFacts,
  textsOf,
} from './exchange.ts';
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

interface DeliveriesQuery {
  readonly webhook?: string;
  readonly project?: string;
  readonly state?: string;
  readonly limit?: string;
}
const back = '/hub/webhooks';

export function hubWebhookRoutes(hub: FastifyInstance, dependencies: RouteDependencies): void {
  const { accounts, webhooks, deliveries, eventDispatcher, clock } = dependencies;
  hub.get('/webhooks', (request, reply) => {
    const all = webhooks.all().map(webhookView);
    return sendFacts(request, reply, { webhooks: all }, () => webhooksPage(all, accounts.all()));
  });
  hub.post('/webhooks', async (request, reply) => {
    const fields = fieldsOf(newWebhook, request);
    const address = checkWebhookUrl(String(fields['url']));
    if (!address.ok) throw new RequestError(400, `Invalid request: url: ${address.error}.`);
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
    return sendChanged(request, reply, webhookView(webhook), back);
  });

  hub.get<{ Querystring: DeliveriesQuery }>('/deliveries', (request, reply) => {
    const { webhook, project } = request.query;
    const limit = limitOf(request.query.limit);
    const state = choiceOf(request.query.state, isDeliveryState, 'a state of a delivery');
    const list = deliveries.list({ webhook, project, state, limit }).map(deliveryView);
    return sendFacts(request, reply, { deliveries: list }, () =>
      page('Deliveries', '/hub/deliveries', deliveryTable(list)),
    );
  });
  hub.post<ById>('/deliveries/:id/replay', async (request, reply) => {
    const again = orNotFound(await deliveries.replay(request.params.id, clock.now()));
    eventDispatcher.wake();
    return sendChanged(request, reply, deliveryView(again), '/hub/deliveries', 202);
  });
}

function webhookView({ id, url, kinds, account, createdAt, removedAt }: Webhook) {
  return {
    id,
    url,
    events: kinds,
    account,
    created_at: isoTime(createdAt),
    removed_at: maybeIsoTime(removedAt),
  };
}

export function deliveryView({ createdAt, nextAt, kind, attempts, ...delivery }: Delivery) {
  return {
    ...delivery,
    type: kind,
    created_at: isoTime(createdAt),
    next_at: maybeIsoTime(nextAt),
    attempts: attempts.map(({ at, status, error }) => ({
      at: isoTime(at),
      status: status ?? null,
      error: error ?? null,
    })),
  };
}

function webhooksPage(
  webhooks: readonly ReturnType<typeof webhookView>[],
  accounts: readonly StoredAccount[],
): string {
  const empty = 'No webhooks. The service sends events to the addresses that you register here.';
  return page('Webhooks', back, [
    table(webhooks, empty, {
      Address: ({ url }) => code(url),
      Events: ({ events }) => (events.length === eventKinds.length ? 'all' : events.join(', ')),
      Account: ({ account }) => code(account),
      Since: ({ created_at }) => time(created_at),
      '': ({ id, removed_at }) => html`
        <a href=${`/hub/deliveries?webhook=${id}`}>Deliveries</a>${' '}
        ${removed_at === null ? button(`/hub/webhooks/${id}/remove`, 'Remove') : 'removed'}
      `,
    }),
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

export const deliveryTable = (deliveries: readonly ReturnType<typeof deliveryView>[]): Html =>
  table(deliveries, 'No events yet.', {
    Event: ({ type }) => type,
    State: ({ state }) => badge(state),
    Created: ({ created_at }) => time(created_at),
    Attempts: ({ attempts }) =>
      attempts.map(({ at, status, error }) => html`<div>${time(at)} → ${status ?? error}</div>`),
    Next: ({ next_at }) => time(next_at),
    Project: ({ project }) =>
      html`<a href=${`/hub/projects/${project}`}><code>${project.slice(0, 8)}</code></a>`,
    '': ({ id }) => button(`/hub/deliveries/${id}/replay`, 'Send again'),
  });
