// Stand-ins: valid files of the right size, length and count that differ where the requests differ.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { findStandInFaces, renderStandIn, tinyGif, tinyPng } from '../../src/previews/stand-in.ts';
import { photo } from '../photo.ts';
import { filesOf, type Given, rehearse } from './rehearse.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-stand-ins-'));
afterAll(() => rmSync(folder, { recursive: true }));
async function fileOf(number: number): Promise<string> {
  const file = join(folder, `${number}.png`);
  writeFileSync(file, await photo(number));
  return file;
}

test.each([
  [1, 1],
  [7, 300],
  [4096, 2304],
])('a PNG and a GIF of %i by %i can be decoded, and have their colour', async (width, height) => {
  const size = { width, height };
  const png = sharp(tinyPng(size, [200, 100, 50], 'a'), { failOn: 'warning' });
  const { data, info } = await png.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject(size);
  expect([...data.subarray(-3)]).toEqual([200, 100, 50]);
  const gif = sharp(tinyGif(size, 3, [1, 2, 3], 'a'), { animated: true, failOn: 'warning' });
  await gif.stats();
  const { pages, delay } = await gif.metadata();
  expect([pages, delay]).toEqual([2, [1500, 1500]]);
});

describe('a stand-in', () => {
  const make = (tool: string, body: JsonObject, given: Given = {}) =>
    rehearse(renderStandIn, tool, body, given);
  const bytesOf = async (rehearsed: ReturnType<typeof make>): Promise<Buffer> => {
    const { folder: place } = await rehearsed;
    const [file] = filesOf(await rehearsed);
    return readFileSync(join(place, file?.name ?? ''));
  };

  test('has the size of the first picture, within the plan, and is the same again', async () => {
    const files = { 'assets.image_file_path': await fileOf(1) };
    expect(filesOf(await make('photo-colorizer', {}, { files }))).toEqual([
      { name: '0.png', width: 48, height: 48 },
    ]);
    expect(filesOf(await make('photo-colorizer', {}, { files, most: 24 }))).toEqual([
      { name: '0.png', width: 24, height: 24 },
    ]);
    const first = await bytesOf(make('photo-colorizer', {}, { files }));
    expect((await bytesOf(make('photo-colorizer', {}, { files }))).equals(first)).toBe(true);
  });

  test('differs with the content of each file, with the body and with the seed', async () => {
    const [one, other] = [await fileOf(1), await fileOf(2)];
    const of = (target: string, source: string, seed = 1) =>
      bytesOf(
        make(
          'face-swap-photo',
          {},
          {
            files: { 'assets.target_file_path': target, 'assets.source_file_path': source },
            seed,
          },
        ),
      );
    const all = await Promise.all([of(one, one), of(other, one), of(one, other), of(one, one, 2)]);
    expect(new Set(all.map((bytes) => bytes.toString('hex'))).size).toBe(4);
  });

  test('comes as often as was asked for, and as long', async () => {
    expect(filesOf(await make('ai-image-generator', { image_count: 3 }))).toHaveLength(3);
    const clip = await bytesOf(make('text-to-video', { end_seconds: 3 }));
    expect((await sharp(clip, { animated: true }).metadata()).delay).toEqual([1500, 1500]);
  });

  test('is refused for a file that is no picture', async () => {
    const files = { 'assets.image_file_path': import.meta.filename };
    const { outcome } = await make('photo-colorizer', {}, { files });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'invalid_file_format' } });
  });

  test('of a face detection has one face, whose crop differs from picture to picture', async () => {
    const crops: string[] = [];
    for (const number of [1, 2]) {
      const file = await fileOf(number);
      const input = { field: 'f', media: 'image', reference: 'r', face: undefined } as const;
      const question = { input: { ...input, file, faces: [] }, confidence: 0.5 };
      await findStandInFaces(question, async ({ crop }) => {
        await sharp(crop).stats();
        crops.push(Buffer.from(crop).toString('hex'));
      });
    }
    expect(new Set(crops).size).toBe(2);
  });
});
