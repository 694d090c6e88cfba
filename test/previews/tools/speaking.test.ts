// The tools that make a face speak.
import { join } from 'node:path';
import { expect } from 'vitest';
import { writeClip } from '../../../src/previews/clips/write.ts';
import { findFaces } from '../../../src/previews/faces/find.ts';
import {
  type Picture,
  pictureOf,
  pixelsOf,
  sharpOf,
} from '../../../src/previews/pictures/picture.ts';
import { renderLipSync, renderTalkingPhoto } from '../../../src/previews/tools/speaking.ts';
import { longTest } from '../../sweep.ts';
import { sample } from '../faces/sample.ts';
import {
  differenceOf,
  fileOf,
  folder,
  input,
  lateVoice,
  made,
  picturesOf,
  prepareFolder,
  request,
} from './stage.ts';

prepareFolder();

const whole = await sample(3, 320);
const photo = { ...whole, height: 2 * Math.floor(whole.height / 2) };
const size = { width: photo.width, height: photo.height };
const [face] = await findFaces(whole, 0.4);
if (face === undefined) throw new Error('the sample has no face');
const { x, y, width, height } = face.region;
/** The left edge of the face's frame, and what is inside the frame; in shares of the picture. */
const edge = [x, y + height * 0.2, x + width * 0.03, y + height * 0.8] as const;
const inside = [x + width * 0.2, y + height * 0.2, x + width * 0.8, y + height * 0.8] as const;
const voice = input('audio_file_path', 'audio', await lateVoice(1));

longTest('lip-sync frames the face that is to speak and touches nothing else', async () => {
  const file = join(folder, 'still.mp4');
  async function* photos(): AsyncGenerator<Picture> {
    for (let i = 0; i < 10; i++)
      yield {
        ...size,
        pixels: Buffer.from(photo.pixels.subarray(0, size.width * size.height * 4)),
      };
  }
  await writeClip({ file, ...size, fps: 10, frames: photos() });
  const body = {
    ...{ start_seconds: 0, end_seconds: 1, max_fps_limit: 8 },
    assets: { video_source: 'file' },
  };
  const order = request('lip-sync', body, [input('video_file_path', 'video', file), voice]);
  const clip = await made(order, await renderLipSync(order));
  expect(clip).toMatchObject({ ...size, fps: 8, kinds: ['video', 'audio'] });
  const [after] = await picturesOf(clip.file, 1);
  const [before] = await picturesOf(file, 1);
  expect(differenceOf(after, before, edge)).toBeGreaterThan(20);
  expect(differenceOf(after, before, inside)).toBeLessThan(4);
});

longTest(
  'a talking photo is as long as its voice, within the size that was asked for',
  async () => {
    const { left, top, width, height } = pixelsOf(face.region, whole);
    const portrait = await pictureOf(
      sharpOf(await sample(3, 640)).extract({
        left: Math.max(0, 2 * left - width),
        top: Math.max(0, 2 * top - height),
        width: 4 * width,
        height: 4 * height,
      }),
    );
    const image = input('image_file_path', 'image', await fileOf(portrait, 'portrait.png'));
    const body = { start_seconds: 0, end_seconds: 30, max_resolution: 160 };
    const order = request('ai-talking-photo', body, [image, voice]);
    const clip = await made(order, await renderTalkingPhoto(order));
    expect(Math.max(clip.width ?? 0, clip.height ?? 0)).toBe(160);
    expect(clip.kinds).toEqual(['video', 'audio']);
    expect(Math.abs(clip.seconds - 1)).toBeLessThan(0.1);
    const [early, late] = await picturesOf(clip.file, 2);
    // The clock runs, and the portrait stands still.
    expect(differenceOf(early, late, [0, 0.75, 1, 0.95])).toBeGreaterThan(0.5);
    expect(differenceOf(early, late, [0, 0, 1, 0.6])).toBeLessThan(2);
  },
);

longTest('a picture without a face stays as it is, and gets its voice', async () => {
  const pixels = Buffer.alloc(96 * 96 * 4, 255);
  for (let i = 0; i < pixels.length; i += 4) pixels[i] = ((i / 4) % 96) * 2;
  const image = input(
    'image_file_path',
    'image',
    await fileOf({ pixels, width: 96, height: 96 }, 'plain.png'),
  );
  const order = request('ai-talking-photo', { start_seconds: 0, end_seconds: 0.4 }, [image, voice]);
  const clip = await made(order, await renderTalkingPhoto(order));
  expect(clip).toMatchObject({ width: 96, height: 96, kinds: ['video', 'audio'] });
  const pictures = await picturesOf(clip.file, 3);
  expect(differenceOf(pictures[0], pictures[2], [0, 0, 1, 0.6])).toBeLessThan(1);
});
