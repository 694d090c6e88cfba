// The image tools without faces: cards of the right size and number, the colorizer, the upscaler, codes that scan.
import jsQR from 'jsqr';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { renderQrCode } from '../../../src/previews/tools/ai-qr-code-generator.ts';
import { renderImage, renderMeme } from '../../../src/previews/tools/cards.ts';
import { renderColorizer, renderUpscaler } from '../../../src/previews/tools/pictures.ts';
import { apart, drawn, filesOf, pictureIn, rehearse, shareOf } from '../rehearse.ts';

const field = 'assets.image_file_path';
let grey = '';
let small = '';

beforeAll(async () => {
  grey = await drawn(
    'grey',
    240,
    180,
    '<rect width="100%" height="100%" fill="#6a6a6a"/><circle cx="120" cy="90" r="40" fill="#a0a0a0"/>',
  );
  small = await drawn(
    'small',
    40,
    30,
    '<rect width="100%" height="100%" fill="#245"/><circle cx="20" cy="15" r="9" fill="#fa4"/>',
  );
});

describe('a card', () => {
  const generate = (body: JsonObject, most = 2160) =>
    rehearse(renderImage, 'ai-image-generator', body, { most });

  test('is made as often as was asked for, each different, in its shape and resolution', async () => {
    const body = { image_count: 2, aspect_ratio: '16:9', resolution: '640px' };
    const rehearsed = await generate({ ...body, name: 'one', style: { prompt: 'a red boat' } });
    const [first, second] = [await pictureIn(rehearsed), await pictureIn(rehearsed, 1)];
    expect(first).toMatchObject({ width: 640, height: 360 });
    expect(filesOf(rehearsed)).toHaveLength(2);
    expect(apart(first, second)).toBeGreaterThan(3);
    const again = await generate({ ...body, name: 'two', style: { prompt: 'a red boat' } });
    expect((await pictureIn(again)).pixels.equals(first.pixels)).toBe(true);
  });

  test('shows the words, and stays within the plan', async () => {
    const of = (prompt: string) =>
      generate({ orientation: 'portrait', resolution: '4k', style: { prompt } }, 144);
    const short = await pictureIn(await of('a'));
    const long = await pictureIn(await of('a city at night, seen from the river '.repeat(3)));
    expect(short).toMatchObject({ width: 144, height: 256 });
    const white = (picture: typeof short) =>
      shareOf(picture, (at) => Math.min(...picture.pixels.subarray(at, at + 3)) > 240);
    expect(white(long)).toBeGreaterThan(white(short) + 0.02);
  });

  test('shows every picture that was given', async () => {
    const edit = (files: Readonly<Record<string, string>>, body: JsonObject = {}) =>
      rehearse(renderImage, 'ai-image-editor', { style: { prompt: 'x' }, ...body }, { files });
    const orange = async (rehearsed: ReturnType<typeof edit>) => {
      const picture = await pictureIn(await rehearsed);
      const isOrange = (at: number): boolean =>
        (picture.pixels[at] ?? 0) > 220 && (picture.pixels[at + 2] ?? 0) < 110;
      return { picture, share: shareOf(picture, isOrange) };
    };
    const one = await orange(edit({ 'assets.image_file_paths.0': grey }));
    expect(one.picture).toMatchObject({ width: 240, height: 180 });
    expect(one.share).toBe(0);
    const files = { 'assets.image_file_paths.0': grey, 'assets.image_file_paths.1': small };
    const shape = { aspect_ratio: '9:16', resolution: '640px' };
    const two = await orange(edit(files, shape));
    expect(two.picture).toMatchObject({ width: 360, height: 640 });
    expect(two.share).toBeGreaterThan(0.005);
  });

  test('of an edited picture is as large as the picture', async () => {
    const files = { 'assets.person_file_path': grey, 'assets.garment_file_path': small };
    const rehearsed = await rehearse(renderImage, 'ai-clothes-changer', {}, { files });
    expect(await pictureIn(rehearsed)).toMatchObject({ width: 240, height: 180 });
  });

  test('of other words looks different', async () => {
    const meme = async (topic: string) =>
      pictureIn(await rehearse(renderMeme, 'ai-meme-generator', { style: { topic } }));
    expect(apart(await meme('the tests pass'), await meme('the tests fail'))).toBeGreaterThan(0.1);
  });

  test('is not made of a file that is no picture: the error names the field', async () => {
    const files = {
      'assets.image_file_paths.0': grey,
      'assets.image_file_paths.1': import.meta.filename,
    };
    const { outcome } = await rehearse(renderImage, 'ai-image-editor', {}, { files });
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        code: 'invalid_file_format',
        message: expect.stringContaining('assets.image_file_paths.1'),
      },
    });
  });
});

test('a grey photo gets a warm tint', async () => {
  const files = { files: { [field]: grey } };
  const picture = await pictureIn(await rehearse(renderColorizer, 'photo-colorizer', {}, files));
  expect(picture).toMatchObject({ width: 240, height: 180 });
  const warm = (at: number): boolean =>
    (picture.pixels[at] ?? 0) > (picture.pixels[at + 2] ?? 0) + 8;
  expect(shareOf(picture, warm)).toBeGreaterThan(0.9);
  // What was lighter still is.
  const [middle, corner] = [(90 * 240 + 120) * 4 + 1, 1];
  expect(picture.pixels[middle]).toBeGreaterThan((picture.pixels[corner] ?? 0) + 20);
});

describe('the upscaler', () => {
  const upscale = (scale: number, most: number) =>
    rehearse(
      renderUpscaler,
      'ai-image-upscaler',
      { scale_factor: scale, style: { mode: 'preserve' } },
      { files: { [field]: small }, most },
    );

  test.each([
    [2, 2160, 80, 60],
    [4, 2160, 160, 120],
    [4, 90, 120, 90],
  ])('by %i, with at most %i pixels, is exact to the pixel', async (scale, most, width, height) => {
    const picture = await pictureIn(await upscale(scale, most));
    expect(picture).toMatchObject({ width, height });
  });
});

describe('the QR code generator', () => {
  const code = (content: string, style: string) =>
    rehearse(renderQrCode, 'ai-qr-code-generator', { content, style: { art_style: style } });

  test.each([
    ['https://example.com', 'Watercolor'],
    [`https://example.com/?q=${'long'.repeat(80)}`, 'neon cyberpunk city at night'],
    ['Grüße, 世界 🎈', 'pixel art'],
  ])('draws a code that scans: %s', async (content, style) => {
    const { pixels, width, height } = await pictureIn(await code(content, style));
    expect(jsQR.default(new Uint8ClampedArray(pixels), width, height)?.data).toBe(content);
  });

  test('refuses a content that no code can hold, and an empty one', async () => {
    for (const content of ['x'.repeat(3000), ''])
      expect((await code(content, 'any')).outcome).toMatchObject({
        ok: false,
        error: { code: 'invalid_parameters' },
      });
  });
});
