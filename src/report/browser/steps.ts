// The steps as cards with their numbers.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ReportData, ReportStep } from '../page/report-data.ts';
import { StateBar, StateMark } from './state-mark.ts';
import { count } from './words.ts';

export function Steps({ data }: { readonly data: ReportData }): VNode {
  return html`<div class="steps">${data.steps.map((step) => html`<${StepCard} step=${step} />`)}</div>`;
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
