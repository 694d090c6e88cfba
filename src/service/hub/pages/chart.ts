// Credits over time, as a picture drawn on the server: a step for each entry of a ledger.
import type { LedgerEntry } from '../../accounts.ts';
import { type Html, html, number } from './layout.ts';

const width = 760;
const height = 200;
const left = 64;
const bottom = 24;
/** More steps than pixels cannot be seen. */
const mostSteps = 600;

export interface Step {
  readonly at: number;
  readonly balance: number;
}

/** The balance after each entry; of many, every so-manieth and the last. */
export function stepsOf(entries: readonly LedgerEntry[]): readonly Step[] {
  let balance = 0;
  const steps = entries.map(({ at, kind, credits }): Step => {
    balance += kind === 'charge' ? -credits : credits;
    return { at: Date.parse(at), balance };
  });
  const every = Math.ceil(steps.length / mostSteps);
  return steps.filter((_, index) => index % every === 0 || index === steps.length - 1);
}

export function creditChart(entries: readonly LedgerEntry[]): Html {
  const steps = stepsOf(entries);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined)
    return html`<p class="empty">No credits moved yet.</p>`;
  const balances = steps.map(({ balance }) => balance);
  const most = Math.max(1, ...balances);
  // Small spending from a large balance would be a flat line above an empty picture.
  const lowest = Math.min(...balances);
  const least = lowest > most / 2 && lowest < most ? lowest : 0;
  const span = Math.max(1, last.at - first.at);
  const x = (at: number): number => left + ((at - first.at) / span) * (width - left - 8);
  const y = (balance: number): number =>
    8 + (1 - (balance - least) / (most - least)) * (height - bottom - 8);
  const line = steps
    .map(({ at, balance }, index) =>
      index === 0
        ? `M${x(at).toFixed(1)} ${y(balance).toFixed(1)}`
        : `H${x(at).toFixed(1)}V${y(balance).toFixed(1)}`,
    )
    .join('');
  const clock = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  const caption = `Balance from ${clock(first.at)} to ${clock(last.at)} UTC: ${number(first.balance)} to ${number(last.balance)} credits`;
  return html`
    <figure>
      <svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${caption}>
        ${[least, (least + most) / 2, most].map(
          (level) => html`
            <line class="grid" x1=${left} x2=${width} y1=${y(level)} y2=${y(level)} />
            <text x=${left - 8} y=${y(level) + 4} text-anchor="end">${number(Math.round(level))}</text>
          `,
        )}
        <path d=${`${line}H${width}`} fill="none" stroke="currentColor" stroke-width="2" />
        <text x=${left} y=${height - 6}>${clock(first.at)}</text>
        <text x=${width} y=${height - 6} text-anchor="end">${clock(last.at)} UTC</text>
      </svg>
      <figcaption>${caption}</figcaption>
    </figure>
  `;
}
