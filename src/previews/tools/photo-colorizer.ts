// photo-colorizer: colours for a grey photo. What is bright, smooth and on top is sky; what is rough and dark is
// leaves; what stands in front and is neither dark nor glaring is skin; cloth is dark or bright and of any colour.
// These are guesses by place and brightness, and look like hand colouring, which was no more. Where the photo has
// colours of its own they stay.
import type { Region } from '../../contract/api/region.ts';
import { hueOf } from '../pictures/card.ts';
import { keyOf } from '../base/key.ts';
import type { Picture } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { within } from '../real/photo/cut-out.ts';
import { finished, inputOf, pictureAt } from '../pictures/output.ts';
import { type Explanation, explained } from '../real/photo/guided.ts';
import { type Lab, labOf, putLab } from '../real/photo/lab.ts';
import { blurred, Enlarged, enlarged, type Plane, planeOf } from '../real/photo/plane.ts';
import { segmented } from '../real/photo/segment.ts';

const field = 'assets.image_file_path';
/** The longest side of the copy whose colours are chosen, in pixels. */
const chosen = 320;
/** And of the one in which the subject is looked for. */
const searched = 140;
/** A colour this strong is the photo's own, in Oklab. */
const ownColour = 0.03;

export async function renderColorizer(request: RenderRequest): Promise<RenderOutcome> {
  const picture = await pictureAt(request, field);
  if (!picture.ok) return picture;
  const faces = inputOf(request, field)?.faces ?? [];
  return finished(request, await coloured(picture.value, faces, hueOf(keyOf(request))));
}

/** `lot`, an angle in degrees, decides what cannot be guessed: the colours of cloth. */
export async function coloured(
  picture: Picture,
  faces: readonly Region[],
  lot: number,
): Promise<Picture> {
  const small = labOf(await within(picture, chosen));
  const { width, height } = small;
  const near = segmented(await within(picture, searched), faces);
  const tints = tintsOf(small, enlarged(near, width, height), faces, lot);
  const light: Plane = { values: small.lightness, width, height };
  // The tint follows the edges of the light: one explanation for each of the two colour axes.
  const fitted = [tints.a, tints.b].map((tint) => {
    const found = explained([light, light, light], blurred(tint, 2), 5, 0.0006);
    return { slope: slopeOf(found), offset: found.offset };
  });
  const [a, b] = fitted;
  if (a === undefined || b === undefined) throw new Error('bug: two axes have two tints');
  return tinted(picture, [a.slope, a.offset, b.slope, b.offset]);
}

function slopeOf({ red, green, blue }: Explanation): Plane {
  const { width, height } = red;
  const sum = (i: number): number =>
    (red.values[i] ?? 0) + (green.values[i] ?? 0) + (blue.values[i] ?? 0);
  return planeOf(width, height, sum);
}

interface Colour {
  readonly a: number;
  readonly b: number;
}

const sky: Colour = { a: -0.022, b: -0.068 };
const leaves: Colour = { a: -0.052, b: 0.058 };
const earth: Colour = { a: 0.016, b: 0.036 };
const wall: Colour = { a: 0.006, b: 0.024 };
const glass: Colour = { a: -0.008, b: -0.02 };
const skin: Colour = { a: 0.046, b: 0.06 };
const hair: Colour = { a: 0.014, b: 0.03 };

/** A smooth step from 0 to 1 between two values. */
function step(from: number, to: number, value: number): number {
  const share = Math.max(0, Math.min(1, (value - from) / (to - from)));
  return share * share * (3 - 2 * share);
}

const band = (from: number, to: number, value: number, soft: number): number =>
  step(from - soft, from + soft, value) * (1 - step(to - soft, to + soft, value));

function tintsOf(lab: Lab, near: Plane, faces: readonly Region[], lot: number) {
  const { width, height } = lab;
  const light: Plane = { values: lab.lightness, width, height };
  const mean = blurred(light, 3);
  const rough = blurred(
    planeOf(width, height, (i) => Math.abs((light.values[i] ?? 0) - (mean.values[i] ?? 0))),
    4,
  );
  const tone = skinToneOf(light, faces);
  const outside = outsideOf(mean, rough);
  const a = new Float32Array(width * height);
  const b = new Float32Array(width * height);
  for (let i = 0; i < a.length; i++) {
    const x = (i % width) / width;
    const y = Math.floor(i / width) / height;
    const l = mean.values[i] ?? 0;
    const texture = rough.values[i] ?? 0;
    const subject = near.values[i] ?? 0;
    const far = 1 - subject;
    const angle = ((lot + Math.floor(x * 4) * 97) * Math.PI) / 180;
    const cloth = { a: 0.05 * Math.cos(angle), b: 0.05 * Math.sin(angle) };
    // A subject that was missed in part is coloured like one as far as it is in the middle.
    const middle = step(0.5, 0.15, Math.abs(x - 0.5)) * step(0.02, 0.2, y);
    const person = Math.max(subject, (outside ? 0.2 : 0.75) * middle);
    const skinned =
      person * band(tone - 0.2, tone + 0.2, l, 0.08) * (1 - step(0.05, 0.09, texture));
    const dark = subject * (1 - step(0.28, 0.42, l));
    const upper = 1 - step(0.4, 0.7, y);
    const open = outside ? far : 0;
    const shares: readonly (readonly [Colour, number])[] = [
      [skin, 2.4 * skinned],
      [hair, dark * upper],
      [cloth, dark * (1 - upper) * 0.8 + subject * step(0.86, 0.97, l) * 0.2],
      [cloth, subject * (1 - upper) * band(0.36, 0.6, l, 0.08) * step(0.03, 0.06, texture) * 0.7],
      [sky, open * upper * step(0.55, 0.75, l) * (1 - step(0.012, 0.03, texture)) * 1.6],
      [
        leaves,
        open * (1 - 0.7 * middle) * band(0.22, 0.66, l, 0.1) * step(0.012, 0.035, texture) * 1.2,
      ],
      [earth, open * step(0.5, 0.9, y) * band(0.2, 0.75, l, 0.12) * 0.8],
      [wall, (far - open) * 0.9],
      [glass, (far - open) * step(0.8, 0.95, l) * 0.9],
    ];
    let total = 0.12;
    for (const [colour, share] of shares) {
      total += share;
      a[i] = (a[i] ?? 0) + colour.a * share;
      b[i] = (b[i] ?? 0) + colour.b * share;
    }
    a[i] = (a[i] ?? 0) / total;
    b[i] = (b[i] ?? 0) / total;
  }
  return { a: { values: a, width, height }, b: { values: b, width, height } };
}

/** True when most of the upper rim is bright and smooth, as only a sky is. */
function outsideOf({ values, width, height }: Plane, rough: Plane): boolean {
  const rim = width * Math.max(1, Math.round(height * 0.14));
  let clear = 0;
  for (let i = 0; i < rim; i++)
    if ((values[i] ?? 0) > 0.55 && (rough.values[i] ?? 0) < 0.02) clear += 1;
  return clear > rim * 0.8;
}

/** How light skin is here: as the faces are, else as most skin is in most photos. */
function skinToneOf({ values, width, height }: Plane, faces: readonly Region[]): number {
  const tones = faces.flatMap((face) => {
    const x = Math.floor((face.x + face.width / 2) * width);
    const y = Math.floor((face.y + face.height * 0.6) * height);
    const value = values[y * width + x];
    return value === undefined ? [] : [value];
  });
  return tones.length === 0 ? 0.68 : tones.reduce((sum, tone) => sum + tone, 0) / tones.length;
}

function tinted(picture: Picture, planes: readonly Plane[]): Picture {
  const { width, height } = picture;
  const lab = labOf(picture);
  const reader = new Enlarged(planes, width, height);
  const [slopeA, offsetA, slopeB, offsetB] = reader.rows;
  const pixels = Buffer.from(picture.pixels);
  for (let y = 0; y < height; y++) {
    reader.read(y);
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const l = lab.lightness[i] ?? 0;
      const [a, b] = [lab.a[i] ?? 0, lab.b[i] ?? 0];
      // Neither black nor white has a colour.
      const room = Math.min(1, l * 2.6) * Math.min(1, (1 - l) * 5);
      const grey = Math.max(0, 1 - Math.hypot(a, b) / ownColour) * room;
      const tintA = ((slopeA?.[x] ?? 0) * l + (offsetA?.[x] ?? 0)) * grey;
      const tintB = ((slopeB?.[x] ?? 0) * l + (offsetB?.[x] ?? 0)) * grey;
      putLab(pixels, i * 4, l, a + tintA, b + tintB);
    }
  }
  return { pixels, width, height };
}
