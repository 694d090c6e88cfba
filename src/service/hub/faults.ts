// /hub/faults: adds and clears fault rules, and counts how often they fired.
import type { FastifyInstance } from 'fastify';
import { isObject } from '../../base/json.ts';
import { err, type Result } from '../../base/result.ts';
import { RequestError } from '../errors.ts';
import type { FaultState } from '../faults/faults.ts';
import { acceptFaults, parseFaults } from '../faults/read.ts';
import type { FaultRule } from '../faults/schema.ts';
import type { RouteDependencies } from '../http/app.ts';
import { isForm, sendChanged, sendFacts } from './exchange.ts';
import { button, code, html, page, table } from './layout.ts';

const back = '/hub/faults';

export function hubFaultRoutes(hub: FastifyInstance, { faults }: RouteDependencies): void {
  const views = () => faults.all().map(({ rule, ...counts }) => ({ ...rule, ...counts }));
  hub.get('/faults', (request, reply) =>
    sendFacts(request, reply, { faults: views() }, () => faultsPage(faults.all())),
  );
  hub.post('/faults', (request, reply) => {
    const { body } = request;
    const rules = isForm(request) ? fromForm(body) : acceptFaults(body);
    if (!rules.ok) throw new RequestError(400, rules.error);
    faults.add(rules.value);
    return sendChanged(request, reply, { faults: views() }, back);
  });
  hub.post('/faults/clear', (request, reply) => {
    faults.clear();
    return sendChanged(request, reply, { faults: views() }, back);
  });
}

/** The field `faults` of a form holds the text of a faults file. */
function fromForm(body: unknown): Result<readonly FaultRule[], string> {
  const text = isObject(body) ? body['faults'] : undefined;
  const rules = parseFaults('faults', typeof text === 'string' ? text : '');
  if (rules.ok) return rules;
  const sentences = rules.error.map(
    ({ span, message, hint }) =>
      `line ${span?.line ?? 1}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );
  return err(`Invalid faults: ${sentences.join('; ')}.`);
}

const example = `faults:
  - { fault: reset, on: POST /v1/face-swap-photo, when: after, count: 1 }
  - { fault: throttled, on: "POST /v1/*", probability: 0.1, retry_after: 1 }`;

function faultsPage(faults: readonly FaultState[]): string {
  return page('Faults', back, [
    table(faults, 'No faults.', {
      Fault: ({ rule }) => rule.fault,
      On: ({ rule: { on } }) => code(on === undefined ? 'all' : [on].flat().join(', ')),
      Rule: ({ rule: { fault: _fault, on: _on, ...fields } }) => code(JSON.stringify(fields)),
      Matched: ({ matched }) => matched,
      Fired: ({ fired }) => fired,
    }),
    faults.length === 0 ? null : html`<p>${button('/hub/faults/clear', 'Clear all')}</p>`,
    html`<h2>Add faults</h2>
      <form class="panel" method="post" action="/hub/faults">
        <label>
          Rules, as in a faults file
          <textarea name="faults" rows="6" required spellcheck="false">${example}</textarea>
        </label>
        <button>Add</button>
      </form>`,
  ]);
}
