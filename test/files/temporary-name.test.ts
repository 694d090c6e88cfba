import { expect, test } from 'vitest';
import { isTemporaryName } from '../../src/files/glob-source.ts';

test.each([
  'a.png.part',
  'a.PNG.PART',
  'clip.mp4.crdownload',
  'a.tmp',
  'a.png~',
  '.a.png',
  '.a.png.swp',
  'x.filepart',
])('%s is still being written', (name) => expect(isTemporaryName(name)).toBe(true));

test.each(['a.png', 'part.png', 'a.part.png', 'tmp', 'a~b.png'])('%s is a file', (name) =>
  expect(isTemporaryName(name)).toBe(false),
);
