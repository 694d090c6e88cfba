// One item in the gallery: its result, compared with its input under the pointer.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ReportFile, ReportItem } from '../report-data.ts';
import { pictureAddress } from './pictures.ts';
import { StateMark } from './state-mark.ts';
import { count, stateWords } from './words.ts';

export type Showing = 'after' | 'before' | 'compare';

export interface TileProps {
  readonly item: ReportItem;
  /** For the item of a pipeline without items. */
  readonly title: string;
  readonly showing: Showing;
  readonly onOpen: () => void;
}

export function Tile({ item, title, showing, onOpen }: TileProps): VNode {
  const after = item.outputs.at(-1);
  const before = item.inputs[0];
  const pair =
    pictureAddress(before?.picture) !== undefined && pictureAddress(after?.picture) !== undefined;
  const { word } = stateWords[item.state];
  return html`<button type="button" onClick=${onOpen}
    onPointerMove=${pair ? follow : undefined} onPointerLeave=${pair ? rest : undefined}>
    <${TilePicture} item=${item} before=${before} after=${after} pair=${pair} showing=${showing} />
    <span class="caption">
      <span class="name" title=${title}>${title}<span class="visually-hidden">, ${word}</span></span>${' '}
      ${item.credits > 0 ? html`<span class="muted">${count(item.credits, 'credit')}</span>` : null}
    </span>
  </button>`;
}

interface PictureProps {
  readonly item: ReportItem;
  readonly before: ReportFile | undefined;
  readonly after: ReportFile | undefined;
  readonly pair: boolean;
  readonly showing: Showing;
}

function TilePicture({ item, before, after, pair, showing }: PictureProps): VNode {
  const { state } = item;
  const first = pictureAddress(before?.picture);
  const second = pictureAddress(after?.picture);
  const marked =
    state === 'done'
      ? null
      : html`<span class="corner state-${state}"><${StateMark} state=${state} /></span>`;
  if (pair && showing !== 'before')
    return html`<span class="frame" aria-hidden="true" data-rest=${showing === 'compare' ? '50%' : '0%'} style=${{ '--split': showing === 'compare' ? '50%' : '0%', display: 'block' }}>
      <img src=${second} alt="" loading="lazy" decoding="async" />
      <img class="over" src=${first} alt="" loading="lazy" decoding="async" />
      ${showing === 'compare' ? html`<span class="edge"></span><span class="tag before">before</span><span class="tag after">after</span>` : null}
      ${after?.medium === 'video' ? html`<span class="play">▶</span>` : null}${marked}
    </span>`;
  const only = showing === 'before' ? (first ?? second) : (second ?? first);
  if (only !== undefined)
    return html`<span class="frame" aria-hidden="true" style=${{ display: 'block' }}>
      <img src=${only} alt="" loading="lazy" decoding="async" class=${second === undefined && state !== 'done' ? 'faded' : ''} />
      ${after?.medium === 'video' ? html`<span class="play">▶</span>` : null}${marked}
    </span>`;
  return html`<span class="frame state-${state}" aria-hidden="true" style=${{ display: 'block' }}><${Blank} item=${item} file=${after} /></span>`;
}

const media = { image: 'picture', video: 'clip', audio: 'sound', other: 'file' } as const;
const mediaGlyphs = { image: '▣', video: '▶', audio: '♪', other: '▤' } as const;

function Blank({
  item,
  file,
}: {
  readonly item: ReportItem;
  readonly file: ReportFile | undefined;
}): VNode {
  const why = item.tasks.find(({ state }) => state === item.state)?.why;
  const { glyph, word } = stateWords[item.state];
  return file === undefined
    ? html`<span class="blank"><span class="glyph">${glyph}</span><span>${why ?? word}</span></span>`
    : html`<span class="blank"><span class="glyph">${mediaGlyphs[file.medium]}</span><span>${media[file.medium]} · ${file.name}</span></span>`;
}

/** The line between before and after follows the pointer. */
function follow(event: PointerEvent): void {
  const frame = frameOf(event);
  if (frame === undefined || event.pointerType === 'touch') return;
  const { left, width } = frame.getBoundingClientRect();
  const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
  frame.style.setProperty('--split', `${(100 * share).toFixed(1)}%`);
}

function rest(event: PointerEvent): void {
  const frame = frameOf(event);
  frame?.style.setProperty('--split', frame.dataset['rest'] ?? '0%');
}

function frameOf({ currentTarget }: PointerEvent): HTMLElement | undefined {
  const frame = currentTarget instanceof Element ? currentTarget.querySelector('.frame') : null;
  return frame instanceof HTMLElement ? frame : undefined;
}
