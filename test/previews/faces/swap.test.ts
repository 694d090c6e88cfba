// One face laid over another, with drawn faces whose landmarks are known.
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { faceTextureOf } from '../../../src/previews/faces/face-texture.ts';
import type { Face } from '../../../src/previews/faces/find.ts';
import type { Point } from '../../../src/previews/faces/point.ts';
import { splineOf, withFace } from '../../../src/previews/faces/swap.ts';
import { type Picture, pictureOf } from '../../../src/previews/pictures/picture.ts';

interface Looks {
  readonly skin: string;
  readonly eyes: string;
  readonly lips: string;
}

const arc = (
  count: number,
  x: number,
  y: number,
  width: number,
  height: number,
  from: number,
  to: number,
) =>
  Array.from({ length: count }, (_, index): Point => {
    const angle = from + ((to - from) * index) / (count - 1);
    return { x: x + width * Math.cos(angle), y: y + height * Math.sin(angle) };
  });
const round = (count: number, x: number, y: number, width: number, height: number) =>
  arc(count + 1, x, y, width, height, Math.PI, 3 * Math.PI).slice(0, count);

/** A face in a square of 100, in the order of the landmarks. */
const landmarks: readonly Point[] = [
  ...arc(17, 50, 45, 30, 40, Math.PI, 0),
  ...arc(5, 38, 36, 8, 4, Math.PI, 2 * Math.PI),
  ...arc(5, 62, 36, 8, 4, Math.PI, 2 * Math.PI),
  ...[42, 47, 52, 57].map((y) => ({ x: 50, y })),
  ...[44, 47, 50, 53, 56].map((x) => ({ x, y: 60 })),
  ...round(6, 38, 43, 5, 2.5),
  ...round(6, 62, 43, 5, 2.5),
  ...round(12, 50, 70, 10, 4),
  ...round(8, 50, 70, 7, 1),
];

const scaled = (scale: number): Face => ({
  region: { x: 0.2, y: 0.1, width: 0.6, height: 0.75 },
  score: 1,
  landmarks: landmarks.map(({ x, y }) => ({ x: x * scale, y: y * scale })),
});

const drawn = (side: number, { skin, eyes, lips }: Looks): Promise<Picture> =>
  pictureOf(
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 100 100">
          <rect width="100" height="100" fill="#456"/>
          <ellipse cx="50" cy="45" rx="33" ry="43" fill="${skin}"/>
          <ellipse cx="38" cy="43" rx="5" ry="2.5" fill="${eyes}"/>
          <ellipse cx="62" cy="43" rx="5" ry="2.5" fill="${eyes}"/>
          <ellipse cx="50" cy="70" rx="10" ry="4" fill="${lips}"/>
        </svg>`,
      ),
    ),
  );
const at = ({ pixels, width }: Picture, x: number, y: number): readonly number[] => {
  const from = (Math.round(y * width) * width + Math.round(x * width)) * 4;
  return [...pixels.subarray(from, from + 3)];
};
const off = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? 0))));

test('a face comes in its size, with its eyes and mouth, in the light of the other one', async () => {
  const fair = { skin: '#e0b8a0', eyes: '#1a3a8a', lips: '#c03040' };
  const dark = { skin: '#7a5040', eyes: '#201008', lips: '#6a3838' };
  const target = await drawn(160, dark);
  const before = { ...target, pixels: Buffer.from(target.pixels) };
  const source = await drawn(300, fair);
  const after = withFace(target, scaled(1.6), faceTextureOf(source, scaled(3)));

  expect(after).toBe(target);
  // The cheeks and the chin are as they were: only the features are new.
  for (const [x, y] of [
    [0.3, 0.58],
    [0.7, 0.58],
    [0.5, 0.79],
    [0.5, 0.3],
  ] as const)
    expect(off(at(after, x, y), at(before, x, y))).toBeLessThan(8);
  const [red = 0, , blue = 0] = at(after, 0.38, 0.43);
  expect(blue).toBeGreaterThan(red + 20);
  expect(off(at(after, 0.5, 0.7), at(before, 0.5, 0.7))).toBeGreaterThan(15);
  // Outside the jaw nothing is touched.
  for (const [x, y] of [
    [0.05, 0.5],
    [0.95, 0.5],
    [0.5, 0.95],
    [0.22, 0.85],
  ] as const)
    expect(at(after, x, y)).toEqual(at(before, x, y));
});

test('a face laid over itself is hardly changed', async () => {
  const looks = { skin: '#c09078', eyes: '#203050', lips: '#b04050' };
  const target = await drawn(200, looks);
  const before = { ...target, pixels: Buffer.from(target.pixels) };
  withFace(target, scaled(2), faceTextureOf(before, scaled(2)));
  let sum = 0;
  for (const [index, byte] of before.pixels.entries())
    sum += Math.abs(byte - (target.pixels[index] ?? 0));
  expect(sum / before.pixels.length).toBeLessThan(0.5);
});

test('a face that is not in the picture changes nothing', async () => {
  const target = await drawn(100, { skin: 'tan', eyes: 'black', lips: 'red' });
  const before = Buffer.from(target.pixels);
  const similarity = faceTextureOf(target, scaled(1));
  const away = scaled(1).landmarks.map(({ x, y }) => ({ x: x - 500, y }));
  withFace(target, { ...scaled(1), landmarks: away }, similarity);
  expect(target.pixels.equals(before)).toBe(true);
});

test('a spline takes its points to where they go, and what is between them between', () => {
  const from = scaled(2).landmarks;
  const to = from.map(({ x, y }) => ({ x: 3 * x + 10, y: 2 * y - 5 }));
  const warp = splineOf(from, to);
  for (const [x, y] of [
    [100, 100],
    [60, 90],
    [0, 0],
  ] as const) {
    const there = warp(x, y);
    expect(there.x).toBeCloseTo(3 * x + 10, 3);
    expect(there.y).toBeCloseTo(2 * y - 5, 3);
  }
});
