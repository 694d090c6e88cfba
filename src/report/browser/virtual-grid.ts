// Which tiles of a long grid, or rows of a long table, are on the screen, and where.
import {
  observeWindowOffset,
  observeWindowRect,
  type VirtualItem,
  Virtualizer,
  windowScroll,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

interface Grid {
  readonly columns: number;
  /** In pixels. */
  readonly tileWidth: number;
  readonly rowHeight: number;
  readonly gap: number;
  readonly height: number;
  readonly rows: readonly VirtualItem[];
}

const gap = 20;
/** Below the picture. */
const captionHeight = 30;

/** `wish`: about how wide a tile is, in pixels. */
export function useGrid(element: RefObject<HTMLElement | null>, tiles: number, wish: number): Grid {
  const { width, top } = useBox(element);
  const own = width < 500 ? Math.min(wish, (width - gap) / 2) : wish;
  const columns = Math.max(1, Math.floor((width + gap) / (own + gap)));
  const tileWidth = Math.floor((width - gap * (columns - 1)) / columns);
  const rowHeight = Math.round(tileWidth * 0.75) + captionHeight + gap;
  const count = width === 0 ? 0 : Math.ceil(tiles / columns);
  return { columns, tileWidth, rowHeight, gap, ...useRows(count, rowHeight, top) };
}

/** In pixels: the width of an element, and its distance from the top of the page. */
export function useBox(element: RefObject<HTMLElement | null>): {
  readonly width: number;
  readonly top: number;
} {
  const [box, measure] = useState({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const look = (): void => {
      const { width, top } = current.getBoundingClientRect();
      measure((old) => {
        const now = { width, top: Math.round(top + scrollY) };
        return now.width === old.width && now.top === old.top ? old : now;
      });
    };
    const observer = new ResizeObserver(look);
    observer.observe(current);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return box;
}

/** The rows of the same height that are on the screen, and the height of all. `top`: of the first one, in pixels. */
export function useRows(
  count: number,
  rowHeight: number,
  top: number,
): Pick<Grid, 'rows' | 'height'> {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const options = {
    count,
    getScrollElement: () => window,
    estimateSize: () => rowHeight,
    overscan: 3,
    scrollMargin: top,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    onChange: () => redraw(0),
  };
  const kept = useRef<Virtualizer<Window, HTMLElement>>(null);
  kept.current ??= new Virtualizer<Window, HTMLElement>(options);
  const virtualizer = kept.current;
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  const rows = virtualizer.getVirtualItems().map((row) => ({ ...row, start: row.start - top }));
  return { height: virtualizer.getTotalSize(), rows };
}
