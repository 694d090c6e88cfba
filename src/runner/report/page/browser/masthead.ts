// The top of the page: what this is, how it went, what it cost.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ItemState, ReportData } from '../report-data.ts';
import type { Live } from './live.ts';
import { LiveStatus } from './live-status.ts';
import { StateBar, StateMark } from './state-mark.ts';
import { nextTheme, setTheme, type Theme, themeNow } from './theme.ts';
import { count, decimals, duration, itemStates, shortTime, whole } from './words.ts';

interface MastheadProps {
  readonly data: ReportData;
  readonly live: Live | undefined;
}

export type Counts = Readonly<Partial<Record<ItemState, number>>>;

export function countStates(data: ReportData): Counts {
  const counts: Partial<Record<ItemState, number>> = {};
  const items = data.items.length === 0 ? [data.shared] : data.items;
  for (const { state } of items) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

export function Masthead({ data, live }: MastheadProps): VNode {
  const last = data.runs.at(-1);
  const ended = last?.ended;
  const took =
    ended === undefined || last === undefined ? undefined : Date.parse(ended) - Date.parse(last.at);
  return html`<header class="masthead">
    <div>
      <h1>${data.pipeline}</h1>
      ${data.description === undefined ? null : html`<p class="about">${data.description}</p>`}
      <p class="when">
        ${data.rehearsal ? html`<span class="badge">Rehearsal</span>` : null}
        ${last === undefined ? html`<span>No run yet</span>` : html`<span>Last run ${shortTime(last.at)}</span>`}
        ${took === undefined ? null : html`<span>took ${duration(took)}</span>`}
        ${data.running && live === undefined ? html`<span>a run was active</span>` : null}
        ${live === undefined ? null : html`<${LiveStatus} data=${data} live=${live} />`}
        ${data.runs.length > 1 ? html`<span>${count(data.runs.length, 'run')} in all</span>` : null}
      </p>
    </div>
    <${ThemeButton} />
  </header>`;
}

function ThemeButton(): VNode {
  const [theme, change] = useState<Theme>(themeNow());
  const onClick = (): void => {
    const next = nextTheme(theme);
    setTheme(next);
    change(next);
  };
  const sign = { auto: '◐', light: '○', dark: '●' }[theme];
  const label = `Theme: ${theme}. Change to ${nextTheme(theme)}`;
  return html`<button type="button" class="icon-button theme" aria-label=${label} title=${label} onClick=${onClick}>
    <span aria-hidden="true">${sign}</span>
  </button>`;
}

export function Facts({
  data,
  counts,
}: {
  readonly data: ReportData;
  readonly counts: Counts;
}): VNode {
  const { credits, runs } = data;
  const total = itemStates.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const done = (counts.done ?? 0) + (counts.skipped ?? 0);
  const spent = credits.charged - credits.refunded;
  const extra = [
    credits.refunded > 0 ? `${whole(credits.refunded)} refunded` : '',
    credits.reserved > 0 ? `${whole(credits.reserved)} set aside` : '',
  ].filter((text) => text !== '');
  const shown = itemStates.filter((state) => (counts[state] ?? 0) > 0);
  const files = data.items.reduce(
    (sum, { outputs }) => sum + outputs.length,
    data.shared.outputs.length,
  );
  const noun = data.items.length === 0 ? 'pipeline' : 'item';
  return html`<section class="facts" aria-label="Summary">
    <div class="fact">
      <h2>Progress</h2>
      <p class="number">${whole(done)} <small>of ${count(total, noun)} done</small></p>
      <${StateBar} counts=${counts} />
      ${(counts.done ?? 0) === total ? null : html`<div class="legend">${shown.map((state) => html`<${StateMark} state=${state} n=${counts[state]} />`)}</div>`}
    </div>
    <div class="fact">
      <h2>Credits</h2>
      <p class="number">${whole(spent)}</p>
      <p>${extra.length > 0 ? extra.join(', ') : 'charged'}</p>
    </div>
    <div class="fact">
      <h2>Price</h2>
      <p class="number">${done > 0 ? decimals(spent / done) : '–'}</p>
      <p>credits ${noun === 'item' ? 'per item' : 'in all'}</p>
    </div>
    <div class="fact">
      <h2>Files</h2>
      <p class="number">${whole(files)}</p>
      <p>in ${count(runs.length, 'run')}</p>
    </div>
  </section>`;
}
