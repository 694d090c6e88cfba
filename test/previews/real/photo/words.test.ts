// The tools that draw what words say: scenes, memes and codes.
import jsQR from 'jsqr';
import { describe, expect, test } from 'vitest';
import { renderImageGenerator } from '../../../../src/previews/tools/ai-image-generator.ts';
import { halvesOf, renderMeme } from '../../../../src/previews/tools/ai-meme-generator.ts';
import { renderQrCode } from '../../../../src/previews/tools/ai-qr-code-generator.ts';
import { apart, filesOf, pictureIn, rehearse, shareOf } from '../rehearse.ts';

describe('the image generator', () => {
  test('draws as many different pictures as were asked for, in their shape and resolution', async () => {
    const body = {
      name: 'one',
      image_count: 2,
      aspect_ratio: '16:9',
      resolution: '640px',
      style: { prompt: 'a red boat at sunset' },
    };
    const rehearsed = await rehearse(renderImageGenerator, 'ai-image-generator', body);
    const [first, second] = [await pictureIn(rehearsed), await pictureIn(rehearsed, 1)];
    expect(first).toMatchObject({ width: 640, height: 360 });
    expect(filesOf(rehearsed)).toHaveLength(2);
    expect(apart(first, second)).toBeGreaterThan(3);
    const again = await rehearse(renderImageGenerator, 'ai-image-generator', {
      ...body,
      name: 'another',
    });
    expect((await pictureIn(again)).pixels.equals(first.pixels)).toBe(true);
  });

  test('follows the words, and stays within the plan', async () => {
    const draw = (prompt: string) =>
      rehearse(
        renderImageGenerator,
        'ai-image-generator',
        { image_count: 1, orientation: 'portrait', resolution: '4k', style: { prompt } },
        { most: 144 },
      );
    const night = await pictureIn(await draw('the city at night'));
    const snow = await pictureIn(await draw('a cabin in the snow on a sunny day'));
    expect(night).toMatchObject({ width: 144, height: 256 });
    const light = (picture: typeof night) =>
      shareOf(picture, (at) => (picture.pixels[at + 1] ?? 0) > 110);
    expect(light(snow)).toBeGreaterThan(light(night) + 0.4);
    const grey = await pictureIn(await draw('the city at night, black and white'));
    expect(
      shareOf(grey, (at) => Math.abs((grey.pixels[at] ?? 0) - (grey.pixels[at + 2] ?? 0)) < 4),
    ).toBe(1);
  });
});

describe('the meme generator', () => {
  test('writes the topic in large white letters with a black outline', async () => {
    const make = (topic: string, template = 'Surprised Pikachu') =>
      rehearse(renderMeme, 'ai-meme-generator', { style: { template, topic } });
    const meme = await pictureIn(await make('the tests pass, nobody knows why'));
    const bare = await pictureIn(await make(''));
    const inked = (level: (value: number) => boolean) =>
      shareOf(meme, (at) => {
        const [r = 0, g = 0, b = 0] = meme.pixels.subarray(at, at + 3);
        return level(r) && level(g) && level(b) && meme.pixels[at] !== bare.pixels[at];
      });
    expect(inked((value) => value > 245)).toBeGreaterThan(0.02);
    expect(inked((value) => value < 12)).toBeGreaterThan(0.02);
    expect(
      apart(meme, await pictureIn(await make('the tests fail, everybody knows'))),
    ).toBeGreaterThan(2);
    expect(apart(bare, await pictureIn(await make('', 'Drake Hotline Bling')))).toBeGreaterThan(20);
  });

  test('cuts a topic where it pauses', () => {
    expect(halvesOf('when it works, nobody knows')).toEqual(['when it works,', 'nobody knows']);
    expect(halvesOf('Monday')).toEqual(['Monday', '']);
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
