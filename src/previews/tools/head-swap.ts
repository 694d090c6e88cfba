// head-swap: the head of one picture, with its hair, on the body of another: as large and as tilted as the head that was
// there, in the light of the body, with the neck of the body below the jaw.

import type { ProjectError } from '../../contract/api/project.ts';
import type { Result } from '../../contract/base/result.ts';
import { type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import type { Face } from '../faces/find.ts';
import { type Lender, lenderOf } from '../faces/source-face.ts';
import { layOklab, toOklab } from '../pictures/oklab.ts';
import { packed } from '../pictures/packed.ts';
import { cutOut } from '../real/photo/cut-out.ts';
import { emptied } from '../real/photo/emptied.ts';
import { finished } from '../pictures/output.ts';
import { copyOf } from '../pictures/canvas.ts';
import { inputIn, numberIn } from '../base/fields.ts';
import { sampled } from '../pictures/sampling.ts';
import { type HeadFrame, headFrameOf, intoHead, outOfHead } from '../real/head/head-frame.ts';
import { headMask } from '../real/head/head-mask.ts';
import { skinOf } from '../real/head/skin.ts';

/** The whole of the head that goes, with the hair about it, and what of the other comes. */
const going = { neck: 0, seam: 0.12, hair: 2.2 };
const coming = { neck: 0.02, seam: 0.28, hair: 2.1 };
/** How far the head's light goes over to the body's. */
const lit = 0.75;
/** Pixels: a smaller output is nothing to look at. */
const least = 96;

export async function renderHeadSwap(request: RenderRequest): Promise<RenderOutcome> {
  const body = await lentTo(request, 'assets.body_file_path');
  if (!body.ok) return body;
  const head = await lentTo(request, 'assets.head_file_path');
  if (!head.ok) return head;
  const { picture, face } = body.value;
  // What is not here to be looked into stays the card that it is.
  if (face === undefined || head.value.face === undefined)
    return finished(request, await clamped(picture, request));
  const headless = await withoutHead(picture, face);
  const whole = await withHead(headless, face, picture, head.value.picture, head.value.face);
  return finished(request, await clamped(whole, request));
}

function lentTo(request: RenderRequest, field: string): Promise<Result<Lender, ProjectError>> {
  const input = inputIn(request, field);
  if (input === undefined) throw new Error(`bug: head-swap has ${field}`);
  return lenderOf(input);
}

/** Body and background behind the head that goes. */
async function withoutHead(picture: Picture, { landmarks, region }: Face): Promise<Picture> {
  const person = copyOf(await cutOut(picture, [region]));
  const mask = headMask(person, landmarks, going);
  for (const [i, share] of mask.entries()) person.pixels[i * 4 + 3] = Math.round(share * 255);
  return emptied(picture, person);
}

async function withHead(
  headless: Picture,
  { landmarks }: Face,
  body: Picture,
  giver: Picture,
  face: Face,
): Promise<Picture> {
  const person = await cutOut(giver, [face.region]);
  const mask = headMask(person, face.landmarks, coming);
  const [to, from] = [sizedBy(landmarks), sizedBy(face.landmarks)];
  const [ours, theirs] = [skinOf(giver, face.landmarks), skinOf(body, landmarks)];
  const shift = {
    light: (theirs.light - ours.light) * lit,
    a: (theirs.a - ours.a) * lit,
    b: (theirs.b - ours.b) * lit,
  };
  const cut = await scaledTo(person, mask, to.unit / from.unit);
  const pixels = packed(cut);
  const scale = cut.width / person.width;
  const { width, height } = headless;
  const result = copyOf(headless);
  const colour = new Float32Array(3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const there = outOfHead(from, intoHead(to, { x, y }));
      const [u, v] = [there.x * scale, there.y * scale];
      if (u < 0 || v < 0 || u > cut.width - 1 || v > cut.height - 1) continue;
      const own = sampled(pixels, cut.width, cut.height, u, v);
      const share = (own >>> 24) / 255;
      if (share === 0) continue;
      toOklab(own & 255, (own >>> 8) & 255, (own >>> 16) & 255, colour, 0);
      const [light = 0, a = 0, b = 0] = colour;
      // Dark hair stays dark: it takes the light in the measure in which it has some.
      const taken = Math.min(1, (light / Math.max(0.2, ours.light)) ** 2);
      layOklab(
        light + shift.light * taken,
        a + shift.a * taken,
        b + shift.b * taken,
        share,
        result.pixels,
        (y * width + x) * 4,
      );
    }
  return result;
}

/** The head's frame, measured by eyes and chin: heads that are turned have eyes that are near each other. */
function sizedBy(landmarks: Face['landmarks']): HeadFrame {
  const frame = headFrameOf(landmarks);
  const chin = landmarks[8];
  if (chin === undefined) throw new Error('bug: a face has a chin');
  const long = intoHead(frame, chin).y;
  return { ...frame, unit: (frame.unit * (1 + long / usualChin)) / 2 };
}

/** From the eyes to the chin, in eye distances, of a face that looks at the camera. */
const usualChin = 1.75;

/** A head that is made smaller is made so before it is fetched pixel by pixel, or it would glitter. */
async function scaledTo(person: Picture, mask: Float32Array, scale: number): Promise<Picture> {
  const pixels = Buffer.from(person.pixels);
  for (const [i, share] of mask.entries()) pixels[i * 4 + 3] = Math.round(share * 255);
  const cut = { ...person, pixels };
  if (scale >= 1) return copyOf(cut);
  const width = Math.max(1, Math.round(person.width * scale));
  const height = Math.max(1, Math.round(person.height * scale));
  return copyOf(await pictureOf(sharpOf(cut).resize(width, height, { fit: 'fill' })));
}

/** `max_resolution` bounds the longer side; one that cannot be is clamped, not refused (facts.md, Ranges). */
async function clamped(picture: Picture, request: RenderRequest): Promise<Picture> {
  const most = Math.max(least, Math.round(numberIn(request, 'max_resolution') ?? Infinity));
  if (Math.max(picture.width, picture.height) <= most) return picture;
  return pictureOf(sharpOf(picture).resize(most, most, { fit: 'inside' }));
}
