// One item in the gallery: its result, compared with its input under the pointer.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ReportFile, ReportItem } from '../page/report-data.ts';
import { shownAddress } from './pictures.ts';
import { resultOf } from './result.ts';
import { StateMark } from './state-mark.ts';
import { count, stateWords } from './words.ts';

export type Showing = 'after' | 'before' | 'compare';

export interface TileProps {
  readonly item: ReportItem;
  /** The item's key, or the name of a pipeline without items. */
  readonly title: string;
  readonly showing: Showing;
  /** Why it failed, is in doubt or is blocked; empty otherwise. */
  readonly why: string;
  /** The step that it is in; empty before and after. */
  readonly where: string;
  readonly onOpen: (key: string) => void;
}

/** Drawn again only if it changes: the grid redraws at every step of the scroll bar. */
export function Tile({ item, title, showing, why, where, onOpen }: TileProps): VNode {
  const [near, approach] = useState(false);
  const first = shownAddress(item.inputs[0]);
  const second = shownAddress(resultOf(item));
  return useMemo(() => {
    const pair = first !== undefined && second !== undefined;
    const { word } = stateWords[item.state];
    const onPointerEnter = pair ? () => approach(true) : undefined;
    return html`<button type="button" onClick=${() => onOpen(item.key)} onPointerEnter=${onPointerEnter}
      onPointerMove=${pair ? follow : undefined} onPointerLeave=${pair ? rest : undefined}>
      <${TilePicture} ...${{ item, first, second, showing, near, why, where }} />
      <span class="caption">
        <span class="name" title=${title}>${title}<span class="visually-hidden">, ${word}${why === '' ? '' : `: ${why}`}</span></span>${' '}
        ${item.credits > 0 ? html`<span class="muted">${count(item.credits, 'credit')}</span>` : null}
      </span>
    </button>`;
  }, [item, title, showing, why, where, near, first, second]);
}

interface PictureProps extends Pick<TileProps, 'item' | 'showing' | 'why' | 'where'> {
  readonly first: string | undefined;
  readonly second: string | undefined;
  /** The pointer has been over it: only then is the picture of the input decoded. */
  readonly near: boolean;
}

function TilePicture(props: PictureProps): VNode {
  const { item, first, second, showing, near, why, where } = props;
  const { state } = item;
  const after = resultOf(item);
  const compared = showing === 'compare';
  const split = compared ? '50%' : '0%';
  const only = showing === 'before' ? (first ?? second) : (second ?? first);
  const faded = second === undefined && state !== 'done' ? 'faded' : '';
  const over =
    first !== undefined && second !== undefined && showing !== 'before' && (near || compared);
  return html`<span class="frame state-${state}" aria-hidden="true" data-rest=${split} style=${{ '--split': split }}>
    ${only === undefined ? html`<${Blank} state=${state} file=${after} />` : html`<img src=${only} alt="" decoding="async" class=${faded} />`}
    ${over ? html`<img class="over" src=${first} alt="" decoding="async" />` : null}
    ${compared && over ? html`<span class="edge"></span><span class="tag before">before</span><span class="tag after">after</span>` : null}
    ${after?.medium === 'video' ? html`<span class="play">▶</span>` : null}
    ${state === 'done' ? null : html`<span class="corner state-${state}"><${StateMark} state=${state} />${where === '' ? null : html`<span class="where">${where}</span>`}</span>`}
    ${why === '' ? null : html`<span class="reason"><span>${why}</span></span>`}
  </span>`;
}

const media = { image: 'picture', video: 'clip', audio: 'sound', other: 'file' } as const;
const mediaGlyphs = { image: '▣', video: '▶', audio: '♪', other: '▤' } as const;

function Blank({
  state,
  file,
}: {
  readonly state: ReportItem['state'];
  readonly file: ReportFile | undefined;
}): VNode {
  const { glyph, word } = stateWords[state];
  return file === undefined
    ? html`<span class="blank"><span class="glyph">${glyph}</span><span>${state === 'done' ? word : ''}</span></span>`
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
