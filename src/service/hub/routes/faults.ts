// /hub/faults: adds and clears fault rules, and counts how often they fired.
import type { FastifyInstance } from 'fastify';
import { isObject } from '../../../contract/base/json.ts';
import { badRequest } from '../../base/error-response.ts';
import { acceptFaults, parseFaults } from '../../faults/read.ts';
import { sendError } from '../../http/app.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { isForm } from '../form.ts';
import { faultsPage } from '../pages/faults.ts';
import { sendChanged, sendFacts } from '../respond.ts';
import { faultView } from '../views.ts';

const back = '/hub/faults';

export function hubFaultRoutes(hub: FastifyInstance, { faults }: Dependencies): void {
  const views = () => faults.all().map(faultView);
  hub.get('/faults', (request, reply) =>
    sendFacts(request, reply, { faults: views() }, () => faultsPage(views())),
  );
  hub.post('/faults', (request, reply) => {
    const { body } = request;
    const rules = isForm(request) ? fromForm(body) : acceptFaults(body);
    if (!rules.ok) return sendError(reply, rules.error);
    faults.add(rules.value);
    return sendChanged(request, reply, { faults: views() }, { back });
  });
  hub.post('/faults/clear', (request, reply) => {
    faults.clear();
    return sendChanged(request, reply, { faults: views() }, { back });
  });
}

/** The field `faults` of a form holds the text of a faults file. */
function fromForm(body: unknown): ReturnType<typeof acceptFaults> {
  const text = isObject(body) ? body['faults'] : undefined;
  const rules = parseFaults('faults', typeof text === 'string' ? text : '');
  if (rules.ok) return rules;
  const sentences = rules.error.map(
    ({ span, message, hint }) =>
      `line ${span?.line ?? 1}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );
  return badRequest(`Invalid faults: ${sentences.join('; ')}.`);
}
