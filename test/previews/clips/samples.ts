// Clips that the tests of this room make: a bright square that walks to the right over a dark field, a step a frame.
import sharp from 'sharp';
import type { RenderInput } from '../../../src/previews/base/request.ts';
import type { Sound } from '../../../src/previews/clips/sound.ts';
import { writeClip } from '../../../src/previews/clips/write.ts';
import type { Picture } from '../../../src/previews/pictures/picture.ts';

export interface Walk {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly count: number;
  readonly sound?: Sound;
}

export const shortWalk: Walk = { width: 64, height: 48, fps: 10, count: 8 };

/** The square's left edge. */
export const leftOf = (index: number): number => 4 + index * 4;
const side = 12;

export async function* walkFrames({ width, height, count }: Walk): AsyncGenerator<Picture> {
  for (let index = 0; index < count; index++) {
    const pixels = Buffer.alloc(width * height * 4);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const inside =
          x >= leftOf(index) &&
          x < leftOf(index) + side &&
          y >= height / 4 &&
          y < height / 4 + side;
        pixels.set(inside ? [250, 210, 30, 255] : [20, 40, 90, 255], (y * width + x) * 4);
      }
    yield { pixels, width, height };
  }
}

export async function walkClip(file: string, walk = shortWalk): Promise<string> {
  const frames = walkFrames(walk);
  if (file.endsWith('.gif')) await writeGif(file, walk, frames);
  else await writeClip({ file, ...walk, frames });
  return file;
}

async function writeGif(file: string, walk: Walk, frames: AsyncIterable<Picture>): Promise<void> {
  const pixels: Buffer[] = [];
  for await (const frame of frames) pixels.push(frame.pixels);
  const { width, height: pageHeight, fps } = walk;
  const raw = { width, height: pageHeight * pixels.length, channels: 4, pageHeight } as const;
  await sharp(Buffer.concat(pixels), { raw })
    .gif({ delay: 1000 / fps, loop: 0 })
    .toFile(file);
}

export function clipInput(file: string | undefined): RenderInput {
  return {
    field: 'assets.video_file_path',
    media: 'video',
    file,
    reference: 'uploads/clip',
    face: undefined,
    faces: [],
  };
}

/** Where the yellow begins, from the left and from the top; undefined where there is none. */
export function yellowOf({ pixels, width }: Picture): readonly [number, number] | undefined {
  let [left, top] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < pixels.length; i += 4) {
    if ((pixels[i] ?? 0) < 140 || (pixels[i + 2] ?? 0) > 110) continue;
    left = Math.min(left, (i / 4) % width);
    top = Math.min(top, Math.floor(i / 4 / width));
  }
  return Number.isFinite(left) ? [left, top] : undefined;
}

/** A voice of one tone. */
export const tone = (seconds: number, pitch = 440): Sound => ({ seconds, pitch });
