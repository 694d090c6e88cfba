// One item in full: its pictures, and everything that is known about them.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ReportData, ReportFile } from '../page/report-data.ts';
import { Compare } from './compare.ts';
import { itemNumbered } from './filter.ts';
import { ItemFacts } from './item-facts.ts';
import { pictureAddress } from './pictures.ts';
import { resultOf } from './result.ts';
import { Takes, tasksWithTakes } from './takes.ts';
import { whole } from './words.ts';

export interface LightboxProps {
  readonly data: ReportData;
  readonly number: number;
  readonly title: string;
  readonly place: number;
  readonly of: number;
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}

export function Lightbox(props: LightboxProps): VNode {
  const { data, number, title, place, of, onStep, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    if (current?.open === false) current.showModal();
    return () => current?.close();
  }, []);
  const item = itemNumbered(data, number);
  const files = [...item.inputs, ...item.outputs];
  const [picked, pick] = useState<ReportFile | undefined>(undefined);
  const [compares, compare] = useState(false);
  const hasTakes = tasksWithTakes(item).length > 0;
  const result = resultOf(item);
  const shown =
    picked !== undefined && files.includes(picked) ? picked : (result ?? item.inputs[0]);
  const before = shown !== undefined && item.outputs.includes(shown) ? item.inputs[0] : undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    const { target } = event;
    const busy = target instanceof HTMLInputElement || target instanceof HTMLMediaElement;
    if (busy || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowRight' && place < of) onStep(1);
    else if (event.key === 'ArrowLeft' && place > 1) onStep(-1);
    else return;
    event.preventDefault();
  };
  return html`<dialog class="lightbox" ref=${dialog} aria-labelledby="lightbox-title" onClose=${onClose} onKeyDown=${onKeyDown}>
    <div class="inside">
      <div class="stage">
        <div class="head">
          <h2 id="lightbox-title">${title}</h2>
          <span class="small muted">${of > 1 ? `${whole(place)} of ${whole(of)}` : ''}</span>
          ${hasTakes ? html`<button type="button" class="icon-button" aria-pressed=${compares} onClick=${() => compare(!compares)}>Compare takes</button>` : null}
          <button type="button" class="icon-button" aria-disabled=${place <= 1} onClick=${() => place > 1 && onStep(-1)} aria-label="Previous item">←</button>
          <button type="button" class="icon-button" aria-disabled=${place >= of} onClick=${() => place < of && onStep(1)} aria-label="Next item">→</button>
          <button type="button" class="icon-button" onClick=${onClose} aria-label="Close">✕<span class="visually-hidden"> Close</span></button>
        </div>
        <div class="view-box">${
          hasTakes && compares
            ? html`<${Takes} data=${data} item=${item} />`
            : html`<${Compare} key=${number} before=${before} after=${shown} state=${item.state} title=${title} />`
        }</div>
        ${
          files.length > 1
            ? html`<div class="strip" role="group" aria-label="Files">
              ${files.map((file) => html`<${Small} file=${file} step=${data.steps[file.step]?.name ?? ''} pressed=${file === shown} onPick=${() => pick(file)} />`)}
            </div>`
            : null
        }
      </div>
      <div class="panel" tabindex="0" role="region" aria-label="Facts"><${ItemFacts} data=${data} item=${item} /></div>
    </div>
  </dialog>`;
}

interface SmallProps {
  readonly file: ReportFile;
  readonly step: string;
  readonly pressed: boolean;
  readonly onPick: () => void;
}

function Small({ file, step, pressed, onPick }: SmallProps): VNode {
  const address = pictureAddress(file.picture);
  const label = `${step}: ${file.name}`;
  return html`<button type="button" aria-pressed=${pressed} aria-label=${label} title=${label} onClick=${onPick}>
    <span class="frame" style=${{ display: 'block' }}>
      ${address === undefined ? html`<span class="blank">${file.medium === 'audio' ? '♪' : file.medium === 'video' ? '▶' : '▤'}</span>` : html`<img src=${address} alt="" />`}
    </span>
  </button>`;
}
