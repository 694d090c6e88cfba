// The facts about one item: its tasks, where its files come from, and what it cost.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type {
  Parameter,
  ReportData,
  ReportFile,
  ReportItem,
  ReportTask,
} from '../page/report-data.ts';
import { causeOf } from './cause.ts';
import { StateMark } from './state-mark.ts';
import { count, duration, longTime, size } from './words.ts';

export function ItemFacts({
  data,
  item,
}: {
  readonly data: ReportData;
  readonly item: ReportItem;
}): VNode {
  const { shared } = data;
  const others = item === shared ? [] : shared.inputs;
  return html`<div>
    <${CauseBox} data=${data} item=${item} />
    <p class="lead">${causeOf(data, item) === undefined ? html`<${StateMark} state=${item.state} /> · ` : null}<span class="muted">${count(item.credits, 'credit')}</span></p>
    <h3>Steps</h3>
    <ul class="tasks">${item.tasks.map((task) => html`<${TaskRow} data=${data} task=${task} />`)}</ul>
    ${item.outputs.length > 0 ? html`<h3>Saved</h3>${item.outputs.map((file) => html`<${FileRow} data=${data} file=${file} />`)}` : null}
    ${item.inputs.length > 0 ? html`<h3>Made from</h3>${[...item.inputs, ...others].map((file) => html`<${FileRow} data=${data} file=${file} />`)}` : null}
  </div>`;
}

function CauseBox({
  data,
  item,
}: {
  readonly data: ReportData;
  readonly item: ReportItem;
}): VNode | null {
  const cause = causeOf(data, item);
  if (cause === undefined) return null;
  const { step, why, advice } = cause;
  return html`<div class="cause state-${item.state}">
    <p><${StateMark} state=${item.state} /> <span class="muted">in ${step}</span></p>
    <p>${why}</p>
    ${advice === undefined ? null : html`<p><b>What to do:</b> ${advice}.</p>`}
  </div>`;
}

function TaskRow({ data, task }: { readonly data: ReportData; readonly task: ReportTask }): VNode {
  const step = data.steps[task.step];
  const { began, ended, credits, project, fingerprint, parameters = [] } = task;
  const took =
    began === undefined || ended === undefined || ended <= began ? '' : duration(ended - began);
  const price =
    task.shares === true ? 'shared' : credits === undefined ? '' : count(credits, 'credit');
  const element = task.element === undefined ? '' : ` [${task.element}]`;
  return html`<li>
    <div class="row">
      <b>${step?.name ?? ''}${element}</b><span class="muted">${step?.kind === step?.name ? '' : step?.kind}</span>
      <span class="push">${[took, price].filter((text) => text !== '').join(' · ')}</span>
      <${StateMark} state=${task.state} />
    </div>
    ${task.why === undefined ? null : html`<p class="why">${task.why}</p>`}
    ${
      fingerprint === undefined && project === undefined
        ? null
        : html`<details><summary>Provenance</summary><dl>
          ${project === undefined ? null : html`<dt>Project</dt><dd><${Copy} text=${project} /></dd>`}
          ${fingerprint === undefined ? null : html`<dt>Fingerprint</dt><dd><${Copy} text=${fingerprint} /></dd>`}
          ${ended === undefined ? null : html`<dt>Finished</dt><dd>${longTime(ended)}</dd>`}
          ${parameters.map(({ name, value }: Parameter) => html`<dt>${name}</dt><dd class="mono">${value}</dd>`)}
        </dl></details>`
    }
  </li>`;
}

function FileRow({ data, file }: { readonly data: ReportData; readonly file: ReportFile }): VNode {
  const { name, step, bytes, sha256, href } = file;
  return html`<dl style=${{ marginBottom: '12px' }}>
    <dt>${data.steps[step]?.name ?? 'file'}</dt>
    <dd>${href === undefined ? name : html`<a href=${href}>${name}</a>`}${bytes === undefined ? '' : `, ${size(bytes)}`}</dd>
    ${sha256 === undefined ? null : html`<dt>SHA-256</dt><dd><${Copy} text=${sha256} /></dd>`}
  </dl>`;
}

/** A click selects the whole text, so that one key copies it. */
export function Copy({ text }: { readonly text: string }): VNode {
  return html`<span class="copy" onClick=${select}>${text}</span>`;
}

function select({ currentTarget }: Event): void {
  if (currentTarget instanceof Node) getSelection()?.selectAllChildren(currentTarget);
}
