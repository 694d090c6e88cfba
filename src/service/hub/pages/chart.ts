// The chart of credits over time, drawn on the server with a step for each entry of the ledger. The labels are text beside
// the curve, so that long balances have room on narrow screens.
import type { LedgerEntry } from '../../base/ledger-entry.ts';
import { type Html, html, number } from './layout.ts';

/** The units of the curve, which is stretched to the available room. */
const width = 1000;
const height = 100;
/** More points than pixels would be invisible. */
const mostPoints = 600;

export interface ChartPoint {
  readonly at: number;
  readonly balance: number;
}

/** The balance after each entry: at most about 600 points, evenly sampled, and always the last. */
export function pointsOf(entries: readonly LedgerEntry[]): readonly ChartPoint[] {
  let balance = 0;
  const points = entries.map(({ at, kind, credits }): ChartPoint => {
    balance += kind === 'charge' ? -credits : credits;
    return { at: Date.parse(at), balance };
  });
  const every = Math.ceil(points.length / mostPoints);
  return points.filter((_, index) => index % every === 0 || index === points.length - 1);
}

export function creditChart(entries: readonly LedgerEntry[]): Html {
  const points = pointsOf(entries);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined)
    return html`<p class="empty">No credits have moved yet.</p>`;
  const balances = points.map(({ balance }) => balance);
  const most = Math.max(1, ...balances);
  // From zero, a small charge to a large balance would look like a flat line.
  const lowest = Math.min(...balances);
  const least = lowest > most / 2 && lowest < most ? lowest : 0;
  const span = Math.max(1, last.at - first.at);
  const x = (at: number): number => ((at - first.at) / span) * width;
  const y = (balance: number): number => (1 - (balance - least) / (most - least)) * height;
  const line = points
    .map(({ at, balance }, index) =>
      index === 0
        ? `M${x(at).toFixed(1)} ${y(balance).toFixed(2)}`
        : `H${x(at).toFixed(1)}V${y(balance).toFixed(2)}`,
    )
    .join('');
  // In a short time, the ends differ in their seconds only.
  const digits = span < 600_000 ? 19 : 16;
  const clock = (at: number): string =>
    new Date(at).toISOString().slice(0, digits).replace('T', ' ');
  const caption = `Balance from ${clock(first.at)} to ${clock(last.at)} UTC: ${number(first.balance)} to ${number(last.balance)} credits`;
  const levels = [most, (least + most) / 2, least];
  return html`
    <figure>
      <div class="chart">
        <div class="levels" aria-hidden="true">
          ${levels.map((level) => html`<span>${number(Math.round(level))}</span>`)}
        </div>
        <svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label=${caption}>
          ${levels.map((level) => html`<line class="grid" x1="0" x2=${width} y1=${y(level)} y2=${y(level)} />`)}
          <path d=${`${line}H${width}`} fill="none" stroke="currentColor" stroke-width="2" />
        </svg>
        <div class="times" aria-hidden="true">
          <span>${clock(first.at)}</span><span>${clock(last.at)} UTC</span>
        </div>
      </div>
      <figcaption>${caption}</figcaption>
    </figure>
  `;
}
