// The codes of diagnostics: stable, in their groups, in plain sentences, and on a page that says the same.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { diagnosticsPage, pagePath, publishedCodes } from '../../../docs/generate.ts';
import { explanations, groups, retired } from '../../../src/contract/codes/all.ts';

test('docs/diagnostics.md is what the code says (else: npm run diagnostics)', () => {
  expect(readFileSync(pagePath, 'utf8')).toBe(diagnosticsPage());
});

test('a published code is still there, or retired', () => {
  const known = [...explanations.keys(), ...retired.keys()];
  const published = publishedCodes();
  if (!Array.isArray(published)) throw new Error('the file of published codes holds no list');
  for (const code of published) expect(known).toContain(code);
});

test('a retired code is not used again', () => {
  for (const code of retired.keys()) expect([...explanations.keys()]).not.toContain(code);
});

test('each group has one hundred, and its codes are in order', () => {
  const hundreds = groups.map(({ codes }) => {
    const numbers = Object.keys(codes).map((code) => Number(/^SL(\d{3})$/.exec(code)?.[1]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const [hundred, ...others] = new Set(numbers.map((number) => Math.floor(number / 100)));
    expect(others).toEqual([]);
    return hundred;
  });
  expect(hundreds).toEqual(groups.map((_, index) => index));
});

test.each([...explanations])('%s is explained in whole sentences', (_code, entry) => {
  const { title, meaning } = entry;
  expect(title).toMatch(/^[A-Z`].*\S\.$/);
  expect(title).not.toContain('. ');
  expect(meaning).toMatch(/\.$/);
  expect(title.length).toBeLessThanOrEqual(80);
  // Outside of `code`, Markdown would read these as its own.
  expect(`${title} ${meaning}`.replace(/`[^`]*`/g, '')).not.toMatch(/[<*_`]/);
});
