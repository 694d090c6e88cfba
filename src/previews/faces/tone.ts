// The light of one face on another: how much lighter, redder or yellower the skin is here than there, as a smooth
// field over the face, so that a cheek that a lamp reddens stays red whoever's cheek it is.

/** Colours at the nodes of a grid: three floats (Oklab) a node, row by row. */
export interface Field {
  readonly colours: Float32Array;
  readonly columns: number;
  readonly rows: number;
}

/** What makes ours theirs: a colour times `gains` plus the `shift` of its place. */
export interface Tone {
  readonly gains: readonly [lightness: number, a: number, b: number];
  readonly shift: Field;
  /** How surely a node is hair and no skin, there and here: 0 to 1. */
  readonly theirHair: Float32Array;
  readonly ourHair: Float32Array;
}

/** What colours of skin differ from their middle by: hair and teeth are further off and count less. */
const usualSpread = 0.2;

/** How far a face's own contrast may be changed to the other's, in lightness and in hue. */
const gainLimits = [
  [0.8, 1.2],
  [0.35, 1],
  [0.35, 1],
] as const;

/**
 * What takes `ours` into the light of `theirs`, told by the nodes that `weights` says are skin, and smoothed over
 * `reach` nodes.
 */
export function toneBetween(
  ours: Field,
  theirs: Field,
  weights: Float32Array,
  reach: number,
): Tone {
  const { columns, rows } = ours;
  const skin = weights.slice();
  for (const { colours } of [ours, theirs]) {
    const middle = medianLightness(colours, weights);
    for (const [node, weight] of skin.entries()) {
      const off = ((colours[node * 3] ?? 0) - middle) / usualSpread;
      skin[node] = weight * Math.exp(-off * off);
    }
  }
  const [ourSmooth, theirSmooth] = [smoothed(ours, skin, reach), smoothed(theirs, skin, reach)];
  const gain = (channel: 0 | 1 | 2): number => {
    const [least, most] = gainLimits[channel];
    const there = contrast(theirs.colours, theirSmooth, skin, channel);
    const here = contrast(ours.colours, ourSmooth, skin, channel);
    return Math.min(most, Math.max(least, there / Math.max(1e-6, here)));
  };
  const gains = [gain(0), gain(1), gain(2)] as const;
  const shift = theirSmooth.map(
    (value, index) => value - (ourSmooth[index] ?? 0) * (gains[index % 3] ?? 1),
  );
  return {
    gains,
    shift: { colours: shift, columns, rows },
    theirHair: skin.map((_, node) => hairAt(theirs.colours, theirSmooth, node * 3)),
    ourHair: skin.map((_, node) => hairAt(ours.colours, ourSmooth, node * 3)),
  };
}

/** So much darker than the skin around is hair, and so much more surely. */
const [darkerHair, surelyHair] = [0.09, 0.1];

function hairAt(colours: Float32Array, skin: Float32Array, lightness: number): number {
  const darker = (skin[lightness] ?? 0) - (colours[lightness] ?? 0);
  return Math.min(1, Math.max(0, (darker - darkerHair) / surelyHair));
}

/** How much the skin differs from what it is when smoothed. */
function contrast(
  colours: Float32Array,
  smooth: Float32Array,
  skin: Float32Array,
  channel: number,
): number {
  let sum = 0;
  for (const [node, weight] of skin.entries()) {
    const off = (colours[node * 3 + channel] ?? 0) - (smooth[node * 3 + channel] ?? 0);
    sum += weight * off * off;
  }
  return Math.sqrt(sum);
}

/** The colours of the skin, smooth, and spread to where there is none. */
function smoothed(
  { colours, columns, rows }: Field,
  skin: Float32Array,
  reach: number,
): Float32Array {
  const sums = [0, 0, 0];
  let total = 1e-9;
  const weighed = new Float32Array(columns * rows * 4);
  for (const [node, weight] of skin.entries()) {
    total += weight;
    weighed[node * 4 + 3] = weight;
    for (let channel = 0; channel < 3; channel++) {
      const part = weight * (colours[node * 3 + channel] ?? 0);
      weighed[node * 4 + channel] = part;
      sums[channel] = (sums[channel] ?? 0) + part;
    }
  }
  const spread = blurred(blurred(weighed, rows, columns, reach), columns, rows, reach);
  // Where there is no skin far and wide, the mean of all speaks.
  const little = 0.003;
  const smooth = new Float32Array(colours.length);
  for (let node = 0; node < skin.length; node++)
    for (let channel = 0; channel < 3; channel++)
      smooth[node * 3 + channel] =
        ((spread[node * 4 + channel] ?? 0) + ((sums[channel] ?? 0) / total) * little) /
        ((spread[node * 4 + 3] ?? 0) + little);
  return smooth;
}

function medianLightness(colours: Float32Array, weights: Float32Array): number {
  const lightness = Float32Array.from(weights, (_, node) => colours[node * 3] ?? 0);
  const known = lightness.filter((_, node) => (weights[node] ?? 0) > 0.5).sort();
  return known[known.length >> 1] ?? 0.5;
}

/** Smooths each row (four floats a node) and turns the grid on its side: done twice, it stands upright again. */
function blurred(
  numbers: Float32Array,
  rows: number,
  columns: number,
  reach: number,
): Float32Array {
  const width = Math.ceil(reach * 2.5);
  const bell = Float32Array.from({ length: width * 2 + 1 }, (_, index) =>
    Math.exp(-(((index - width) / reach) ** 2) / 2),
  );
  const sum = bell.reduce((all, share) => all + share, 0);
  const turned = new Float32Array(numbers.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const first = Math.max(0, column - width);
      const last = Math.min(columns - 1, column + width);
      const to = (column * rows + row) * 4;
      for (let channel = 0; channel < 4; channel++) {
        let smooth = 0;
        for (let from = first; from <= last; from++)
          smooth +=
            (bell[from - column + width] ?? 0) *
            (numbers[(row * columns + from) * 4 + channel] ?? 0);
        turned[to + channel] = smooth / sum;
      }
    }
  return turned;
}
