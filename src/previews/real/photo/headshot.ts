// ai-headshot-generator: head and shoulders of the person, cut out and set before a studio's backdrop, whose colour
// the prompt may name.
import sharp from 'sharp';
import type { Region } from '../../../contract/api/region.ts';
import { fieldOf } from '../../../contract/base/json.ts';
import { layer, type Picture, pictureOf, sharpOf } from '../../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../../base/request.ts';
import { cropped } from './cropped.ts';
import { cutOut } from './cut-out.ts';
import { type Box, figureOf } from './figure.ts';
import { finished, inputOf, pictureAt } from '../../pictures/output.ts';
import { onePerson } from './one-person.ts';
import { huesIn, says } from './words.ts';

const field = 'assets.image_file_path';
const size = { width: 896, height: 1120 };
/** A face of few pixels is not enlarged beyond this. */
const largestScale = 3;

/** `face`: the face to portray, where it is known; else the largest that face detection found, else a guess. */
export async function renderHeadshot(
  request: RenderRequest,
  face?: Region,
): Promise<RenderOutcome> {
  const picture = await pictureAt(request, field);
  if (!picture.ok) return picture;
  const faces = inputOf(request, field)?.faces ?? [];
  const prompt = `${fieldOf(request.body, 'style.prompt') ?? ''}`;
  return finished(request, await headshot(picture.value, face ?? largestOf(faces), prompt));
}

export function largestOf(faces: readonly Region[]): Region | undefined {
  return [...faces].sort((one, two) => two.width * two.height - one.width * one.height)[0];
}

async function headshot(
  picture: Picture,
  face: Region | undefined,
  prompt: string,
): Promise<Picture> {
  const subject = await cutOut(picture, face === undefined ? [] : [face]);
  const { head } = figureOf(subject, face);
  const alone = face === undefined ? subject : onePerson(subject, head);
  const high = head.height * 2.15;
  const wide = (high * size.width) / size.height;
  const frame: Box = {
    left: head.left + head.width / 2 - wide / 2,
    top: head.top - head.height * 0.42,
    width: wide,
    height: high,
  };
  const scale = Math.min(1, (largestScale * high) / size.height);
  const width = Math.round(size.width * scale);
  const height = Math.round(size.height * scale);
  const portrait = sharpOf(await cropped(alone, frame)).resize(width, height, { fit: 'fill' });
  const lit = await pictureOf(portrait.linear([1.05, 1.04, 1.03, 1], [4, 4, 4, 0]));
  const backdrop = await pictureOf(sharp(Buffer.from(backdropOf(prompt, width, height))));
  return pictureOf(sharpOf(backdrop).composite([layer(lit, 0, 0)]));
}

function backdropOf(prompt: string, width: number, height: number): string {
  const [hue] = huesIn(prompt);
  const colour = hue === undefined ? 'hsl(212,14%,' : `hsl(${hue},38%,`;
  const light = says(prompt, 'white', 'bright', 'light')
    ? 88
    : says(prompt, 'black', 'dark')
      ? 22
      : 62;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <radialGradient id="g" cx=".5" cy=".4" r=".85">
      <stop offset="0" stop-color="${colour}${Math.min(96, light + 16)}%)"/>
      <stop offset="1" stop-color="${colour}${light * 0.62}%)"/>
    </radialGradient>
    <rect width="100%" height="100%" fill="url(#g)"/></svg>`;
}
