// The pictures of the report: in a file, text in the page until somebody looks at them; in a live page, what its server has.
import { picturesPerBlock } from '../page/document.ts';
import type { ReportFile } from '../page/report-data.ts';

const blocks = new Map<number, readonly string[]>();

const addresses = new Map<number, string>();

/** The numbers that the server has no picture of; undefined in a file. */
let missing: Set<number> | undefined;

/** The address of a picture; undefined if the report has none for this number. */
export function pictureAddress(number: number | undefined): string | undefined {
  if (number === undefined) return undefined;
  if (missing !== undefined) return missing.has(number) ? undefined : `pictures/${number}`;
  const known = addresses.get(number);
  if (known !== undefined) return known;
  const base64 = blockOf(Math.floor(number / picturesPerBlock))[number % picturesPerBlock];
  if (base64 === undefined || base64 === '') return undefined;
  const address = `data:image/webp;base64,${base64}`;
  addresses.set(number, address);
  return address;
}

/** The small picture of a file; else the file itself beside the report: a large report holds only some of the small pictures. */
export function shownAddress(file: ReportFile | undefined): string | undefined {
  const small = pictureAddress(file?.picture);
  if (small !== undefined || missing !== undefined) return small;
  const { href } = file ?? {};
  return href === undefined || absent.has(href) || !isShown.test(href) ? undefined : href;
}

/** Files that are not beside the report: it was sent without them. */
const absent = new Set<string>();

/** Calls `redraw` when a file turns out to be absent. */
export function noteAbsentFiles(redraw: () => void): void {
  const note = ({ target }: Event): void => {
    const href = target instanceof HTMLImageElement ? target.getAttribute('src') : null;
    if (href === null || absent.has(href)) return;
    absent.add(href);
    // The pictures of a screen are missed together.
    requestAnimationFrame(redraw);
  };
  document.addEventListener('error', note, true);
}

/** The pictures that every browser shows. */
export const isShown = /\.(png|jpe?g|webp|gif|avif|bmp)$/i;

function blockOf(number: number): readonly string[] {
  const known = blocks.get(number);
  if (known !== undefined) return known;
  const element = document.getElementById(`pictures-${number}`);
  // The browser may still be reading the page: then the block is there the next time.
  if (element === null) return [];
  const lines = (element.textContent ?? '').split('\n');
  blocks.set(number, lines);
  return lines;
}

/** From now on, pictures come from the server of the page. Calls `redraw` when one turns out to be missing. */
export function picturesFromServer(redraw: () => void): void {
  const gone = new Set<number>();
  missing = gone;
  const note = ({ target }: Event): void => {
    const [, number] =
      target instanceof HTMLImageElement ? (/\/pictures\/(\d+)$/.exec(target.src) ?? []) : [];
    if (number === undefined || gone.has(Number(number))) return;
    gone.add(Number(number));
    redraw();
  };
  // The errors of elements do not bubble.
  document.addEventListener('error', note, true);
}
