// Who is found in real photos, and where.
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Face, findFaces } from '../../../src/previews/faces/find.ts';
import { faceNets } from '../../../src/previews/faces/nets.ts';
import { type Picture, pictureOf } from '../../../src/previews/pictures/picture.ts';
import { longTest } from '../../sweep.ts';
import { sample } from './sample.ts';

describe('three photos of people', () => {
  const pictures: Picture[] = [];
  const found: (readonly Face[])[] = [];
  let listeners = 0;
  let tensors: readonly number[] = [];
  beforeAll(async () => {
    listeners = process.listenerCount('uncaughtException');
    const nets = await faceNets();
    const before = nets.tensors();
    for (const number of [2, 5, 6]) {
      const picture = await sample(number, 640);
      pictures.push(picture);
      found.push(await findFaces(picture, 0.5));
    }
    tensors = [before, nets.tensors()];
  }, 180_000);

  test('everybody is found, and nobody who is not there', () => {
    expect(found.map((faces) => faces.length)).toEqual([3, 5, 4]);
  });

  test('faces come the largest first, and none twice', () => {
    for (const faces of found) {
      const areas = faces.map(({ region }) => region.width * region.height);
      expect(areas).toEqual(areas.toSorted((a, b) => b - a));
      const middles = faces.map(({ region }) => region.x + region.width / 2);
      for (const [index, middle] of middles.entries())
        for (const other of middles.slice(index + 1))
          expect(Math.abs(middle - other)).toBeGreaterThan(0.05);
    }
  });

  test('the nets keep no tensor of what they have seen, and leave the errors of the process alone', () => {
    expect(tensors[1]).toBe(tensors[0]);
    expect(process.listenerCount('uncaughtException')).toBe(listeners);
  });
});

longTest(
  'faces too small for one look at the whole are found in its parts, and once where two parts see them',
  async () => {
    const small = await sample(6, 320);
    const wide = await pictureOf(
      sharp({ create: { width: 1100, height: 600, channels: 3, background: 'gray' } }).composite([
        { input: small.pixels, raw: { ...small, channels: 4 }, left: 400, top: 30 },
      ]),
    );
    const faces = await findFaces(wide, 0.5);
    expect(faces).toHaveLength(4);
    for (const { region } of faces) expect(Math.abs(region.x - 0.5)).toBeLessThan(0.15);
  },
);

test('no face is found where there is none', async () => {
  const plain = await pictureOf(
    sharp({ create: { width: 300, height: 500, channels: 3, background: 'teal' } }),
  );
  expect(await findFaces(plain, 0.1)).toEqual([]);
});
