// The tools that change a whole picture: the editor, the colorizer and the upscaler.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Picture } from '../../../../src/previews/pictures/picture.ts';
import { renderColorizer } from '../../../../src/previews/tools/photo-colorizer.ts';
import { renderImageEditor } from '../../../../src/previews/tools/ai-image-editor.ts';
import { renderUpscaler } from '../../../../src/previews/tools/ai-image-upscaler.ts';
import { apart, drawn, pictureIn, rehearse, shareOf } from '../rehearse.ts';

const field = 'assets.image_file_path';
let grey = '';
let small = '';

beforeAll(async () => {
  const bars = Array.from(
    { length: 9 },
    (_, i) =>
      `<rect x="${i * 27}" y="90" width="14" height="70" fill="#${'3579b'[i % 5]}0${'3579b'[i % 5]}0${'3579b'[i % 5]}0"/>`,
  );
  grey = await drawn(
    'grey',
    240,
    180,
    `<rect width="100%" height="100%" fill="#6a6a6a"/><rect width="100%" height="40%" fill="#d8d8d8"/>${bars.join('')}<circle cx="120" cy="90" r="40" fill="#a0a0a0"/>`,
  );
  small = await drawn(
    'small',
    40,
    30,
    '<rect width="100%" height="100%" fill="#245"/><circle cx="20" cy="15" r="9" fill="#fa4"/>',
  );
});

const light = (picture: Picture) => {
  let sum = 0;
  shareOf(picture, (at) => {
    sum += picture.pixels[at + 1] ?? 0;
    return false;
  });
  return sum / (picture.width * picture.height);
};

describe('the image editor', () => {
  const edit = (
    prompt: string,
    more = {},
    files: Readonly<Record<string, string>> = { [field]: grey },
  ) => rehearse(renderImageEditor, 'ai-image-editor', { style: { prompt }, ...more }, { files });

  test('does to the light what the words say', async () => {
    const plain = await pictureIn(await edit('remove the sign'));
    expect(plain).toMatchObject({ width: 240, height: 180 });
    expect(light(await pictureIn(await edit('make it much brighter')))).toBeGreaterThan(
      light(plain) + 10,
    );
    expect(light(await pictureIn(await edit('make it night')))).toBeLessThan(light(plain) - 30);
  });

  test('keeps to the shape and the resolution, makes as many as asked for, and shows the other pictures', async () => {
    const shape = { aspect_ratio: '9:16', resolution: '640px', image_count: 2 };
    const rehearsed = await edit('vintage', shape);
    expect(await pictureIn(rehearsed, 1)).toMatchObject({ width: 360, height: 640 });
    const alone = await pictureIn(rehearsed);
    const files = { 'assets.image_file_paths.0': grey, 'assets.image_file_paths.1': small };
    expect(apart(alone, await pictureIn(await edit('vintage', shape, files)))).toBeGreaterThan(1);
  });

  test('says of a file that is no picture which field named it', async () => {
    const files = {
      'assets.image_file_paths.0': grey,
      'assets.image_file_paths.1': import.meta.filename,
    };
    expect((await edit('vintage', {}, files)).outcome).toMatchObject({
      ok: false,
      error: {
        code: 'invalid_file_format',
        message: expect.stringContaining('assets.image_file_paths.1'),
      },
    });
  });
});

test('a grey photo gets colours, and keeps its light', async () => {
  const picture = await pictureIn(
    await rehearse(renderColorizer, 'photo-colorizer', {}, { files: { [field]: grey } }),
  );
  expect(picture).toMatchObject({ width: 240, height: 180 });
  const coloured = shareOf(
    picture,
    (at) => Math.abs((picture.pixels[at] ?? 0) - (picture.pixels[at + 2] ?? 0)) > 8,
  );
  expect(coloured).toBeGreaterThan(0.3);
  const given = await pictureIn(
    await rehearse(
      renderImageEditor,
      'ai-image-editor',
      { style: { prompt: 'sharpen' } },
      { files: { [field]: grey } },
    ),
  );
  expect(Math.abs(light(picture) - light(given))).toBeLessThan(12);
});

describe('the upscaler', () => {
  const upscale = (scale: number, mode: string, most = 2160) =>
    rehearse(
      renderUpscaler,
      'ai-image-upscaler',
      { scale_factor: scale, style: { mode } },
      { files: { [field]: small }, most },
    );

  test('is exact to the pixel, also for small pictures, and stays within the plan', async () => {
    expect(await pictureIn(await upscale(2, 'preserve'))).toMatchObject({ width: 80, height: 60 });
    expect(await pictureIn(await upscale(4, 'preserve'))).toMatchObject({
      width: 160,
      height: 120,
    });
    expect(await pictureIn(await upscale(4, 'preserve', 90))).toMatchObject({
      width: 120,
      height: 90,
    });
  });

  test('treats the picture as the mode says', async () => {
    const plain = await pictureIn(await upscale(4, 'preserve'));
    expect(apart(plain, await pictureIn(await upscale(4, 'creative')))).toBeGreaterThan(0.2);
    expect(apart(plain, await pictureIn(await upscale(4, 'preserve')))).toBe(0);
  });
});
