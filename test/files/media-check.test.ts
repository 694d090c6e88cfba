// Which files are refused before they are uploaded. A file that nobody here can judge is let through.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { checkInput, damageOf } from '../../src/files/media-check.ts';
import { webm } from '../../src/previews/webm.ts';
import { temporaryFolder } from './places.ts';

const noise = Buffer.from(Uint8Array.from({ length: 120 * 120 * 3 }, (_, at) => (at * at) % 251));
const picture = sharp(noise, { raw: { width: 120, height: 120, channels: 3 } });
const [jpg, progressive, png, webp, gif, tiff, avif] = await Promise.all([
  picture.clone().jpeg().toBuffer(),
  picture.clone().jpeg({ progressive: true }).toBuffer(),
  picture.clone().png().toBuffer(),
  picture.clone().webp().toBuffer(),
  picture.clone().gif().toBuffer(),
  picture.clone().tiff().toBuffer(),
  picture.clone().avif({ effort: 0 }).toBuffer(),
]);

// Formats that nothing here decodes are known by their boxes alone.
const heic = Buffer.from(avif.toString('latin1').replace('ftypavif', 'ftypheic'), 'latin1');

const half = (content: Buffer): Buffer => content.subarray(0, content.length / 2);
const box = (name: string, content: Buffer, length = content.length + 8): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(length);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, content]);
};
const ftyp = box('ftyp', Buffer.from('isom\0\0\0\0isom'));
const moov = box('moov', Buffer.alloc(40));
const mdat = box('mdat', Buffer.alloc(400));
const clip = Buffer.concat([ftyp, moov, mdat]);
const lossy = await picture.clone().webp({ quality: 50 }).toBuffer();
const film = webm({ width: 120, height: 120, fps: 4, seconds: 1, pictures: [lossy, lossy] });
const lengthOfSegment = film.indexOf(Buffer.from('18538067', 'hex')) + 4;
/** Written as it came. */
const stream = Buffer.from(film).fill(0xff, lengthOfSegment + 1, lengthOfSegment + 8);
/** 392 bytes of sound, whose header says this length. */
function wav(length: number): Buffer {
  const head = Buffer.from('RIFF\0\0\0\0WAVEdata');
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, Buffer.alloc(392)]);
}
const random = Buffer.from(Uint8Array.from({ length: 5000 }, (_, at) => (at * 73 + 5) % 256));

/** A preview in a segment of its own, which ends like a picture. */
function withPreview(content: Buffer): Buffer {
  const segment = Buffer.from('ffe1000bffd8ffd9ffd8ffd9', 'hex');
  return Buffer.concat([
    content.subarray(0, 2),
    Buffer.concat([segment, Buffer.from([0])]),
    content.subarray(2),
  ]);
}

const fileOf = (name: string, content: Buffer | string): string => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
};

test.each<readonly [string, string, Buffer | string]>([
  ['a.jpg', 'is not a picture in a supported format', 'not a picture at all'],
  ['a.jpg', 'is not a picture in a supported format', random],
  ['a.png', 'is a web page', '<!doctype html><p>Not found'],
  ['a.mp4', 'is a web page', '<html><p>Not found'],
  ['a.jpg', 'is a PDF document', '%PDF-1.4'],
  ['a.jpg', 'is a clip or a sound, not a picture', clip],
  ['a.mp4', 'is a JPEG picture, not a clip', jpg],
  ['a.mp3', 'is a PNG picture, not a sound', png],
  ['a.jpg', 'is a JPEG picture that was cut off', half(jpg)],
  ['a.jpg', 'is a JPEG picture that was cut off', half(progressive)],
  ['a.jpg', 'is a JPEG picture that was cut off', half(withPreview(jpg))],
  ['a.jpg', 'is a JPEG picture that was cut off', jpg.subarray(0, 5)],
  ['a.png', 'is a PNG picture that was cut off', half(png)],
  ['a.webp', 'is a WebP picture that was cut off', half(webp)],
  ['a.avif', 'is an AVIF picture that was cut off', half(avif)],
  ['a.heic', 'is a HEIC picture that was cut off', half(heic)],
  ['a.mp4', 'is a clip or a sound that was cut off', Buffer.concat([ftyp, half(mdat)])],
  ['a.mp4', 'is a clip or a sound that was cut off', Buffer.concat([ftyp, moov, half(mdat)])],
  ['a.wav', 'that was cut off', half(wav(400))],
  ['a.webm', 'is a sound or a clip that was cut off', half(film)],
  ['a.webm', 'is a sound or a clip that was cut off', film.subarray(0, 20)],
  ['a.gif', 'is a GIF picture that was cut off', half(gif)],
  ['a.gif', 'is a GIF picture that was cut off', gif.subarray(0, -2)],
])('%s is refused (%#): it %s', (name, why, content) => {
  expect(checkInput(fileOf(name, content))).toEqual({
    is: 'wrong',
    why: expect.stringContaining(why),
  });
});

test.each<readonly [string, Buffer | string]>([
  ['a.jpg', jpg],
  ['a.jpg', progressive],
  ['a.jpg', withPreview(jpg)],
  // Under the name of another format.
  ['a.jpg', png],
  ['a.gif', gif],
  ['a.gif', gif.subarray(0, -1)],
  ['a.gif', Buffer.concat([gif, Buffer.alloc(500)])],
  ['a.wav', wav(400)],
  ['a.wav', wav(0)],
  ['a.wav', wav(0xffff_ffff)],
  ['a.tif', tiff],
  ['a.webp', webp],
  ['a.avif', avif],
  ['a.heic', heic],
  // Cameras append clips, previews and padding.
  ['a.jpg', Buffer.concat([jpg, Buffer.alloc(40_000)])],
  ['a.jpg', Buffer.concat([jpg, clip])],
  ['a.png', Buffer.concat([png, Buffer.alloc(300_000)])],
  ['a.heic', Buffer.concat([box('ftyp', Buffer.from('odd1\0\0\0\0')), moov])],
  ['a.mp4', clip],
  ['a.mov', Buffer.concat([ftyp, mdat, moov, Buffer.from('padding')])],
  ['a.mp4', Buffer.concat([ftyp, moov, mdat, half(box('free', Buffer.alloc(90)))])],
  ['a.webm', film],
  ['a.webm', half(stream)],
  ['a.mp3', 'ID3 and a song'],
])('%s is let through (%#)', (name, content) => {
  expect(checkInput(fileOf(name, content))).toEqual({ is: 'fine' });
});

test('a clip or a sound that begins in no known way is let through, and said to be unknown', () => {
  expect(checkInput(fileOf('a.mp3', random))).toEqual({ is: 'unknown' });
});

test('a result with one wrong byte in the middle does not decode', async () => {
  const wrong = Buffer.from(png);
  wrong[png.length >> 1] = (wrong[png.length >> 1] ?? 0) ^ 0xff;
  expect(await damageOf(fileOf('a.png', wrong))).toBe('is a PNG picture that cannot be decoded');
  for (const good of [jpg, progressive, png, webp, gif, tiff, avif, random, clip])
    expect(await damageOf(fileOf('a.bin', good))).toBeUndefined();
});
