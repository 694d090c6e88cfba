// The gallery: every item as a picture, filtered, and only what is on the screen in the document.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ReportData } from '../report-data.ts';
import { type Filter, filtered, itemNumbered, noFilter } from './filter.ts';
import { Lightbox } from './lightbox.ts';
import type { Counts } from './masthead.ts';
import { type Showing, Tile } from './tile.ts';
import { Toolbar } from './toolbar.ts';
import { useGrid } from './virtual-grid.ts';

export interface GalleryProps {
  readonly data: ReportData;
  readonly counts: Counts;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

export function Gallery({ data, counts, filter, onFilter }: GalleryProps): VNode {
  const [showing, show] = useState<Showing>('after');
  const [wish, resize] = useState(260);
  const [open, setOpen] = useState<number | undefined>(undefined);
  const numbers = useMemo(() => filtered(data, filter), [data, filter]);
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
  const at = open === undefined ? -1 : numbers.indexOf(open);
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
          <${Tile} item=${itemNumbered(data, number)} number=${number} title=${titleOf(data, number)} showing=${showing} onOpen=${setOpen} />
        </li>`,
      )}
    </ul>
    ${
      numbers.length === 0
        ? html`<div class="empty"><strong>No item fits.</strong>
          <button type="button" class="icon-button" onClick=${() => onFilter(noFilter)}>Show all items</button></div>`
        : null
    }
    ${
      open === undefined
        ? null
        : html`<${Lightbox} data=${data} number=${open} title=${titleOf(data, open)} place=${at + 1} of=${numbers.length}
          onStep=${(by: number) => setOpen(numbers[at + by] ?? open)} onClose=${() => setOpen(undefined)} />`
    }
  </div>`;
}

export const titleOf = (data: ReportData, number: number): string =>
  number < 0 ? data.pipeline : (data.items[number]?.key ?? '');

/** Whether there is anything to compare. */
const hasPairs = ({ items, shared }: ReportData): boolean =>
  [shared, ...items].some(
    ({ inputs, outputs }) =>
      inputs[0]?.picture !== undefined && outputs.some(({ picture }) => picture !== undefined),
  );
