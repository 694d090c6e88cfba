// Where a picture's subject is: how likely each pixel of a small copy belongs to it. Nothing here knows what people
// look like; it takes for background what looks like the frame's upper rim, for subject what stands out from that,
// is in the middle, is skin, or has a face on it, and then lets two colour models argue until neighbours agree.
import type { Region } from '../../../contract/api/region.ts';
import type { Picture } from '../../pictures/picture.ts';
import { type Lab, labOf } from './lab.ts';
import { type Features, fitted, likelihoods } from './mixture.ts';
import { blurred, type Plane, planeOf } from './plane.ts';

const kinds = 6;
const arguings = 3;
/** How much the place in the picture counts beside the colour: both are features of one model. */
const placeWeight = 0.22;
const colourWeight = 2;

/** The probability of subject at each pixel; `faces` are where faces are known to be. */
export function segmented(picture: Picture, faces: readonly Region[]): Plane {
  const lab = labOf(picture);
  const { width, height } = lab;
  const features = featuresOf(lab);
  const prior = priorOf(lab, features, faces);
  const links = linksOf(lab);
  let chances: Float32Array = prior.map((logit) => 1 / (1 + Math.exp(-logit)));
  for (let round = 0; round < arguings; round++) {
    const subject = likelihoods(features, fitted(features, chances, kinds));
    const rest = chances.map((chance) => 1 - chance);
    const ground = likelihoods(features, fitted(features, rest, kinds));
    const opinion = subject.map((value, i) => {
      const colour = Math.max(-4, Math.min(4, value - (ground[i] ?? 0)));
      return 0.8 * colour + 0.7 * (prior[i] ?? 0);
    });
    chances = agreed(opinion, links, width, height);
  }
  return withSkinBetween(lab, { values: chances, width, height });
}

/** Faces between hair and shoulders may be lighter than all else there: skin among the subject belongs to it. */
function withSkinBetween({ lightness, a, b }: Lab, chances: Plane): Plane {
  const { width, height } = chances;
  const radius = Math.max(1, Math.round(width / 16));
  let result = chances;
  for (let round = 0; round < 2; round++) {
    const { values } = result;
    const around = blurred(result, radius).values;
    result = planeOf(width, height, (i) => {
      const chance = values[i] ?? 0;
      const among = Math.max(0, Math.min(1, ((around[i] ?? 0) - 0.3) * 6));
      const skin = skinOf(lightness[i] ?? 0, a[i] ?? 0, b[i] ?? 0);
      return Math.max(chance, among * Math.min(1, skin * 2.5));
    });
  }
  return result;
}

/** Lightness, a, b and the place, each about 0 to 1 wide. */
function featuresOf({ lightness, a, b, width, height }: Lab): Features {
  const count = 5;
  const values = new Float32Array(width * height * count);
  for (let i = 0; i < width * height; i++) {
    values[i * count] = lightness[i] ?? 0;
    values[i * count + 1] = (a[i] ?? 0) * colourWeight;
    values[i * count + 2] = (b[i] ?? 0) * colourWeight;
    values[i * count + 3] = ((i % width) / width) * placeWeight;
    values[i * count + 4] = (Math.floor(i / width) / height) * placeWeight;
  }
  return { values, count };
}

/** What is thought of each pixel before the models argue, in logits. */
function priorOf(lab: Lab, features: Features, faces: readonly Region[]): Float32Array {
  const { width, height } = lab;
  const rim = planeOf(width, height, (i) => {
    const x = (i % width) / width;
    const y = Math.floor(i / width) / height;
    if (y < 0.04) return 1;
    return x < 0.03 || x > 0.97 ? Math.max(0.1, 1 - y * 1.1) : 0;
  });
  const usual = likelihoods(features, fitted(features, rim.values, kinds));
  const ranked = Float32Array.from(usual).sort();
  const middle = ranked[Math.floor(ranked.length * 0.5)] ?? 0;
  return Float32Array.from(usual, (value, i) => {
    const x = (i % width) / width;
    const y = Math.floor(i / width) / height;
    const surprise = Math.max(-1.2, Math.min(2, (middle - value) * 0.35));
    const aside = Math.abs(x - 0.5) * 2;
    const place = 0.9 - 2.2 * aside ** 3 - 2.6 * Math.max(0, 0.32 - y) * (1 + aside);
    const skin = 1.6 * skinOf(lab.lightness[i] ?? 0, lab.a[i] ?? 0, lab.b[i] ?? 0);
    const rimmed = (rim.values[i] ?? 0) > 0.5 ? -2.5 : 0;
    return place + surprise + skin + rimmed + bodyOf(x, y, width / height, faces);
  });
}

/** How much a colour is like skin, 0 to 1: all skins are near one hue, and none is grey or glaring. */
export function skinOf(lightness: number, a: number, b: number): number {
  const chroma = Math.hypot(a, b);
  if (chroma < 0.015 || lightness < 0.25) return 0;
  const hue = Math.atan2(b, a);
  const off = (hue - 0.87) / 0.32;
  const strength = (chroma - 0.075) / 0.045;
  return Math.exp(-0.5 * (off * off + strength * strength));
}

/** A head around each face and a body below it; without faces, nothing. */
function bodyOf(x: number, y: number, shape: number, faces: readonly Region[]): number {
  let most = faces.length === 0 ? 0 : -1.2;
  for (const face of faces) {
    const across = (x - face.x - face.width / 2) / face.width;
    const down = (y - face.y - face.height / 2) / face.height;
    const head = 3 - 4 * (Math.max(0, Math.hypot(across / 0.75, (down + 0.15) / 0.95) - 0.8) * 2);
    const half = 0.5 + Math.min(1.1, Math.max(0, down - 0.4) * 1.1);
    const reach = down * shape > 5.5 ? -1 : 2.2;
    const body = down < 0.4 ? -3 : reach - 4 * Math.max(0, Math.abs(across) - half);
    most = Math.max(most, head, body);
  }
  return Math.max(-2.5, most);
}

/** Neighbours near and far that are held to be alike as far as their colours are. */
interface Links {
  readonly steps: readonly (readonly [number, number])[];
  /** For each pixel and step: how much its opinion counts. */
  readonly weights: Float32Array;
}

const ring: readonly (readonly [number, number])[] = [
  [1, 0],
  [0, 1],
  [1, 1],
  [-1, 1],
  [2, 0],
  [0, 2],
  [3, 3],
  [-3, 3],
  [5, 0],
  [0, 5],
  [8, 0],
  [0, 8],
];

function linksOf({ lightness, a, b, width, height }: Lab): Links {
  const steps = ring.flatMap(([x, y]): [number, number][] => [
    [x, y],
    [-x, -y],
  ]);
  const weights = new Float32Array(width * height * steps.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      for (const [s, [dx, dy]] of steps.entries()) {
        if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
        const j = i + dy * width + dx;
        const light = (lightness[i] ?? 0) - (lightness[j] ?? 0);
        const red = (a[i] ?? 0) - (a[j] ?? 0);
        const blue = (b[i] ?? 0) - (b[j] ?? 0);
        const apart = light * light + 6 * (red * red + blue * blue);
        weights[i * steps.length + s] = Math.exp(-apart / 0.004) / Math.sqrt(Math.hypot(dx, dy));
      }
    }
  return { steps, weights };
}

/** Lets each pixel hear its like neighbours, over and over (a mean field of a Potts model). */
function agreed(
  opinion: Float32Array,
  { steps, weights }: Links,
  width: number,
  height: number,
): Float32Array {
  const offsets = Int32Array.from(steps, ([x, y]) => y * width + x);
  const count = offsets.length;
  let chances: Float32Array = opinion.map((logit) => 1 / (1 + Math.exp(-logit)));
  for (let round = 0; round < 6; round++) {
    const next = new Float32Array(width * height);
    for (let i = 0; i < next.length; i++) {
      let heard = 0;
      for (let s = 0; s < count; s++) {
        const weight = weights[i * count + s] ?? 0;
        // A weight of nothing stands for a neighbour outside the picture.
        if (weight > 0) heard += weight * ((chances[i + (offsets[s] ?? 0)] ?? 0) - 0.5);
      }
      next[i] = 1 / (1 + Math.exp(-(opinion[i] ?? 0) - 1.6 * heard));
    }
    chances = next;
  }
  return chances;
}
