// Whatever is sent as a picture, a clip or a sound: it is used, or it is the error of its project in words, and the service
// goes on.
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordKind } from '../../src/contract/api/project.ts';
import { existingTool } from '../../src/contract/tools/all.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { Client } from '../service/client.ts';
import { filledInObject } from '../service/examples.ts';
import { longTest } from '../sweep.ts';
import { plainPhoto, portraitClip, portraitPhoto, voiceSample } from './media.ts';

let local: LocalService;
let client: Client;
beforeAll(async () => {
  local = await startService({ credits: 1_000_000, tier: 'business', faces: 1 });
  client = new Client(local);
});
afterAll(async () => await local.close());

/** A tool for each medium, whose example gets the file. */
const tools = {
  image: 'photo-colorizer',
  video: 'auto-subtitle-generator',
  audio: 'ai-voice-cloner',
} as const;

/** How the project of a file ends: `complete`, or the code of its error. */
async function fate(content: Buffer, extension: string, media: RecordKind = 'image') {
  const path = await client.upload(content, extension, extension === 'gif' ? 'video' : media);
  const before = local.balance();
  const [example = {}] = existingTool(tools[media]).examples;
  const body = filledInObject(example, new Map([[`asset:${media}`, path]]));
  const { id } = await client.create(tools[media], body);
  const { status, error } = await client.settled(media, id);
  if (status === 'complete') return 'complete';
  expect(JSON.stringify(error)).toContain(path);
  expect(local.balance()).toBe(before);
  return isCoded(error) ? error.code : error;
}

const isCoded = (error: unknown): error is { readonly code: string } =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';

const drawing = sharp(
  Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><linearGradient id="g"><stop stop-color="#05a"/><stop offset="1" stop-color="#fa0"/></linearGradient><rect width="300" height="200" fill="url(#g)"/><circle cx="90" cy="90" r="60" fill="#d22"/></svg>',
  ),
);
/** The samples, in order. */
const pictures: Readonly<Record<string, () => Promise<Buffer>>> = {
  jpg: () => portraitPhoto(),
  png: () => drawing.clone().png().toBuffer(),
  webp: () => drawing.clone().webp().toBuffer(),
  gif: () => drawing.clone().gif().toBuffer(),
  tif: () => drawing.clone().tiff().toBuffer(),
  avif: () => drawing.clone().avif({ effort: 0 }).toBuffer(),
};

describe.each(Object.keys(pictures))('a .%s file', (extension) => {
  const whole = async (): Promise<Buffer> => (await pictures[extension]?.()) ?? Buffer.alloc(0);

  test('is used as it is, and refused where half of it is missing', async () => {
    const file = await whole();
    expect(await fate(file, extension)).toBe('complete');
    expect(await fate(file.subarray(0, file.length / 2), extension)).toBe('invalid_file_format');
  });

  longTest('with a changed byte anywhere is used, or refused', async () => {
    const file = await whole();
    for (let share = 0; share < 1; share += 0.07) {
      const flipped = Buffer.from(file);
      const at = Math.floor(share ** 2 * file.length);
      flipped.writeUInt8(flipped.readUInt8(at) ^ 0x55, at);
      expect(['complete', 'invalid_file_format', 'file_too_large']).toContain(
        await fate(flipped, extension),
      );
    }
  });
});

test('a clip is used, and refused without its beginning or its size', async () => {
  const clip = await portraitClip();
  expect(await fate(clip, 'webm', 'video')).toBe('complete');
  expect(await fate(clip.subarray(0, 60), 'webm', 'video')).toBe('invalid_video_file');
  expect(await fate(clip.subarray(200), 'webm', 'video')).toBe('invalid_video_file');
});

test('what is another medium than its name says is refused', async () => {
  const words = Buffer.from('words, and nothing else');
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg"><image href="/etc/passwd"/></svg>',
  );
  expect(await fate(words, 'jpg')).toBe('invalid_file_format');
  expect(await fate(svg, 'png')).toBe('invalid_file_format');
  expect(await fate(voiceSample(), 'png')).toBe('invalid_file_format');
  expect(await fate(words, 'mp4', 'video')).toBe('invalid_video_file');
  expect(await fate(await portraitPhoto(), 'mp4', 'video')).toBe('invalid_video_file');
  expect(await fate(await portraitPhoto(), 'wav', 'audio')).toBe('invalid_voice');
  expect(await fate(voiceSample(), 'wav', 'audio')).toBe('complete');
});

test('a format that is not decoded here has a card, and is refused where it was cut off', async () => {
  const avif = await drawing.clone().avif({ effort: 0 }).toBuffer();
  const heic = Buffer.from(avif.toString('latin1').replace('ftypavif', 'ftypheic'), 'latin1');
  expect(await fate(heic, 'heic')).toBe('complete');
  expect(await fate(heic.subarray(0, heic.length - 50), 'heic')).toBe('invalid_file_format');
});

// The decoder bombs that were found: small files that take a decoder's memory or time.

const tiny = plainPhoto('#b43', 8, 8);

/** A chunk of a PNG file. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A TIFF file of pages of 8 by 8 pixels, all of which have the same pixels. */
function tiffPages(count: number): Buffer {
  const tags = [
    ...[
      [256, 8],
      [257, 8],
      [258, 8],
      [259, 1],
      [262, 1],
    ],
    ...[
      [273, 8],
      [277, 1],
      [278, 8],
      [279, 64],
    ],
  ];
  const page = 2 + tags.length * 12 + 4;
  const file = Buffer.alloc(72 + count * page);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(72, 4);
  for (let index = 0; index < count; index += 1) {
    const at = 72 + index * page;
    file.writeUInt16LE(tags.length, at);
    for (const [row, [tag = 0, value = 0]] of tags.entries()) {
      const entry = at + 2 + row * 12;
      file.writeUInt16LE(tag, entry);
      // A number of four bytes, once.
      file.writeUInt16LE(4, entry + 2);
      file.writeUInt32LE(1, entry + 4);
      file.writeUInt32LE(value, entry + 8);
    }
    file.writeUInt32LE(index + 1 < count ? at + page : 0, at + page - 4);
  }
  return file;
}

const bombs: readonly (readonly [string, string, string, () => Promise<Buffer>])[] = [
  [
    ...(['a PNG file that says 100,000 by 100,000 pixels', 'png', 'file_too_large'] as const),
    async () => {
      const header = Buffer.alloc(13);
      header.writeUInt32BE(100_000, 0);
      header.writeUInt32BE(100_000, 4);
      header.set([8, 2], 8);
      const file = await tiny.clone().png().toBuffer();
      return Buffer.concat([file.subarray(0, 8), chunk('IHDR', header), file.subarray(33)]);
    },
  ],
  [
    ...(['a PNG file with 256 MB of text', 'png', 'complete'] as const),
    async () => {
      const file = await tiny.clone().png().toBuffer();
      const text = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(1 << 28))]);
      return Buffer.concat([file.subarray(0, 33), chunk('zTXt', text), file.subarray(33)]);
    },
  ],
  [
    ...(['an AVIF file that says 60,000 by 60,000 pixels', 'avif', 'file_too_large'] as const),
    async () => {
      const file = await tiny.clone().avif({ effort: 0 }).toBuffer();
      const place = file.indexOf('ispe') + 8;
      file.writeUInt32BE(60_000, place);
      file.writeUInt32BE(60_000, place + 4);
      return file;
    },
  ],
  [
    ...(['a TIFF file of 200,000 pages', 'tif', 'file_too_large'] as const),
    async () => tiffPages(200_000),
  ],
  [
    ...(['a GIF file of 200,000 frames', 'gif', 'complete'] as const),
    async () => {
      const file = await tiny.clone().gif().toBuffer();
      const frame = file.subarray(file.indexOf(Buffer.from('2c00000000', 'hex')), -1);
      const frames = Buffer.alloc(frame.length * 200_000, frame);
      return Buffer.concat([file.subarray(0, -1), frames, file.subarray(-1)]);
    },
  ],
];

test.each(bombs)('%s does no harm', async (_name, extension, expected, bomb) => {
  const before = process.memoryUsage().rss;
  expect(await fate(await bomb(), extension)).toBe(expected);
  expect(process.memoryUsage().rss - before).toBeLessThan(600_000_000);
});

test('a TIFF file of three pages is used', async () => {
  expect(await fate(tiffPages(3), 'tif')).toBe('complete');
});
