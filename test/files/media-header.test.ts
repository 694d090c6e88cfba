// The headers of pictures, clips and sounds: size as shown, and length.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { headerOf, soundSeconds, wavSeconds } from '../../src/files/media-header.ts';
import { tone } from '../../src/previews/tone.ts';
import { clipSize, portraitClip, voiceSample } from '../previews/media.ts';
import { temporaryFolder } from './places.ts';

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

test('a picture that is shown on its side has the size in which it is shown', async () => {
  const picture = { create: { width: 7, height: 5, channels: 3, background: 'red' } } as const;
  const sizes: unknown[] = [];
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    const path = join(temporaryFolder(), 'p.jpg');
    await sharp(picture).jpeg().withMetadata({ orientation }).toFile(path);
    sizes.push((await header(path)).slice(0, 2));
  }
  expect(sizes).toEqual([...Array(4).fill([7, 5]), ...Array(4).fill([5, 7])]);
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

// The length of a saved sound, from its own header.

const wav = tone(1.5, 100);

/** With another chunk before the sound. */
const tagged = (length: number): Buffer => {
  const chunk = Buffer.alloc(8 + length + (length % 2));
  chunk.write('LIST', 0, 'latin1');
  chunk.writeUInt32LE(length, 4);
  return Buffer.concat([wav.subarray(0, 36), chunk, wav.subarray(36)]);
};

test.each([
  ['a plain file', wav, 1.5],
  ['a chunk before the sound', tagged(100), 1.5],
  ['a chunk of odd length', tagged(7), 1.5],
  ['a stream that did not know its length', withLength(wav, 0xffff_ffff), 1.5],
  ['a file that was cut', wav.subarray(0, wav.length - 16_000), 1],
  ['no sound', wav.subarray(0, 44), undefined],
  ['only a part of the header', wav.subarray(0, 30), undefined],
  ['another format', Buffer.from('ID3 an mp3 file'), undefined],
  ['an empty file', Buffer.alloc(0), undefined],
])('%s', (_, content, seconds) => {
  expect(wavSeconds(content, content.length)).toBe(seconds);
});

function withLength(content: Buffer, length: number): Buffer {
  const other = Buffer.from(content);
  other.writeUInt32LE(length, 40);
  return other;
}

test('whatever the bytes are, the length is a number above zero or unknown', () => {
  const torn = fc.tuple(fc.nat(60), fc.uint8Array({ maxLength: 8 })).map(([at, bytes]) => {
    const content = Buffer.from(wav.subarray(0, 200));
    content.set(bytes, at);
    return content;
  });
  fc.assert(
    fc.property(torn, (content) => {
      const seconds = wavSeconds(content, content.length);
      if (seconds !== undefined) expect(seconds).toBeGreaterThan(0);
    }),
    { seed: 1, numRuns: 1000 },
  );
});

test('a file that cannot be read has no length, and is no error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-sound-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'a.wav'), wav);
  expect(await soundSeconds(join(folder, 'a.wav'))).toBe(1.5);
  expect(await soundSeconds(join(folder, 'missing.wav'))).toBeUndefined();
  expect(await soundSeconds(folder)).toBeUndefined();
});
