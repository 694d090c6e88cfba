// image-background-remover: the subject alone on nothing, or on another picture.

import { barOf } from '../pictures/mark.ts';
import { layer, type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { cutOut } from '../real/photo/cut-out.ts';
import { finished, inputOf, pictureAt } from '../pictures/output.ts';

const field = 'assets.image_file_path';

export async function renderBackgroundRemover(request: RenderRequest): Promise<RenderOutcome> {
  const picture = await pictureAt(request, field);
  if (!picture.ok) return picture;
  const behind = inputOf(request, 'assets.background_image_file_path');
  const ground = behind === undefined ? undefined : await readPicture(behind);
  if (ground?.ok === false) return ground;
  const subject = await cutOut(picture.value, inputOf(request, field)?.faces);
  const result = ground === undefined ? await onBar(subject) : await before(subject, ground.value);
  return finished(request, result);
}

/** The subject before another picture, which fills the frame. */
async function before(subject: Picture, ground: Picture): Promise<Picture> {
  const { width, height } = subject;
  const filling = sharpOf(ground).resize(width, height, { fit: 'cover' }).flatten();
  const base = await pictureOf(filling);
  return pictureOf(sharpOf(base).composite([layer(subject, 0, 0)]));
}

/** Something dark behind the mark, which must be readable on nothing too. */
function onBar(subject: Picture): Promise<Picture> {
  const { width, height } = subject;
  const bar = barOf(subject);
  const dark = Buffer.alloc(width * bar * 4).fill(Buffer.from([24, 24, 24, 255]));
  const strip = layer({ pixels: dark, width, height: bar }, 0, height - bar);
  return pictureOf(sharpOf(subject).composite([{ ...strip, blend: 'dest-over' }]));
}
