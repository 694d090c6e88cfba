// The tools that make a clip of a picture, of words or of a sound.
import { expect, test } from 'vitest';
import { renderAnimation, renderGif, renderVideo } from '../../../src/previews/tools/clips.ts';
import { sample } from '../faces/sample.ts';
import {
  differenceOf,
  fileOf,
  input,
  lateVoice,
  made,
  picturesOf,
  prepareFolder,
  request,
} from './stage.ts';

prepareFolder();

const photo = await sample(3, 240);
const photoFile = await fileOf(photo, 'photo.png');
const other = await fileOf(await sample(4, 240), 'other.png');
const image = input('image_file_path', 'image', photoFile);

test('image-to-video shows both pictures and a running clock, with sound when it is asked for', async () => {
  const order = request(
    'image-to-video',
    { end_seconds: 0.5, width: 160, height: 120, audio: true, style: { prompt: 'zoom in' } },
    [image, input('end_image_file_path', 'image', other)],
  );
  const outcome = await renderVideo(order);
  const clip = await made(order, outcome);
  expect(clip).toMatchObject({ width: 160, height: 120, fps: 24, kinds: ['video', 'audio'] });
  expect(Math.abs(clip.seconds - 0.5)).toBeLessThan(0.05);
  const pictures = await picturesOf(clip.file, 6);
  // The clock above the mark runs, and nothing else moves.
  expect(differenceOf(pictures[0], pictures[5], [0, 0.8, 1, 0.92])).toBeGreaterThan(0.5);
  expect(differenceOf(pictures[0], pictures[5], [0, 0, 1, 0.6])).toBeLessThan(0.5);
  const alone = request('image-to-video', order.body, [image]);
  const single = await made(alone, await renderVideo(alone));
  expect(differenceOf((await picturesOf(single.file, 1))[0], pictures[0])).toBeGreaterThan(2);
  const again = { ...order, folder: request('image-to-video', {}).folder };
  const second = await made(again, await renderVideo(again));
  expect(differenceOf((await picturesOf(second.file, 6))[3], pictures[3])).toBe(0);
});

test('text-to-video has the shape and the length of its request, other words on it, and no sound', async () => {
  const pictures = [];
  for (const prompt of ['a lighthouse at night', 'a dog in a meadow']) {
    const body = { end_seconds: 0.2, aspect_ratio: '9:16', resolution: '4k', style: { prompt } };
    const order = { ...request('text-to-video', body), most: 120 };
    const clip = await made(order, await renderVideo(order));
    expect(clip).toMatchObject({ width: 120, height: 214, kinds: ['video'] });
    expect(clip.probed.streams[0]?.nb_read_frames).toBe('5');
    pictures.push(...(await picturesOf(clip.file, 1)));
  }
  expect(differenceOf(pictures[0], pictures[1])).toBeGreaterThan(0.5);
});

test('animation keeps to the size and rate of its request, and has sound in place of linked music', async () => {
  const pictures = [];
  for (const art_style of ['Pencil Sketch', 'Cyberpunk']) {
    const order = request(
      'animation',
      {
        ...{ end_seconds: 0.5, fps: 10, width: 160, height: 128 },
        assets: { audio_source: 'youtube', youtube_url: 'https://example.com/song' },
        style: { art_style, camera_effect: 'Spin', prompt_type: 'ai_choose', transition_speed: 2 },
      },
      [image],
    );
    const clip = await made(order, await renderAnimation(order));
    expect(clip).toMatchObject({ width: 160, height: 128, fps: 10, kinds: ['video', 'audio'] });
    const shown = await picturesOf(clip.file, 5);
    pictures.push(shown[0]);
  }
  expect(differenceOf(pictures[0], pictures[1])).toBeGreaterThan(0.5);
});

test('audio-to-video carries the sound, and is as long as it', async () => {
  const voice = await lateVoice(2);
  const sound = input('audio_file_path', 'audio', voice);
  const order = request('audio-to-video', { end_seconds: 9 }, [
    sound,
    { ...image, file: undefined },
  ]);
  const small = { ...order, most: 120 };
  const clip = await made(small, await renderVideo(small));
  // As long as the sound, whatever was asked for.
  expect(Math.abs(clip.seconds - 2)).toBeLessThan(0.1);
  expect(clip.kinds).toEqual(['video', 'audio']);
  const late = request('audio-to-video', { start_seconds: 5, end_seconds: 9 }, [sound]);
  expect(await renderVideo(late)).toMatchObject({ error: { code: 'invalid_parameters' } });
  const noSound = request('audio-to-video', { end_seconds: 1 }, [{ ...sound, file: photoFile }]);
  expect(await renderVideo(noSound)).toMatchObject({
    error: { code: 'invalid_parameters', message: expect.stringContaining('uploads/it') },
  });
});

test.each([
  ['gif', 'gif'],
  ['mp4', 'h264'],
  ['webm', 'vp8'],
])(
  'ai-gif-generator makes a real %s whose clock runs for two seconds',
  async (output_format, codec) => {
    const order = request('ai-gif-generator', {
      output_format,
      style: { prompt: 'a red balloon' },
    });
    const clip = await made(order, await renderGif(order));
    expect(clip.file.endsWith(`.${output_format}`)).toBe(true);
    expect(clip.probed.streams.map(({ codec_name }) => codec_name)).toEqual([codec]);
    expect(Math.abs(clip.seconds - 2)).toBeLessThan(0.1);
    const pictures = await picturesOf(clip.file, 2);
    expect(differenceOf(pictures[0], pictures[1], [0, 0.8, 1, 0.93])).toBeGreaterThan(0.3);
  },
);
