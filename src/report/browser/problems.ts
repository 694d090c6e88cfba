// What needs a person: failures by cause with the remedy, and doubts with the commands that resolve them.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { FailureGroup, ReportData, ReportDoubt } from '../page/report-data.ts';
import { titleOf } from './item.ts';
import { StateMark } from './state-mark.ts';
import { count, longTime } from './words.ts';

interface ProblemsProps {
  readonly data: ReportData;
  readonly onShow: (item: number) => void;
}

export function Problems({ data, onShow }: ProblemsProps): VNode {
  const { failures, doubts } = data;
  if (failures.length + doubts.length === 0)
    return html`<div class="empty"><strong>Nothing failed, and nothing is in doubt.</strong></div>`;
  return html`<div>
    ${
      doubts.length === 0
        ? null
        : html`<section class="section"><h2>In doubt</h2>
          <p class="lede">These creations may have been paid for: their answers were lost. shotlist does not repeat them until somebody says what happened.</p>
          ${doubts.map((doubt) => html`<${Doubt} data=${data} doubt=${doubt} />`)}</section>`
    }
    ${
      failures.length === 0
        ? null
        : html`<section class="section"><h2>Failures by cause</h2>
          ${failures.map((group) => html`<${Failure} data=${data} group=${group} onShow=${onShow} />`)}</section>`
    }
  </div>`;
}

const maxExamples = 12;

function Failure({ data, group, onShow }: ProblemsProps & { readonly group: FailureGroup }): VNode {
  const { step, why, code, advice, items } = group;
  return html`<article class="card group state-failed">
    <p><${StateMark} state="failed" n=${items.length} /> <span class="muted">in ${data.steps[step]?.name ?? 'an earlier step'}${code === undefined ? '' : ` · ${code}`}</span></p>
    <h2>${why}</h2>
    ${advice === undefined ? null : html`<p class="remedy"><b>What to do:</b> ${advice}.</p>`}
    <div class="examples">
      ${items.slice(0, maxExamples).map((item) => html`<button type="button" onClick=${() => onShow(item)}>${titleOf(data, item)}</button>`)}
      ${items.length > maxExamples ? html`<span class="small muted">and ${count(items.length - maxExamples, 'other')}</span>` : null}
    </div>
  </article>`;
}

function Doubt({ data, doubt }: { readonly data: ReportData; readonly doubt: ReportDoubt }): VNode {
  const { task, name, since, reserved, why, step, commands } = doubt;
  return html`<article class="card group state-doubt">
    <p><${StateMark} state="doubt" /> <span class="muted">in ${data.steps[step]?.name ?? ''} · since ${longTime(since)} · ${count(reserved, 'credit')} set aside</span></p>
    <h2>${task}</h2>
    <p>${why ?? 'the run ended before the service answered'}</p>
    <div class="remedy commands">
      <p><b>What to do:</b> look in the service’s hub for a project named <code>${name}</code>, then say what you found.</p>
      ${
        commands === undefined
          ? html`<p><code>shotlist status</code> lists the commands for that.</p>`
          : html`<p>It is there: <code>${commands.found}</code></p>
            <p>It is not there: <code>${commands.absent}</code></p>
            <p>Nobody can tell: <code>${commands.unknown}</code></p>`
      }
    </div>
  </article>`;
}
