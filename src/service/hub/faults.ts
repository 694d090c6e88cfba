// /hub/faults: adds and clears fault rules, and counts how often they fired.
import type { FastifyInstance } from 'fastify';
import { isObject } from '../../base/json.ts';
import { badRequest, orError } from '../base/error-response.ts';
import { acceptFaults, parseFaults } from '../faults/read.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { isForm, sendChanged, sendFacts } from './exchange.ts';
import { button, code, html, page, table } from './layout.ts';
import { type FaultView, faultView } from './views.ts';

const back = '/hub/faults';

export function hubFaultRoutes(hub: FastifyInstance, { faults }: Dependencies): void {
  const views = () => faults.all().map(faultView);
  hub.get('/faults', (request, reply) =>
    sendFacts(request, reply, { faults: views() }, () => faultsPage(views())),
  );
  hub.post('/faults', (request, reply) => {
    const { body } = request;
    faults.add(orError(isForm(request) ? fromForm(body) : acceptFaults(body)));
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

// The page of faults: the rules, and how often they matched and fired.

const example = `faults:
  - { fault: reset, on: POST /v1/face-swap-photo, when: after, count: 1 }
  - { fault: throttled, on: "POST /v1/*", probability: 0.1, retry_after: 1 }`;

const columns = {
  Fault: ({ fault }: FaultView) => fault,
  On: ({ on }: FaultView) => code(on === undefined ? 'all' : [on].flat().join(', ')),
  Rule: ({ fault: _fault, on: _on, matched: _matched, fired: _fired, ...rule }: FaultView) =>
    code(JSON.stringify(rule)),
  Matched: ({ matched }: FaultView) => matched,
  Fired: ({ fired }: FaultView) => fired,
};

function faultsPage(faults: readonly FaultView[]): string {
  return page('Faults', back, [
    table(faults, columns, 'No faults.'),
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
