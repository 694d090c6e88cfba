import { expect, test } from 'vitest';
import { steadied } from '../../../src/previews/faces/steady.ts';
import type { Presence, SeenFrame } from '../../../src/previews/faces/track.ts';

const presence: Presence = { mask: undefined };
const picture = { pixels: Buffer.alloc(4), width: 1, height: 1 };

async function steadyXs(xs: readonly (number | undefined)[]): Promise<readonly number[]> {
  async function* frames(): AsyncGenerator<SeenFrame> {
    for (const x of xs)
      yield { picture, sights: x === undefined ? [] : [{ presence, landmarks: [{ x, y: 0 }] }] };
  }
  const steady: number[] = [];
  for await (const { sights } of steadied(frames()))
    steady.push(sights[0]?.landmarks[0]?.x ?? Number.NaN);
  return steady;
}

test('a face that moves evenly does not lag behind, from its first frame to its last', async () => {
  const xs = [10, 14, 18, 22, 26, 30, 34];
  const steady = await steadyXs(xs);
  expect(steady).toHaveLength(xs.length);
  for (const [index, x] of xs.entries()) expect(steady[index]).toBeCloseTo(x);
});

test('a face that trembles is held still', async () => {
  const steady = await steadyXs([10, 12, 10, 12, 10, 12, 10, 12]);
  for (const x of steady.slice(2, -2)) expect(Math.abs(x - 11)).toBeLessThan(0.2);
});

test('frames without the face stay without it', async () => {
  expect(await steadyXs([undefined, 5, 5, undefined])).toEqual([Number.NaN, 5, 5, Number.NaN]);
});
