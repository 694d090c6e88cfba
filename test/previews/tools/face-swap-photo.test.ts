// From detected faces to a photo with some of them replaced, on real photos.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Region } from '../../../src/contract/api/asset.ts';
import { faceSwapPhoto } from '../../../src/contract/tools/face-swap-photo.ts';
import type { FoundFace, RenderInput, RenderOutcome } from '../../../src/previews/base/request.ts';
import { findFaces } from '../../../src/previews/faces/find.ts';
import { describeFace, descriptorDistance } from '../../../src/previews/faces/match.ts';
import { findFacesInPicture } from '../../../src/previews/faces/search.ts';
import { type Picture, pictureOf, sharpOf } from '../../../src/previews/pictures/picture.ts';
import { renderFaceSwapPhoto } from '../../../src/previews/tools/face-swap-photo.ts';
import { longTest } from '../../sweep.ts';
import { sample } from '../faces/sample.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-faces-'));
const at = (name: string): string => join(folder, name);
const target = 'assets.target_file_path';
const source = 'assets.source_file_path';
/** The lower edge, where the mark is: more than it takes of a picture of this size. */
const strip = 40;

let before: Picture;
let woman: Picture;
let found: readonly FoundFace[] = [];

const inputOf = (field: string, file: string | undefined, more: Partial<RenderInput> = {}) => ({
  ...{ field, media: 'image' as const, file, reference: file ?? 'https://elsewhere.test/a.png' },
  ...{ face: undefined, faces: [], ...more },
});
const search = async (confidence: number): Promise<readonly FoundFace[]> => {
  const faces: FoundFace[] = [];
  const input = inputOf(target, at('friends.png'));
  const answer = await findFacesInPicture({ input, confidence }, async (face) => {
    faces.push(face);
  });
  expect(answer.ok).toBe(true);
  return faces;
};
const render = (...inputs: readonly RenderInput[]): Promise<RenderOutcome> =>
  renderFaceSwapPhoto({
    ...{ tool: faceSwapPhoto, body: { assets: {} }, inputs, folder, seed: 1, most: 1000 },
  });
const rendered = async (...inputs: readonly RenderInput[]): Promise<Picture> => {
  const outcome = await render(...inputs);
  if (!outcome.ok) throw new Error(outcome.error.message);
  const { width, height } = before;
  expect(outcome.value).toEqual([{ name: '0.png', width, height }]);
  return pictureOf(sharp(await readFile(at('0.png'))));
};

beforeAll(async () => {
  before = await sample(3, 480);
  await sharpOf(before).toFile(at('friends.png'));
  const four = await sample(6, 480);
  const right = { left: 340, top: 0, width: four.width - 340, height: four.height };
  woman = await pictureOf(sharpOf(four).extract(right));
  await sharpOf(woman).toFile(at('woman.png'));
  await sharp({ create: { width: 200, height: 300, channels: 3, background: 'olive' } }).toFile(
    at('wall.png'),
  );
  writeFileSync(at('broken.png'), 'no picture');
  found = await search(0.5);
  for (const { name, crop } of found) writeFileSync(at(name), crop);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** How far a part of a picture is from what it was, as a mean over its bytes. */
function change(after: Picture, isPart: (x: number, y: number) => boolean): number {
  let sum = 0;
  let count = 0;
  for (let y = 0; y < before.height - strip; y++)
    for (let x = 0; x < before.width; x++) {
      if (!isPart(x / before.width, y / before.height)) continue;
      for (let channel = 0; channel < 3; channel++) {
        const byte = (y * before.width + x) * 4 + channel;
        sum += Math.abs((before.pixels[byte] ?? 0) - (after.pixels[byte] ?? 0));
        count += 1;
      }
    }
  return sum / count;
}
const inside =
  ({ x, y, width, height }: Region, wider = 0) =>
  (atX: number, atY: number): boolean =>
    atX > x - width * wider &&
    atX < x + width * (1 + wider) &&
    atY > y - height * wider &&
    atY < y + height * (1 + wider);

test('a search tells each face with a portrait of it, and honours how sure it must be', async () => {
  expect(found.map(({ name }) => name)).toEqual(['0-0.png', '0-1.png', '0-2.png']);
  for (const { crop, region } of found) {
    const portrait = await sharp(crop).metadata();
    expect(portrait.format).toBe('png');
    expect(portrait.width).toBeGreaterThan(region.width * before.width * 1.3);
    expect(portrait.height).toBeGreaterThan(region.height * before.height * 1.2);
  }
  const surer = (await search(0.9)).map(({ region }) => region);
  expect(found.map(({ region }) => region)).toEqual(expect.arrayContaining(surer));
  expect(surer.length).toBeLessThan(found.length);
});

test('a mapped face changes, and not a pixel outside it', async () => {
  const [, face, other] = found;
  if (face === undefined || other === undefined) throw new Error('no second face');
  const faces = found.map(({ region }) => region);
  const mapping = 'assets.face_mappings.0';
  const after = await rendered(
    inputOf(target, at('friends.png'), { faces }),
    inputOf(`${mapping}.original_face`, at(face.name), { face: face.region }),
    inputOf(`${mapping}.new_face`, at('woman.png')),
  );
  expect(change(after, inside(face.region))).toBeGreaterThan(3);
  expect(change(after, (x, y) => !inside(face.region, 0.25)(x, y))).toBe(0);

  // A crop of which nothing else is known: it is known by who it is, also in another file of the photo.
  const again = await rendered(
    inputOf(target, at('friends.png')),
    inputOf(`${mapping}.original_face`, at(face.name)),
    inputOf(`${mapping}.new_face`, at('woman.png')),
  );
  expect(again.pixels.equals(after.pixels)).toBe(true);
});

longTest('one face goes over all, and they look like it', async () => {
  const after = await rendered(
    inputOf(target, at('friends.png')),
    inputOf(source, at('woman.png')),
  );
  const [given] = await findFaces(woman, 0.5);
  if (given === undefined) throw new Error('no face to swap in');
  const wanted = await describeFace(woman, given);
  for (const face of await findFaces(before, 0.5)) {
    const off = async (picture: Picture): Promise<number> =>
      descriptorDistance(await describeFace(picture, face), wanted);
    expect(await off(after)).toBeLessThan((await off(before)) - 0.1);
  }
  expect(change(after, (x, y) => !found.some(({ region }) => inside(region, 0.25)(x, y)))).toBe(0);
});

longTest('a picture without a face is named, and so is one that is no picture', async () => {
  const errorOf = async (...inputs: readonly RenderInput[]) => {
    const outcome = await render(...inputs);
    return outcome.ok ? undefined : outcome.error;
  };
  expect(
    await errorOf(inputOf(target, at('friends.png')), inputOf(source, at('wall.png'))),
  ).toMatchObject({ code: 'no_source_face', message: expect.stringContaining(source) });
  expect(
    await errorOf(inputOf(target, at('wall.png')), inputOf(source, at('woman.png'))),
  ).toMatchObject({ code: 'no_source_face', message: expect.stringContaining(target) });
  expect(
    await errorOf(inputOf(target, at('broken.png')), inputOf(source, at('woman.png'))),
  ).toMatchObject({ code: 'invalid_file_format', message: expect.stringContaining(target) });
});

test("somebody else's URL is never fetched: its placeholder is seen in the place of each face", async () => {
  const after = await rendered(inputOf(target, at('friends.png')), inputOf(source, undefined));
  for (const { region } of found) expect(change(after, inside(region))).toBeGreaterThan(3);
  expect(change(after, (x, y) => !found.some(({ region }) => inside(region, 0.25)(x, y)))).toBe(0);
});
