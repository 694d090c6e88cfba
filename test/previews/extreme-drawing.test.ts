// What is drawn on pictures fits on pictures of every size, whatever words are asked for.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { card } from '../../src/previews/pictures/card.ts';
import { withInsets } from '../../src/previews/insets.ts';
import { keep } from '../../src/previews/keep.ts';
import { lettering, wrap } from '../../src/previews/pictures/lettering.ts';
import { marked } from '../../src/previews/pictures/mark.ts';
import type { Picture } from '../../src/previews/pictures/picture.ts';

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
  ['tags and quotes', '</svg><script>&amp;"\''],
];

const blank = (width: number, height: number): Picture => ({
  pixels: Buffer.alloc(width * height * 4, 128),
  width,
  height,
});

describe.each(sizes)('a picture of %i by %i', (width, height) => {
  const size = { width, height };

  test('takes every card, and every mark', async () => {
    for (const [what, text] of texts) {
      expect(await card(text, text, size), what).toMatchObject(size);
      expect(await marked(blank(width, height), text, text), what).toMatchObject(size);
    }
  });

  test('takes insets of every size and number', async () => {
    for (const [across, down, count] of [
      [1, 1, 1],
      [1, 5000, 3],
      [50, 40, 20],
    ] as const) {
      const insets = Array.from({ length: count }, () => blank(across, down));
      expect(await withInsets(blank(width, height), insets)).toMatchObject(size);
    }
  });

  test.each([1, 2, 576])('is kept within the %i pixels that a plan has', async (most) => {
    const kept = await keep(blank(width, height), { folder, most }, `${most}.png`);
    const shorter = Math.min(kept.width ?? 0, kept.height ?? 0);
    expect(shorter).toBeGreaterThan(0);
    expect(shorter).toBeLessThanOrEqual(most);
    const { width: across, height: down } = await sharp(join(folder, kept.name)).metadata();
    expect([across, down]).toEqual([kept.width, kept.height]);
  });
});

describe.each(texts)('%s', (_, text) => {
  test('is broken into lines that fit', () => {
    for (const length of [0, 1, 2, 3, 4, 30])
      for (const lines of [0, 1, 5]) {
        const wrapped = wrap(text, length, lines);
        expect(wrapped.length).toBeLessThanOrEqual(lines);
        for (const line of wrapped) expect([...line].length).toBeLessThanOrEqual(length || 1);
      }
  });

  test('is drawn with strokes alone', () => {
    expect(lettering(text, 0, 0, 1)).toMatch(/^[Mhvz\d .-]*$/);
  });
});
