// The top of the page: what this is, how it went, what it cost, and whether a live page still follows its runs.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { PagePulse } from '../page/page-message.ts';
import type { ItemState, ReportData } from '../page/report-data.ts';
import { shownItems } from './item.ts';
import type { Connection, Live } from './live.ts';
import { StateBar, StateMark } from './state-mark.ts';
import { count, decimals, duration, itemStates, shortTime, whole } from './words.ts';

interface MastheadProps {
  readonly data: ReportData;
  readonly live: Live | undefined;
}

export type Counts = Readonly<Partial<Record<ItemState, number>>>;

export function countStates(data: ReportData): Counts {
  const counts: Partial<Record<ItemState, number>> = {};
  const items = shownItems(data);
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
  </header>`;
}

interface FactsProps {
  readonly data: ReportData;
  readonly counts: Counts;
  readonly live: Live | undefined;
}

/** Coarse on purpose: nobody knows it better. */
function leftText(ms: number): string {
  if (ms < 10_000) return 'a few seconds left';
  return `about ${duration(Math.ceil(ms / 10_000) * 10_000)} left`;
}

/** How long the run has taken, and will take. */
function pulseText({ elapsedMs, timeLeftMs, stage, why }: PagePulse): string {
  const left = timeLeftMs === undefined ? [] : [leftText(timeLeftMs)];
  const busy = stage === 'working' ? [] : [why === undefined ? stage : `${stage}: ${why}`];
  return [`${duration(elapsedMs)} elapsed`, ...left, ...busy].join(' · ');
}

/** What one run may spend, and has spent: the one that is going on, or the last one. */
export function runBudgetText(
  { credits, runs }: ReportData,
  pulse: PagePulse | undefined,
): string | undefined {
  const last = runs.at(-1);
  const of = (run: string, charged: number, budget: number | undefined): string | undefined =>
    budget === undefined ? undefined : `${run} run: ${whole(charged)} of ${whole(budget)} budget`;
  if (pulse !== undefined) return of('this', pulse.charged, pulse.budget);
  return last && of('last', last.charged, credits.budget);
}

export function Facts({ data, counts, live }: FactsProps): VNode {
  const { credits, runs } = data;
  const pulse = live?.pulse ?? undefined;
  const total = itemStates.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const { done = 0 } = counts;
  const finished = data.items.filter(({ state }) => state === 'done');
  // Of what is not finished, nobody knows the price yet.
  const paid =
    finished.length === 0 ? credits.charged : finished.reduce((sum, item) => sum + item.credits, 0);
  const runBudget = runBudgetText(data, pulse);
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
      ${pulse === undefined ? null : html`<p class="pulse">${pulseText(pulse)}</p>`}
      <${StateBar} counts=${counts} />
      ${done === total ? null : html`<div class="legend">${shown.map((state) => html`<${StateMark} state=${state} n=${counts[state]} />`)}</div>`}
    </div>
    <div class="fact">
      <h2>Credits</h2>
      <p class="number">${whole(credits.charged)}</p>
      <p>${credits.reserved > 0 ? `${whole(credits.reserved)} set aside` : 'charged'}</p>
      ${runBudget === undefined ? null : html`<p>${runBudget}</p>`}
    </div>
    <div class="fact">
      <h2>Price</h2>
      <p class="number">${done > 0 ? decimals(paid / done) : '–'}</p>
      <p>credits ${noun === 'item' ? 'per item' : 'in all'}</p>
    </div>
    <div class="fact">
      <h2>Files</h2>
      <p class="number">${whole(files)}</p>
      <p>in ${count(runs.length, 'run')}</p>
    </div>
  </section>`;
}

// Whether a live page still follows its runs, in words.

function LiveStatus({ data, live }: { readonly data: ReportData; readonly live: Live }): VNode {
  const { connection, trouble } = live;
  return html`<span class="live live-${trouble === null ? connection : 'lost'}" role="status">
    <span class="dot" aria-hidden="true"></span>${trouble === null ? connectionText(connection, data.running) : `Shows an earlier state: ${trouble}`}
  </span>`;
}

function connectionText(connection: Connection, running: boolean): string {
  switch (connection) {
    case 'connected':
      return running ? 'Live: a run is active' : 'Live: no run is active';
    case 'lost':
      return 'Connection lost: trying again';
    case 'ended':
      return 'No longer live';
  }
}

/** What the foot of a live page says. */
export function liveNote({ connection }: Live): string {
  switch (connection) {
    case 'connected':
      return 'This page is live. It is available only on this machine.';
    case 'lost':
      return 'shotlist does not answer. This page shows what it knew last.';
    case 'ended':
      return 'This page stays as it is until you close it. For more, use shotlist ui or shotlist report.';
  }
}

/** For the tab of the browser, which a person sees from elsewhere. */
export function liveTitle(data: ReportData): string {
  const items = shownItems(data);
  const over = items.filter(({ state }) => state !== 'waiting' && state !== 'running').length;
  return `${whole(over)} of ${whole(items.length)} · ${data.pipeline}`;
}
