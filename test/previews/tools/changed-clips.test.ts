// The tools that change a clip without looking for faces in it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeClip } from '../../../src/previews/clips/write.ts';
import type { Picture } from '../../../src/previews/pictures/picture.ts';
import {
  renderAutoSubtitles,
  renderVideo,
  renderVideoToVideo,
} from '../../../src/previews/tools/clips.ts';
import { renderLipSync } from '../../../src/previews/tools/speaking.ts';
import { tone } from '../clips/samples.ts';
import { sample } from '../faces/sample.ts';
import { differenceOf, folder, input, made, picturesOf, prepareFolder, request } from './stage.ts';

prepareFolder();

const photo = await sample(3, 160);
const size = { width: 160, height: 2 * Math.floor(photo.height / 2) };
const file = join(folder, 'clip.mp4');
async function* photos(): AsyncGenerator<Picture> {
  for (let i = 0; i < 20; i++)
    yield { ...size, pixels: Buffer.from(photo.pixels.subarray(0, size.width * size.height * 4)) };
}
await writeClip({ file, ...size, fps: 20, frames: photos(), sound: tone(1) });
const video = input('video_file_path', 'video', file);
const [original] = await picturesOf(file, 1);

test('video-to-video shows a changed clip with its style, at half the rate on request, and keeps size and sound', async () => {
  const shown = [original];
  for (const art_style of ['Watercolor', 'no such style']) {
    const body = {
      ...{ start_seconds: 0.5, end_seconds: 9, fps_resolution: 'HALF' },
      assets: { video_source: 'file' },
      style: { art_style },
    };
    const order = request('video-to-video', body, [video]);
    const clip = await made(order, await renderVideoToVideo(order));
    expect(clip).toMatchObject({ ...size, fps: 10, kinds: ['video', 'audio'] });
    // What is left of the clip, not what was asked for.
    expect(clip.probed.streams[0]?.nb_read_frames).toBe('5');
    const [picture] = await picturesOf(clip.file, 1);
    for (const before of shown) expect(differenceOf(picture, before)).toBeGreaterThan(1);
    shown.push(picture);
  }
});

test('ai-video-editor shows a changed clip with its prompt and a clock, and keeps the sound', async () => {
  const order = request(
    'ai-video-editor',
    { end_seconds: 0.5, style: { prompt: 'make it snow at night' } },
    [video],
  );
  const clip = await made(order, await renderVideo(order));
  expect(clip).toMatchObject({ ...size, fps: 20, kinds: ['video', 'audio'] });
  const pictures = await picturesOf(clip.file, 2);
  expect(differenceOf(pictures[0], original, [0, 0, 1, 0.2])).toBeGreaterThan(5);
  // The clip stands still; the clock does not.
  expect(differenceOf(pictures[0], pictures[1], [0, 0.75, 1, 0.95])).toBeGreaterThan(0.5);
});

test('subtitles are named above a clip with a clock below it, and keep the sound', async () => {
  const order = request(
    'auto-subtitle-generator',
    { start_seconds: 0, end_seconds: 1, style: { template: 'karaoke' } },
    [video],
  );
  const clip = await made(order, await renderAutoSubtitles(order));
  expect(clip).toMatchObject({ ...size, fps: 20, kinds: ['video', 'audio'] });
  const [early, , , late] = await picturesOf(clip.file, 4);
  expect(differenceOf(early, original, [0, 0, 1, 0.15])).toBeGreaterThan(8);
  expect(differenceOf(early, original, [0, 0.3, 1, 0.6])).toBeLessThan(4);
  expect(differenceOf(early, late, [0, 0.8, 1, 0.92])).toBeGreaterThan(0.5);
});

test('a clip from a link has a placeholder of the length that was asked for, with the voice that was given', async () => {
  const assets = { video_source: 'youtube', youtube_url: 'https://example.com/clip' };
  const body = { start_seconds: 2, end_seconds: 2.5, max_fps_limit: 12, assets };
  const order = {
    ...request('lip-sync', body, [input('audio_file_path', 'audio', file)]),
    most: 96,
  };
  const clip = await made(order, await renderLipSync(order));
  expect(clip).toMatchObject({ height: 96, fps: 12, kinds: ['video', 'audio'] });
  expect(clip.probed.streams[0]?.nb_read_frames).toBe('6');
});

test('a start beyond the end, and a file that is no clip, are errors of the project that name the input', async () => {
  const broken = join(folder, 'broken.mp4');
  writeFileSync(broken, 'no clip at all');
  const style = { art_style: 'Anime', prompt: 'warm' };
  for (const render of [renderVideoToVideo, renderVideo, renderAutoSubtitles]) {
    const late = request('video-to-video', { start_seconds: 3, end_seconds: 4, style }, [video]);
    expect(await render(late)).toMatchObject({
      error: { code: 'invalid_parameters', message: expect.stringContaining('uploads/it') },
    });
    const order = request('video-to-video', { end_seconds: 1, style }, [
      { ...video, file: broken },
    ]);
    expect(await render(order)).toMatchObject({ error: { code: 'invalid_video_file' } });
  }
});
