// The page of faults: the rules, and how often they matched and fired.
import type { FaultView } from '../views.ts';
import { button, html, number, page, table } from './layout.ts';

const example = `faults:
  - { fault: reset, on: POST /v1/face-swap-photo, when: after, count: 1 }
  - { fault: throttled, on: "POST /v1/*", probability: 0.1, retry_after: 1 }`;

export function faultsPage(faults: readonly FaultView[]): string {
  return page('Faults', '/hub/faults', [
    table(
      ['Fault', 'On', 'Rule', 'Matched', 'Fired'],
      faults.map(
        ({ fault, on, matched, fired, ...rest }) => html`
          <tr>
            <td>${fault}</td>
            <td><code>${on === undefined ? 'all' : [on].flat().join(', ')}</code></td>
            <td><code>${JSON.stringify(rest)}</code></td>
            <td class="number">${number(matched)}</td>
            <td class="number">${number(fired)}</td>
          </tr>
        `,
      ),
      'No faults.',
    ),
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
