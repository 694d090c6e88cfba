// What is drawn on pictures fits on pictures of every size, whatever words are asked for.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import { drawCard } from '../../../src/previews/pictures/card.ts';
import { wrap } from '../../../src/previews/pictures/lettering.ts';
import { mark, paintClock, timeText } from '../../../src/previews/pictures/mark.ts';
import { finished } from '../../../src/previews/pictures/output.ts';
import type { Picture } from '../../../src/previews/pictures/picture.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-drawing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sizes = [
  [1, 1],
  [2, 3],
  [1, 5000],
  [5000, 1],
  [17, 40],
  [320, 240],
] as const;

/** interface.md, Limits: the longest prompt has 15,000 characters. */
const texts: readonly (readonly [string, string])[] = [
  ['no text', ''],
  ['spaces alone', ' \n\t '],
  ['15,000 letters without a space', 'x'.repeat(15_000)],
  ['thousands of words', 'word '.repeat(3000)],
  ['emoji', '👩‍👩‍👧‍👦 a 🎉'.repeat(40)],
  ['writing from right to left', 'مرحبا بالعالم שלום \u202eabc'],
  ['control characters', '\0\u0001\u0007\u001b[31mred\u007f\u2028\u2029'],
  ['halves of letters', '\ud800lone\udc00'],
];

const blank = (width: number, height: number): Picture => ({
  pixels: Buffer.alloc(width * height * 4, 128),
  width,
  height,
});

describe.each(sizes)('a picture of %i by %i', (width, height) => {
  const size = { width, height };

  test('takes every card, every mark and a clock', async () => {
    for (const [what, text] of texts) {
      const card = { title: text, lines: [text, text], thumbnails: [], key: text };
      const picture = await drawCard(card, size);
      expect(picture, what).toMatchObject(size);
      paintClock(picture, 1, 3);
      mark(picture, text, text);
      expect(picture.pixels).toHaveLength(width * height * 4);
    }
  });

  test('takes thumbnails of every size and number', async () => {
    for (const [across, down, count] of [
      [1, 1, 1],
      [1, 5000, 3],
      [50, 40, 20],
    ] as const) {
      const thumbnails = Array.from({ length: count }, () => ({
        label: 'picture',
        picture: blank(across, down),
      }));
      const card = { title: 'a', lines: [], thumbnails, key: '' };
      expect(await drawCard(card, size)).toMatchObject(size);
    }
  });

  test.each([1, 2, 576])('is saved within the %i pixels that a plan has', async (most) => {
    const tool = toolNamed('photo-colorizer');
    if (tool === undefined) throw new Error('there is such a tool');
    const request = { tool, body: {}, inputs: [], folder, seed: 1, most };
    const outcome = await finished(request, blank(width, height));
    const [saved] = outcome.ok ? outcome.value : [];
    const shorter = Math.min(saved?.width ?? 0, saved?.height ?? 0);
    expect(shorter).toBeGreaterThan(0);
    expect(shorter).toBeLessThanOrEqual(most);
    const { width: across, height: down } = await sharp(join(folder, '0.png')).metadata();
    expect([across, down]).toEqual([saved?.width, saved?.height]);
  });
});

test.each(texts)('%s is broken into lines that fit', (_, text) => {
  for (const length of [0, 1, 2, 3, 4, 30])
    for (const lines of [0, 1, 5]) {
      const wrapped = wrap(text, length, lines);
      expect(wrapped.length).toBeLessThanOrEqual(lines);
      for (const line of wrapped) expect([...line].length).toBeLessThanOrEqual(length || 1);
    }
});

test.each([
  [0, '0:00.00'],
  [9.999, '0:10.00'],
  [65.25, '1:05.25'],
])('a clock shows %d seconds as %s', (seconds, text) => {
  expect(timeText(seconds)).toBe(text);
});
