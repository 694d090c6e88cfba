// Two runs side by side.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ReportData, ReportRun } from '../page/report-data.ts';
import { type Bar, barsOf, spanOf, stepTimes } from './bars.ts';
import { fieldValue } from './filter.ts';
import { decimals, duration, shortTime, whole } from './words.ts';

export interface TwoRunsProps {
  readonly data: ReportData;
  /** Undefined: the last two. */
  readonly runs: readonly [number, number] | undefined;
  readonly onRuns: (runs: readonly [number, number]) => void;
}

export function TwoRuns({ data, runs, onRuns }: TwoRunsProps): VNode | null {
  const bars = useMemo(() => barsOf(data), [data]);
  const byNumber = (number: number | undefined): ReportRun | undefined =>
    data.runs.find(({ run }) => run === number);
  const one = byNumber(runs?.[0]) ?? data.runs.at(-2);
  const other = byNumber(runs?.[1]) ?? data.runs.at(-1);
  const [left, right] = useMemo(
    () => [one, other].map((run) => (run === undefined ? undefined : runFacts(data, bars, run))),
    [data, bars, one, other],
  );
  if (left === undefined || right === undefined) return null;
  const steps = data.steps.flatMap(({ name }, step) =>
    left.steps.has(step) || right.steps.has(step) ? [{ name, step }] : [],
  );
  const pick = (label: string, facts: RunFacts, onPick: (run: number) => void): VNode =>
    html`<select class="field" aria-label=${label} onChange=${(event: Event) => onPick(Number(fieldValue(event)))}>
      ${data.runs.map(({ run, at }) => html`<option value=${run} selected=${run === facts.run.run}>Run ${run}, ${shortTime(at)}</option>`)}
    </select>`;
  const both = (of: (facts: RunFacts) => string): VNode =>
    html`<td class="num">${of(left)}</td><td class="num">${of(right)}</td>`;
  return html`<section class="section">
    <h2>Two runs side by side</h2>
    <div class="card scroll"><table class="two-runs">
      <thead><tr><th><span class="visually-hidden">What</span></th>
        <th class="num">${pick('First run', left, (run) => onRuns([run, right.run.run]))}</th>
        <th class="num">${pick('Second run', right, (run) => onRuns([left.run.run, run]))}</th></tr></thead>
      <tbody>
        <tr><td>Took</td>${both(({ took }) => (took === undefined ? 'not finished' : duration(took)))}</tr>
        <tr><td>Credits charged</td>${both(({ run }) => whole(run.charged))}</tr>
        <tr><td>Credits refunded</td>${both(({ run }) => whole(run.refunded))}</tr>
        <tr><td>Tasks done</td>${both(({ done }) => whole(done))}</tr>
        <tr><td>Tasks failed</td>${both(({ failed }) => whole(failed))}</tr>
        ${steps.map(
          ({ name, step }) =>
            html`<tr><td>${name}</td>${both((facts) => stepText(facts, step))}</tr>`,
        )}
      </tbody>
    </table></div>
    <p class="small muted note">Per step: tasks done, credits, and the median time. A task counts for the run in which it ended.</p>
  </section>`;
}

function stepText({ steps }: RunFacts, step: number): string {
  const facts = steps.get(step);
  if (facts === undefined) return '–';
  const { done, credits, median } = facts;
  const parts = [
    `${whole(done)} done`,
    ...(credits === 0 ? [] : [`${decimals(credits)} credits`]),
    ...(median === undefined ? [] : [duration(median)]),
  ];
  return parts.join(' · ');
}

// What one run did, as far as the tasks of the report tell: two runs are compared by it.

interface RunFacts {
  readonly run: ReportRun;
  /** In milliseconds; undefined if it was interrupted, or continues. */
  readonly took: number | undefined;
  readonly done: number;
  readonly failed: number;
  /** By the number of the step. */
  readonly steps: ReadonlyMap<number, RunStep>;
}

interface RunStep {
  readonly done: number;
  readonly credits: number;
  /** In milliseconds. */
  readonly median: number | undefined;
}

export function runFacts(data: ReportData, bars: readonly Bar[], run: ReportRun): RunFacts {
  const own = spanOf(bars, run);
  const from = Date.parse(run.at);
  const to = run.ended === undefined ? Number.POSITIVE_INFINITY : Date.parse(run.ended);
  const medians = new Map(stepTimes(own).map(({ step, median }) => [step, median]));
  const steps = new Map<number, RunStep>();
  const note = (step: number, done: number, credits: number): void => {
    const known = steps.get(step);
    steps.set(step, {
      done: (known?.done ?? 0) + done,
      credits: (known?.credits ?? 0) + credits,
      median: medians.get(step),
    });
  };
  for (const { step, state } of own) note(step, state === 'done' ? 1 : 0, 0);
  for (const { at, step, credits } of data.spending)
    if (step >= 0 && at >= from && at <= to) note(step, 0, credits);
  const count = (state: string): number => own.filter((bar) => bar.state === state).length;
  return {
    run,
    steps,
    done: count('done'),
    failed: count('failed'),
    took: run.ended === undefined ? undefined : to - from,
  };
}
