// Cutting a picture's subject out of its background: the same picture, transparent where its background was. Several
// tools stand on it: the background remover, new clothes, headshots, a person in another scene.
import type { Region } from '../../../contract/api/region.ts';
import { type Picture, pictureOf, sharpOf } from '../../pictures/picture.ts';
import { type Explanation, explained } from './guided.ts';
import { blurred, Enlarged, enlarged, type Plane, planeOf } from './plane.ts';
import { segmented } from './segment.ts';
import { solid } from './solid.ts';

/** The longest side of the copy in which the subject is looked for, in pixels. */
const searched = 152;
/** The longest side of the copy in which its edge is drawn. */
const drawn = 512;
/** A picture with this share of transparent pixels was cut out by somebody else already. */
const alreadyCut = 0.05;

/** The picture with its background transparent. `faces`: where faces are known to be, which helps to find people. */
export async function cutOut(picture: Picture, faces: readonly Region[] = []): Promise<Picture> {
  if (transparencyOf(picture) >= alreadyCut) return picture;
  const small = await within(picture, searched);
  const middle = await within(picture, drawn);
  const rough = solid(segmented(small, faces));
  return transparent(picture, middle, enlarged(rough, middle.width, middle.height));
}

/** Which share of the pixels can be seen through. */
function transparencyOf({ pixels }: Picture): number {
  let clear = 0;
  for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] ?? 0) < 128) clear += 1;
  return (clear * 4) / pixels.length;
}

/** A copy no longer than `side`; small pictures stay as they are. */
export function within(picture: Picture, side: number): Promise<Picture> {
  const size = { width: side, height: side };
  return pictureOf(sharpOf(picture).resize({ ...size, fit: 'inside', withoutEnlargement: true }));
}

/** The whole picture with an alpha that follows its own edges, and without the background's colour on them. */
function transparent(picture: Picture, middle: Picture, rough: Plane): Picture {
  const { width, height } = picture;
  const colours = coloursOf(middle);
  const radius = Math.max(2, Math.round(Math.max(middle.width, middle.height) / 100));
  const matte = explained(colours, rough, radius, 0.0004);
  const alpha = shown(colours, matte);
  const clean = [...cleanOf(colours, alpha, radius * 2), matte.red, matte.green, matte.blue];
  const reader = new Enlarged([...clean, matte.offset], width, height);
  const [fr, fg, fb, br, bg, bb, red, green, blue, offset] = reader.rows;
  const pixels = Buffer.from(picture.pixels);
  for (let y = 0; y < height; y++) {
    reader.read(y);
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const r = (pixels[at] ?? 0) / 255;
      const g = (pixels[at + 1] ?? 0) / 255;
      const b = (pixels[at + 2] ?? 0) / 255;
      const value = (red?.[x] ?? 0) * r + (green?.[x] ?? 0) * g + (blue?.[x] ?? 0) * b;
      const here = firm(value + (offset?.[x] ?? 0));
      pixels[at + 3] = Math.round((pixels[at + 3] ?? 0) * here);
      if (here <= 0 || here >= 1) continue;
      pixels[at] = own(r, here, fr?.[x] ?? 0, br?.[x] ?? 0);
      pixels[at + 1] = own(g, here, fg?.[x] ?? 0, bg?.[x] ?? 0);
      pixels[at + 2] = own(b, here, fb?.[x] ?? 0, bb?.[x] ?? 0);
    }
  }
  return { pixels, width, height };
}

/** A matte's faint haze is nothing and its near whole is whole. */
function firm(value: number): number {
  const share = Math.max(0, Math.min(1, (value - 0.15) / 0.7));
  return share * share * (3 - 2 * share);
}

/** The subject's own colour where it mixes with the background, as a byte (the blur fusion of Forte, 2021). */
function own(seen: number, alpha: number, subject: number, ground: number): number {
  const colour = subject + alpha * (seen - alpha * subject - (1 - alpha) * ground);
  return Math.round(255 * Math.max(0, Math.min(1, colour)));
}

function coloursOf({ pixels, width, height }: Picture): readonly [Plane, Plane, Plane] {
  const channel = (index: number): Plane =>
    planeOf(width, height, (i) => (pixels[i * 4 + index] ?? 0) / 255);
  return [channel(0), channel(1), channel(2)];
}

function shown([r, g, b]: readonly [Plane, Plane, Plane], matte: Explanation): Plane {
  const { red, green, blue, offset } = matte;
  return planeOf(r.width, r.height, (i) =>
    firm(
      (red.values[i] ?? 0) * (r.values[i] ?? 0) +
        (green.values[i] ?? 0) * (g.values[i] ?? 0) +
        (blue.values[i] ?? 0) * (b.values[i] ?? 0) +
        (offset.values[i] ?? 0),
    ),
  );
}

/** The colours nearby of the subject alone, and then of the background alone. */
function cleanOf(colours: readonly Plane[], alpha: Plane, radius: number): readonly Plane[] {
  const { width, height } = alpha;
  const rest = planeOf(width, height, (i) => 1 - (alpha.values[i] ?? 0));
  return [alpha, rest].flatMap((share) => {
    const amount = blurred(share, radius);
    return colours.map((colour) => {
      const sum = blurred(
        planeOf(width, height, (i) => (colour.values[i] ?? 0) * (share.values[i] ?? 0)),
        radius,
      );
      return planeOf(width, height, (i) => (sum.values[i] ?? 0) / ((amount.values[i] ?? 0) + 1e-5));
    });
  });
}
