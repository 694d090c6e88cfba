// The headers of pictures, clips and sounds: size as shown, and length.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { headerOf } from '../../../src/files/media-header.ts';
import { clipSize, portraitClip, voiceSample } from '../../previews/media.ts';
import { temporaryFolder } from '../places.ts';

const fields = ['width', 'height', 'duration'] as const;

async function header(path: string): Promise<readonly (number | string)[]> {
  const found = await Promise.all(fields.map((field) => headerOf(path, field)));
  return found.map((one) => (one.ok ? one.value : one.error));
}

test('a clip has a size and a length, a sound only a length, a picture only a size', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'clip.mp4'), await portraitClip());
  writeFileSync(join(folder, 'voice.wav'), voiceSample());
  const picture = { create: { width: 7, height: 5, channels: 3, background: 'red' } } as const;
  for (const format of ['png', 'webp', 'avif', 'tiff', 'gif'] as const)
    await sharp(picture)
      .toFormat(format)
      .toFile(join(folder, `p.${format}`));
  const { width, height, seconds } = clipSize;
  expect(await header(join(folder, 'clip.mp4'))).toEqual([
    ...[width, height],
    expect.closeTo(seconds, 1),
  ]);
  expect(await header(join(folder, 'voice.wav'))).toEqual([
    ...['has no width in its header', 'has no height in its header'],
    expect.closeTo(1, 1),
  ]);
  for (const format of ['png', 'webp', 'avif', 'tiff', 'gif'])
    expect((await header(join(folder, `p.${format}`))).slice(0, 2), format).toEqual([7, 5]);
  expect(await headerOf(join(folder, 'p.png'), 'duration')).toEqual({
    ok: false,
    error: 'has no duration in its header',
  });
});

test.each(['png', 'mp4', 'mp3', 'txt'])('a broken .%s file has none', async (extension) => {
  const path = join(temporaryFolder(), `x.${extension}`);
  writeFileSync(path, 'no media');
  expect((await header(path)).every((one) => typeof one === 'string')).toBe(true);
});

test('a file that is not there is said to be missing', async () => {
  expect(await headerOf(join(temporaryFolder(), 'x.mp4'), 'duration')).toEqual({
    ok: false,
    error: 'does not exist',
  });
});
