// The gallery: every item as a picture, filtered, and only what is on the screen in the document.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ItemState, ReportData, ReportFile, ReportItem } from '../page/report-data.ts';
import { type Filter, noFilter, SearchField, StepField } from './filter.ts';
import { causeOf, itemNumbered, resultOf, stepNow, titleOf } from './item.ts';
import type { Counts } from './masthead.ts';
import { shownAddress } from './pictures.ts';
import { StateMark } from './state-mark.ts';
import { useGrid } from './virtual-grid.ts';
import { count, itemStates, stateWords, whole } from './words.ts';

interface GalleryProps {
  readonly data: ReportData;
  readonly counts: Counts;
  readonly filter: Filter;
  /** The items that fit the filter. */
  readonly numbers: readonly number[];
  readonly onFilter: (filter: Filter) => void;
  /** Called with the key of an item; empty for a pipeline without items. */
  readonly onOpen: (key: string) => void;
}

export function Gallery(props: GalleryProps): VNode {
  const { data, counts, filter, numbers, onFilter, onOpen } = props;
  const [showing, show] = useState<Showing>('after');
  const [wish, resize] = useState(260);
  const list = useRef<HTMLUListElement>(null);
  const grid = useGrid(list, numbers.length, wish);
  const pairs = useMemo(() => hasPairs(data), [data]);
  const tiles = grid.rows.flatMap(({ index, start }) =>
    numbers.slice(index * grid.columns, (index + 1) * grid.columns).map((number, column) => ({
      number,
      place: index * grid.columns + column,
      left: column * (grid.tileWidth + grid.gap),
      top: start,
    })),
  );
  return html`<div>
    <${Toolbar} ...${{ data, counts, filter, onFilter, showing, show, wish, resize, pairs }} shown=${numbers.length} />
    <ul class="gallery" ref=${list} style=${{ height: `${Math.max(0, grid.height - grid.gap)}px` }}>
      ${tiles.map(
        ({
          number,
          place,
          left,
          top,
        }) => html`<li class="tile" key=${number} aria-setsize=${numbers.length} aria-posinset=${place + 1}
          style=${{ transform: `translate(${left}px, ${top}px)`, width: `${grid.tileWidth}px` }}>
          <${Entry} ...${{ data, number, showing, onOpen }} />
        </li>`,
      )}
    </ul>
    ${
      numbers.length === 0
        ? html`<div class="empty"><strong>No item fits.</strong>
          <button type="button" class="icon-button" onClick=${() => onFilter(noFilter)}>Show all items</button></div>`
        : null
    }
  </div>`;
}

interface EntryProps extends Pick<GalleryProps, 'data' | 'onOpen'> {
  readonly number: number;
  readonly showing: Showing;
}

function Entry({ data, number, showing, onOpen }: EntryProps): VNode {
  const item = itemNumbered(data, number);
  // A live page has new data every second, and mostly the same items.
  const { why, where } = useMemo(
    () => ({ why: causeOf(data, item)?.why ?? '', where: stepNow(data, item) }),
    [item, data.failures],
  );
  const title = titleOf(data, number);
  return html`<${Tile} ...${{ item, title, showing, why, where, onOpen }} />`;
}

/** Whether there is anything to compare. */
const hasPairs = ({ items, shared }: ReportData): boolean =>
  [shared, ...items].some(
    ({ inputs, outputs }) =>
      inputs[0]?.picture !== undefined && outputs.some(({ picture }) => picture !== undefined),
  );

// What the gallery shows, and how.

interface ToolbarProps {
  readonly data: ReportData;
  readonly counts: Counts;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  readonly showing: Showing;
  readonly show: (showing: Showing) => void;
  readonly wish: number;
  readonly resize: (wish: number) => void;
  readonly pairs: boolean;
  readonly shown: number;
}

const sizes = [
  { wish: 150, word: 'S' },
  { wish: 260, word: 'M' },
  { wish: 420, word: 'L' },
] as const;

function Toolbar(props: ToolbarProps): VNode {
  const { data, counts, filter, onFilter, showing, show, wish, resize, pairs, shown } = props;
  const total = data.items.length;
  const states = itemStates.filter((state) => (counts[state] ?? 0) > 0);
  const chip = (state: ItemState | 'all', content: unknown): VNode => html`<label class="chip">
    <input type="radio" name="state" checked=${filter.state === state} onChange=${() => onFilter({ ...filter, state })} />${content}
  </label>`;
  return html`<div class="toolbar" role="search" aria-label="Items">
    <fieldset class="chips">
      <legend class="visually-hidden">State</legend>
      ${chip('all', html`<span>All <span class="muted">${whole(Math.max(1, total))}</span></span>`)}
      ${states.length < 2 ? null : states.map((state) => chip(state, html`<${StateMark} state=${state} n=${counts[state]} />`))}
    </fieldset>
    <${SearchField} filter=${filter} onFilter=${onFilter} placeholder="Search names, hashes, reasons" />
    <${StepField} data=${data} filter=${filter} onFilter=${onFilter} />
    <span class="small muted" role="status">${shown === total || total === 0 ? '' : `${count(shown, 'item')} of ${whole(total)}`}</span>
    <span class="push"></span>
    ${
      pairs
        ? html`<${Segments} name="showing" legend="Picture" value=${showing} onPick=${show}
          options=${[['after', 'After'], ['compare', 'Compare'], ['before', 'Before']]} />`
        : null
    }
    <${Segments} name="sizes" legend="Size" value=${wish} onPick=${resize} options=${sizes.map((one) => [one.wish, one.word])} />
  </div>`;
}

interface SegmentsProps<T> {
  readonly name: string;
  readonly legend: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onPick: (value: T) => void;
}

function Segments<T>({ name, legend, value, options, onPick }: SegmentsProps<T>): VNode {
  return html`<fieldset class="segments ${name}">
    <legend class="visually-hidden">${legend}</legend>
    ${options.map(
      ([option, word]) => html`<label class="chip">
        <input type="radio" name=${name} checked=${value === option} onChange=${() => onPick(option)} />${word}
      </label>`,
    )}
  </fieldset>`;
}

// One item in the gallery: its result, compared with its input under the pointer.

type Showing = 'after' | 'before' | 'compare';

interface TileProps {
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
function Tile({ item, title, showing, why, where, onOpen }: TileProps): VNode {
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
  // A clip has no small picture: half a second after its begin, it is seldom still black.
  const clip =
    showing !== 'before' && second === undefined && after?.medium === 'video'
      ? after.href
      : undefined;
  const faded = second === undefined && state !== 'done' ? 'faded' : '';
  const over =
    first !== undefined && second !== undefined && showing !== 'before' && (near || compared);
  return html`<span class="frame state-${state}" aria-hidden="true" data-rest=${split} style=${{ '--split': split }}>
    ${clip !== undefined ? html`<video src=${`${clip}#t=0.5`} preload="metadata" muted></video>` : only === undefined ? html`<${Blank} state=${state} file=${after} />` : html`<img src=${only} alt="" decoding="async" class=${faded} />`}
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
