// /hub/webhooks and /hub/deliveries: where events go, and what was sent (interface.md, Events).
import type { FastifyInstance } from 'fastify';
import { isEventKind } from '../../../contract/api/event.ts';
import { badRequest, notFound } from '../../base/error-response.ts';
import { newWebhook } from '../../endpoints/hub-requests.ts';
import { isDeliveryState } from '../../events/deliveries.ts';
import { checkWebhookUrl } from '../../events/webhooks.ts';
import { sendError } from '../../http/app.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import type { ById } from '../../http/route-types.ts';
import { localAccount } from '../../store/accounts.ts';
import { fieldsOf } from '../form.ts';
import { secretPage } from '../pages/secret.ts';
import { deliveriesPage, webhooksPage } from '../pages/webhooks.ts';
import { limitOf } from '../paging.ts';
import { sendChanged, sendFacts, wantsPage } from '../respond.ts';
import { deliveryView, webhookView } from '../views.ts';

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
    if (!fields.ok) return sendError(reply, fields.error);
    const { url, events = [], account = localAccount } = fields.value;
    const address = checkWebhookUrl(String(url));
    if (!address.ok)
      return sendError(reply, badRequest(`Invalid request: url: ${address.error}.`).error);
    if (accounts.find(String(account)) === undefined)
      return sendError(reply, badRequest(`Invalid request: there is no account ${account}.`).error);
    const kinds = (Array.isArray(events) ? events : []).map(String).filter(isEventKind);
    const made = await webhooks.add(
      { url: address.value, kinds, account: String(account) },
      clock.now(),
    );
    reply.code(201);
    if (wantsPage(request))
      return reply
        .type('text/html; charset=utf-8')
        .send(secretPage('Webhook secret', made.url, made.secret, back));
    return reply.send({ ...webhookView(made), secret: made.secret });
  });
  hub.post<ById>('/webhooks/:id/remove', async (request, reply) => {
    const webhook = await webhooks.remove(request.params.id, clock.now());
    if (webhook === undefined) return sendError(reply, notFound);
    return sendChanged(request, reply, webhookView(webhook), { back });
  });

  hub.get<{ Querystring: DeliveriesQuery }>('/deliveries', (request, reply) => {
    const { webhook, project, state, limit } = request.query;
    const most = limitOf(limit);
    if (!most.ok) return sendError(reply, most.error);
    if (state !== undefined && !isDeliveryState(state))
      return sendError(
        reply,
        badRequest(`${JSON.stringify(state)} is not a state of a delivery.`).error,
      );
    const chosen = { webhook, project, state, limit: most.value };
    const list = deliveries.list(chosen).map(deliveryView);
    return sendFacts(request, reply, { deliveries: list }, () => deliveriesPage(list));
  });
  hub.post<ById>('/deliveries/:id/replay', async (request, reply) => {
    const again = await deliveries.replay(request.params.id, clock.now());
    if (again === undefined) return sendError(reply, notFound);
    eventDispatcher.wake();
    return sendChanged(request, reply, deliveryView(again), {
      status: 202,
      back: '/hub/deliveries',
    });
  });
}
