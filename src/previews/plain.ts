// Stand-ins that cost next to no work, for tests of everything but pictures: of the right number, size and length, and
// different where requests are. A clip that goes in comes out.
import { constants } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { extensionOf } from '../contract/api/asset.ts';
import { fixedFaces } from './faces.ts';
import { pictureSize } from './input.ts';
import { digestOf, keyOf } from './render.ts';
import type { FoundFace, RenderedFile, RenderInput, RenderRequest } from './renderer.ts';
import { numberIn, promisedClip, promisedSize, type Size } from './size.ts';
import { tone } from './tone.ts';
import { webm } from './webm.ts';

/** Throws `BadInput`. */
export async function renderPlain(request: RenderRequest): Promise<readonly RenderedFile[]> {
  const { tool, body, folder, inputs } = request;
  let shape: Size | undefined;
  for (const input of inputs.filter(({ media }) => media === 'image')) {
    const size = await pictureSize(input);
    shape ??= size;
  }
  const size = promisedSize(request, shape);
  const clip = inputs.find(({ media, file }) => media === 'video' && file !== undefined)?.file;
  if (tool.record === 'video' && clip !== undefined) {
    const name = `0.${extensionOf(clip)}`;
    await copyFile(clip, join(folder, name), constants.COPYFILE_FICLONE);
    return [{ name }];
  }
  const key = await keyOf(request);
  const made = (name: string, bytes: Buffer, facts: Omit<RenderedFile, 'name'>) =>
    writeFile(join(folder, name), bytes).then(() => ({ name, ...facts }));
  if (tool.record === 'audio')
    return [await made('0.wav', tone(1, 110 + (colourOf(key)[0] ?? 0)), {})];
  if (tool.record === 'video' || tool.fileFormat !== undefined) {
    const { seconds, fps } = promisedClip(body);
    const film = webm({ ...size, seconds, fps, pictures: [grey], title: key });
    return [await made('0.webm', film, { ...size, fps })];
  }
  const count = numberIn(body, 'image_count') ?? 1;
  return await Promise.all(
    Array.from({ length: count }, (_, index) =>
      made(`${index}.png`, tinyPng(size, `${key} ${index}`), size),
    ),
  );
}

/** So many faces at fixed places, one unless said otherwise; none in a clip. */
export async function findPlainFaces(input: RenderInput, count = 1): Promise<readonly FoundFace[]> {
  const size = input.media === 'image' ? await pictureSize(input) : undefined;
  if (size === undefined) return [];
  const key = await digestOf(input);
  return fixedFaces(size, count).map((region, index) => {
    const [width, height] = [
      Math.ceil(region.width * size.width),
      Math.ceil(region.height * size.height),
    ];
    return { region, crop: tinyPng({ width, height }, `${key} ${index}`) };
  });
}

/** A WebP picture of 16 by 16 pixels. */
const grey = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoQABAADMDOJaQAA3AAzQAA', 'base64');

const colourOf = (key: string): Buffer => Buffer.from(key.slice(0, 6), 'hex');

/** One colour, in one bit a pixel. */
function tinyPng({ width, height }: Size, key: string): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', colourOf(key)),
    chunk('tEXt', Buffer.from(`Comment\0${key}`, 'latin1')),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
