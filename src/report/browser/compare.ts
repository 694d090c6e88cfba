// A result, and a slider over it that uncovers its input. The file beside the report replaces the small picture as soon
// as it is loaded; without the file, the small picture stays.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ItemState, ReportFile } from '../page/report-data.ts';
import { isShown, pictureAddress, shownAddress } from './pictures.ts';
import { stateWords } from './words.ts';

export interface CompareProps {
  readonly before: ReportFile | undefined;
  readonly after: ReportFile | undefined;
  readonly state: ItemState;
  readonly title: string;
}

export function Compare({ before, after, state, title }: CompareProps): VNode {
  const [split, move] = useState(50);
  const [ratio, measure] = useState(1.5);
  const first = pictureAddress(before?.picture);
  if (after === undefined)
    return html`<div class="compare"><div class="frame state-${state}"><span class="blank">
      <span class="glyph" aria-hidden="true">${stateWords[state].glyph}</span><span>${stateWords[state].word}: there is no file</span>
    </span></div></div>`;
  if (after.medium === 'audio' || after.medium === 'video')
    return html`<${Player} file=${after} />`;
  const pair = first !== undefined && pictureAddress(after.picture) !== undefined;
  return html`<div class="compare">
    <div class="frame" style=${{ '--split': `${split}%`, '--ratio': String(ratio) }}>
      <${Picture} file=${after} alt=${pair ? `${title}, after` : after.name} onRatio=${measure} />
      ${pair ? html`<${Before} address=${first} title=${title} split=${split} onMove=${move} />` : null}
    </div>
  </div>`;
}

interface BeforeProps {
  readonly address: string;
  readonly title: string;
  readonly split: number;
  readonly onMove: (split: number) => void;
}

function Before({ address, title, split, onMove }: BeforeProps): VNode {
  return html`<img class="over" src=${address} alt="${title}, before" />
    <span class="edge"></span><span class="handle" aria-hidden="true">↔</span>
    <span class="tag before">before</span><span class="tag after">after</span>
    <input type="range" min="0" max="100" step="1" value=${split} aria-label="Before and after"
      aria-valuetext="${split}% before" onInput=${(event: Event) => onMove(numberOf(event, split))} />`;
}

const numberOf = ({ currentTarget }: Event, otherwise: number): number =>
  currentTarget instanceof HTMLInputElement ? currentTarget.valueAsNumber : otherwise;

interface PictureProps {
  readonly file: ReportFile;
  readonly alt: string;
  /** Called with the width by the height, once they are known. */
  readonly onRatio: (ratio: number) => void;
}

/** The small picture, and the file itself as soon as it is loaded. */
export function Picture({ file, alt, onRatio }: PictureProps): VNode {
  const [missing, miss] = useState<string | undefined>(undefined);
  const small = shownAddress(file);
  const { href } = file;
  if (small === undefined)
    return html`<span class="blank"><span class="glyph" aria-hidden="true">▣</span><span>${file.name}</span></span>`;
  const large =
    href === undefined || href === small || missing === href || !isShown.test(href)
      ? undefined
      : href;
  return html`<img src=${small} alt=${alt} onLoad=${(event: Event) => onRatio(ratioOf(event))} />
    ${large === undefined ? null : html`<img key=${large} src=${large} alt="" onError=${() => miss(large)} />`}`;
}

const ratioOf = ({ currentTarget }: Event): number =>
  currentTarget instanceof HTMLImageElement && currentTarget.naturalHeight > 0
    ? currentTarget.naturalWidth / currentTarget.naturalHeight
    : 1.5;

function Player({ file }: { readonly file: ReportFile }): VNode {
  const { href, medium, name } = file;
  const poster = pictureAddress(file.picture);
  if (href === undefined)
    return html`<div class="compare"><div class="frame">
      ${poster === undefined ? null : html`<img src=${poster} alt=${name} />`}
      <span class="blank"><span class="glyph" aria-hidden="true">${medium === 'audio' ? '♪' : '▶'}</span><span>${name} is not beside this report</span></span>
    </div></div>`;
  return medium === 'audio'
    ? html`<audio controls src=${href} aria-label=${name}></audio>`
    : html`<div class="compare"><div class="frame"><video controls preload="metadata" src=${href} poster=${poster} aria-label=${name}></video></div></div>`;
}
