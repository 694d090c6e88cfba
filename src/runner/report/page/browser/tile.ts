// One item in the gallery: its result, compared with its input under the pointer.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ReportFile, ReportItem } from '../report-data.ts';
import { pictureAddress } from './pictures.ts';
import { resultOf } from './result.ts';
import { StateMark } from './state-mark.ts';
import { count, stateWords } from './words.ts';

export type Showing = 'after' | 'before' | 'compare';

export interface TileProps {
  readonly item: ReportItem;
  readonly number: number;
  /** The item's key, or the name of a pipeline without items. */
  readonly title: string;
  readonly showing: Showing;
  readonly onOpen: (number: number) => void;
}

/** Drawn again only if it changes: the grid redraws at every step of the scroll bar. */
export function Tile({ item, number, title, showing, onOpen }: TileProps): VNode {
  const [near, approach] = useState(false);
  const first = pictureAddress(item.inputs[0]?.picture);
  const second = pictureAddress(resultOf(item)?.picture);
  return useMemo(() => {
    const pair = first !== undefined && second !== undefined;
    const { word } = stateWords[item.state];
    const onPointerEnter = pair ? () => approach(true) : undefined;
    return html`<button type="button" onClick=${() => onOpen(number)} onPointerEnter=${onPointerEnter}
      onPointerMove=${pair ? follow : undefined} onPointerLeave=${pair ? rest : undefined}>
      <${TilePicture} ...${{ item, first, second, showing, near }} />
      <span class="caption">
        <span class="name" title=${title}>${title}<span class="visually-hidden">, ${word}</span></span>${' '}
        ${item.credits > 0 ? html`<span class="muted">${count(item.credits, 'credit')}</span>` : null}
      </span>
    </button>`;
  }, [item, number, title, showing, onOpen, near, first, second]);
}

interface PictureProps {
  readonly item: ReportItem;
  readonly first: string | undefined;
  readonly second: string | undefined;
  readonly showing: Showing;
  /** The pointer has been over it: only then is the picture of the input decoded. */
  readonly near: boolean;
}

function TilePicture({ item, first, second, showing, near }: PictureProps): VNode {
  const { state } = item;
  const after = resultOf(item);
  const compared = showing === 'compare';
  const split = compared ? '50%' : '0%';
  const only = showing === 'before' ? (first ?? second) : (second ?? first);
  if (only === undefined)
    return html`<span class="frame state-${state}" aria-hidden="true"><${Blank} item=${item} file=${after} /></span>`;
  const faded = second === undefined && state !== 'done' ? 'faded' : '';
  const over =
    first !== undefined && second !== undefined && showing !== 'before' && (near || compared);
  return html`<span class="frame" aria-hidden="true" data-rest=${split} style=${{ '--split': split }}>
    <img src=${only} alt="" decoding="async" class=${faded} />
    ${over ? html`<img class="over" src=${first} alt="" decoding="async" />` : null}
    ${compared && over ? html`<span class="edge"></span><span class="tag before">before</span><span class="tag after">after</span>` : null}
    ${after?.medium === 'video' ? html`<span class="play">▶</span>` : null}
    ${state === 'done' ? null : html`<span class="corner state-${state}"><${StateMark} state=${state} /></span>`}
  </span>`;
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
