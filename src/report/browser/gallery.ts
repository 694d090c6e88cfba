// The gallery: every item as a picture, filtered, and only what is on the screen in the document.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ReportData } from '../page/report-data.ts';
import { causeOf, stepNow } from './cause.ts';
import { type Filter, itemNumbered, noFilter } from './filter.ts';
import type { Counts } from './masthead.ts';
import { type Showing, Tile } from './tile.ts';
import { Toolbar } from './toolbar.ts';
import { useGrid } from './virtual-grid.ts';

export interface GalleryProps {
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
      ...{ number, place: index * grid.columns + column },
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

export const titleOf = (data: ReportData, number: number): string =>
  number < 0 ? data.pipeline : (data.items[number]?.key ?? '');

/** Whether there is anything to compare. */
const hasPairs = ({ items, shared }: ReportData): boolean =>
  [shared, ...items].some(
    ({ inputs, outputs }) =>
      inputs[0]?.picture !== undefined && outputs.some(({ picture }) => picture !== undefined),
  );
