// Where a cut-out person's head, trunk and legs are: from a face where one is known, else from the outline alone, by
// the proportions that people have. One person; of a group without faces, the whole group.
import type { Region } from '../../../contract/api/region.ts';
import type { Picture } from '../../pictures/picture.ts';

/** A rectangle in pixels of the picture; it may reach beyond its edges. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Figure {
  /** All that is not transparent. */
  readonly whole: Box;
  readonly head: Box;
  /** From the collar to the hips, as wide as the shoulders. */
  readonly trunk: Box;
  /** From the hips to the feet, wherever these would be. */
  readonly legs: Box;
}

/** Rows and columns with less of the subject than this are haze, of the picture's side. */
const haze = 0.01;
/** The share of a person that is legs at least. */
const leastLegs = 0.32;

/** `face`: where the person's face is known to be. */
export function figureOf(picture: Picture, face: Region | undefined): Figure {
  const whole = outlineOf(picture);
  const head = face === undefined ? headOf(picture, whole) : aroundFace(face, picture);
  const middle = head.left + head.width / 2;
  // A head is about a third as wide as the shoulders, and seven and a half make a body.
  const wide = head.width * 2.6;
  const trunkTop = head.top + head.height * 1.08;
  const trunk = { left: middle - wide / 2, top: trunkTop, width: wide, height: head.height * 2.5 };
  // Where the picture ends above the hips, what is lowest stands for the legs.
  const lowest = whole.top + whole.height * (1 - leastLegs);
  const hips = Math.min(trunk.top + trunk.height * 0.92, lowest);
  const legs = {
    left: middle - wide * 0.42,
    top: hips,
    width: wide * 0.84,
    height: head.height * 4,
  };
  return { whole, head, trunk, legs };
}

/** A detected face reaches from the brows to the chin: the head is higher and a little wider. */
function aroundFace(face: Region, { width, height }: Picture): Box {
  const [wide, high] = [face.width * width, face.height * height];
  return {
    left: face.x * width - wide * 0.05,
    top: face.y * height - high * 0.25,
    width: wide * 1.1,
    height: high * 1.28,
  };
}

/** The smallest box around what is not transparent; the whole picture where nothing is left. */
export function outlineOf({ pixels, width, height }: Picture): Box {
  const rows = new Uint32Array(height);
  const columns = new Uint32Array(width);
  for (let i = 0; i < width * height; i++)
    if ((pixels[i * 4 + 3] ?? 0) >= 128) {
      const y = Math.floor(i / width);
      rows[y] = (rows[y] ?? 0) + 1;
      columns[i % width] = (columns[i % width] ?? 0) + 1;
    }
  const top = rows.findIndex((count) => count > width * haze);
  const left = columns.findIndex((count) => count > height * haze);
  if (top < 0 || left < 0) return { left: 0, top: 0, width, height };
  const bottom = rows.findLastIndex((count) => count > width * haze);
  const right = columns.findLastIndex((count) => count > height * haze);
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** Where the outline is widest below against what is above: that is where a head ends and shoulders begin. */
function headOf(picture: Picture, whole: Box): Box {
  const all = spansOf(picture, whole);
  // A lamp or a stray lock above the head is much narrower than what comes below.
  const upper = all.slice(0, Math.ceil(all.length * 0.4)).map(({ length }) => length);
  const thin = Math.max(...upper) * 0.28;
  const start = Math.max(
    0,
    all.findIndex(({ length }) => length >= thin),
  );
  const spans = all.slice(start);
  let best = Math.round(spans.length * 0.2);
  let most = 0;
  for (let end = Math.round(spans.length * 0.07); end < spans.length * 0.45; end++) {
    const above = meanOf(spans.slice(Math.floor(end * 0.3), end));
    const below = meanOf(spans.slice(end, Math.min(spans.length, Math.round(end * 1.7))));
    // A head is a little higher than wide.
    const shape = above / (end * 0.78);
    const ratio = Math.min(3, below / Math.max(1, above)) - 0.9 * Math.abs(Math.log(shape));
    if (ratio > most) {
      most = ratio;
      best = end;
    }
  }
  const row = spans.slice(Math.floor(best * 0.3), best);
  const middle = meanOf(row.map(({ from, length }) => ({ from: 0, length: from + length / 2 })));
  const wide = Math.min(meanOf(row), best * 1.1);
  return { left: middle - wide / 2, top: whole.top + start, width: wide, height: best * 0.9 };
}

interface Span {
  readonly from: number;
  readonly length: number;
}

const meanOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { length }) => sum + length, 0) / Math.max(1, spans.length);

/** The longest run of each row of the outline. */
function spansOf({ pixels, width }: Picture, whole: Box): readonly Span[] {
  return Array.from({ length: whole.height }, (_, row) => {
    let best: Span = { from: whole.left, length: 0 };
    let from = whole.left;
    for (let x = whole.left; x <= whole.left + whole.width; x++) {
      const at = ((whole.top + row) * width + x) * 4 + 3;
      if (x < whole.left + whole.width && (pixels[at] ?? 0) >= 128) continue;
      if (x - from > best.length) best = { from, length: x - from };
      from = x + 1;
    }
    return best;
  });
}
