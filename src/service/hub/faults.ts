// /hub/faults: what shall go wrong from now on, and how often it did.
import type { FastifyInstance } from 'fastify';
import { badRequest } from '../base/error-response.ts';
import { acceptFaults, parseFaults } from '../faults/read.ts';
import { sendError } from '../http/app.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { changed, show } from './form.ts';
import { faultsPage } from './pages/faults.ts';
import { faultView } from './views.ts';

const back = '/hub/faults';

export function hubFaultRoutes(hub: FastifyInstance, { faults }: Dependencies): void {
  const views = () => faults.all().map(faultView);
  hub.get('/faults', (request, reply) =>
    show(request, reply, { faults: views() }, () => faultsPage(views())),
  );
  hub.post('/faults', (request, reply) => {
    const { body } = request;
    const rules =
      body instanceof URLSearchParams ? fromForm(body.get('faults') ?? '') : acceptFaults(body);
    if (!rules.ok) return sendError(reply, rules.error);
    faults.add(rules.value);
    return changed(request, reply, { faults: views() }, { back });
  });
  hub.post('/faults/clear', (request, reply) => {
    faults.clear();
    return changed(request, reply, { faults: views() }, { back });
  });
}

/** The text of a faults file. */
function fromForm(text: string): ReturnType<typeof acceptFaults> {
  const rules = parseFaults('faults', text);
  if (rules.ok) return rules;
  const sentences = rules.error.map(
    ({ span, message, hint }) =>
      `line ${span?.line ?? 1}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );
  return badRequest(`Invalid faults: ${sentences.join('; ')}.`);
}
