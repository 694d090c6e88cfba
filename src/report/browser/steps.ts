// The steps: as a graph where Graphviz drew one, and as cards with their numbers.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ReportData, ReportStep } from '../page/report-data.ts';
import { StateBar, StateMark } from './state-mark.ts';
import { count } from './words.ts';

export function Steps({ data }: { readonly data: ReportData }): VNode {
  return html`<div>
    ${data.graph === undefined ? null : html`<section class="card"><${Drawing} svg=${data.graph} /></section>`}
    <div class="steps">${data.steps.map((step) => html`<${StepCard} step=${step} />`)}</div>
  </div>`;
}

/** Parsed as XML, and not as HTML: what a name in it says is text. */
function Drawing({ svg }: { readonly svg: string }): VNode {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { documentElement: drawn } = new DOMParser().parseFromString(svg, 'image/svg+xml');
    drawn.setAttribute('role', 'img');
    drawn.setAttribute('aria-label', 'The steps, and what each waits for');
    box.current?.replaceChildren(drawn);
  }, [svg]);
  return html`<div class="graph" ref=${box} tabindex="0" role="region" aria-label="Graph"></div>`;
}

const states = [
  'done',
  'failed',
  'doubt',
  'running',
  'waiting',
  'blocked',
  'skipped',
  'excluded',
] as const;

function StepCard({ step }: { readonly step: ReportStep }): VNode {
  return html`<section class="card">
    <h3>${step.name} <span class="muted">${step.kind === step.name ? '' : step.kind}</span></h3>
    <p class="small muted">${step.after.length === 0 ? 'waits for nothing' : `after ${step.after.join(', ')}`}${step.credits > 0 ? ` · ${count(step.credits, 'credit')}` : ''}</p>
    <${StateBar} counts=${step.tasks} thin=${true} />
    <div class="legend">${states.map((state) => (step.tasks[state] === undefined ? null : html`<${StateMark} state=${state} n=${step.tasks[state]} />`))}</div>
  </section>`;
}
