// The page on paper: the problems, and all items; with their pictures while they are few, and one line each beyond that.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ReportData, ReportItem } from '../page/report-data.ts';
import { causeOf, resultOf, shownItems, titleOf } from './item.ts';
import { pictureAddress } from './pictures.ts';
import { Problems } from './problems.ts';
import { StateMark } from './state-mark.ts';
import { count, whole } from './words.ts';

export function Printed({ data }: { readonly data: ReportData }): VNode {
  const isCalm = data.failures.length + data.doubts.length === 0;
  return html`<div class="printed">
    ${isCalm ? null : html`<${Problems} data=${data} onShow=${() => undefined} />`}
    <${PrintedItems} data=${data} />
  </div>`;
}

/** Browsers decode the pictures of a page to print all at once. */
const maxPictured = 600;

function PrintedItems({ data }: { readonly data: ReportData }): VNode {
  const items = shownItems(data);
  const titled = items.map((item, index) => ({
    item,
    title: titleOf(data, data.items.length === 0 ? -1 : index),
  }));
  return html`<section class="section">
    <h2>${data.items.length === 0 ? 'Result' : `All ${count(items.length, 'item')}`}</h2>
    ${
      items.length <= maxPictured
        ? html`<ul class="sheet">${titled.map((one) => html`<${PrintedItem} data=${data} ...${one} />`)}</ul>`
        : html`<table><thead><tr><th>Item</th><th>State</th><th class="num">Credits</th></tr></thead><tbody>
          ${titled.map(
            ({ item, title }) => html`<tr><td>${title}</td>
            <td><${StateMark} state=${item.state} /> ${causeOf(data, item)?.why ?? ''}</td><td class="num">${whole(item.credits)}</td></tr>`,
          )}</tbody></table>`
    }
  </section>`;
}

interface PrintedItemProps {
  readonly data: ReportData;
  readonly item: ReportItem;
  readonly title: string;
}

function PrintedItem({ data, item, title }: PrintedItemProps): VNode {
  const pictures = [item.inputs[0], resultOf(item)].flatMap((file) => {
    const address = pictureAddress(file?.picture);
    return address === undefined ? [] : [{ address, name: file?.name ?? '' }];
  });
  const cause = causeOf(data, item);
  return html`<li>
    <div class="pair">${pictures.map(({ address, name }) => html`<img src=${address} alt=${name} decoding="sync" />`)}</div>
    <p><b>${title}</b></p>
    <p><${StateMark} state=${item.state} />${item.credits > 0 ? html` <span class="muted">· ${count(item.credits, 'credit')}</span>` : null}</p>
    ${cause === undefined ? null : html`<p class="small">${cause.step === '' ? '' : `${cause.step}: `}${cause.why}</p>`}
  </li>`;
}
