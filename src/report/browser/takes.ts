// The takes of a result, side by side.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ReportData, ReportItem, ReportTake, ReportTask } from '../page/report-data.ts';
import { Picture } from './compare.ts';
import { Copy } from './item-facts.ts';
import { count, shortTime } from './words.ts';

/** The tasks of an item that have several takes. */
export const tasksWithTakes = ({ tasks }: ReportItem): readonly ReportTask[] =>
  tasks.filter(({ takes = [] }) => takes.length > 1);

export function Takes({
  data,
  item,
}: {
  readonly data: ReportData;
  readonly item: ReportItem;
}): VNode {
  return html`<div class="takes">${tasksWithTakes(item).map((task) => {
    const name = data.steps[task.step]?.name ?? '';
    const label = task.element === undefined ? name : `${name} [${task.element}]`;
    return html`<section aria-label="Takes of ${label}">
      <h3>${label}</h3>
      <div class="row">${(task.takes ?? []).map((take) => html`<${Take} take=${take} step=${label} />`)}</div>
    </section>`;
  })}</div>`;
}

function Take({ take, step }: { readonly take: ReportTake; readonly step: string }): VNode {
  const { number, picked, credits, at, command, files, state } = take;
  const facts = [
    ...(credits === undefined ? [] : [count(credits, 'credit')]),
    ...(at === undefined ? [state] : [shortTime(at)]),
  ].join(' · ');
  return html`<figure class=${picked === true ? 'picked' : ''}>
    ${
      files.length === 0
        ? html`<div class="frame"><span class="blank">not saved here</span></div>`
        : files.map(
            (file) =>
              html`<div class="frame"><${Picture} file=${file} alt="${step}, take ${number}" onRatio=${() => undefined} /></div>`,
          )
    }
    <figcaption>
      <b>Take ${number}</b>${picked === true ? html` <span class="badge">picked</span>` : null}
      <span class="muted">${facts}</span>
      ${command === undefined ? null : html`<${Copy} text=${command} />`}
    </figcaption>
  </figure>`;
}
