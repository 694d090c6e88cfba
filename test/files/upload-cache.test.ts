// What one run knows of the uploads of another one.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UploadCache } from '../../src/files/upload-cache.ts';
import { FakeClock, temporaryFolder } from './places.ts';

const hour = 3_600_000;
const content = 'a'.repeat(64);

function scene() {
  const file = join(temporaryFolder(), 'uploads.db');
  const clock = new FakeClock();
  const open = (account = 'mine'): UploadCache => {
    const cache = new UploadCache({ file, account, clock, sharedForMs: 24 * hour });
    onTestFinished(() => cache.close());
    return cache;
  };
  return { file, clock, open };
}

test('two runs at the same time share the uploads of an account', () => {
  const { open } = scene();
  const [one, other] = [open(), open()];
  expect(one.find(content, 'png')).toBeUndefined();
  one.keep(content, 'png', 'api-assets/1.png');
  expect(other.find(content, 'png')).toBe('api-assets/1.png');
  other.keep(content, 'png', 'api-assets/2.png');
  expect(one.find(content, 'png')).toBe('api-assets/2.png');
});

test('an upload is shared with no other account, no other content and no other extension', () => {
  const { open } = scene();
  open().keep(content, 'png', 'api-assets/1.png');
  expect(open('theirs').find(content, 'png')).toBeUndefined();
  expect(open().find('b'.repeat(64), 'png')).toBeUndefined();
  expect(open().find(content, 'jpg')).toBeUndefined();
});

test('an upload is shared for so long, and not by a clock that has been set back', () => {
  const { open, clock } = scene();
  open().keep(content, 'png', 'api-assets/1.png');
  clock.jump(-1);
  expect(open().find(content, 'png')).toBeUndefined();
  clock.jump(24 * hour);
  expect(open().find(content, 'png')).toBe('api-assets/1.png');
  clock.jump(1);
  expect(open().find(content, 'png')).toBeUndefined();
});

test('a file that is no database is replaced', () => {
  const { open, file } = scene();
  writeFileSync(file, 'not a database');
  const cache = open();
  expect(cache.find(content, 'png')).toBeUndefined();
  cache.keep(content, 'png', 'api-assets/1.png');
  expect(open().find(content, 'png')).toBe('api-assets/1.png');
  expect(readFileSync(file, 'latin1')).toContain('SQLite');
});

test('a file that cannot be used is no failure', () => {
  const file = temporaryFolder();
  const cache = new UploadCache({
    ...{ file, account: 'mine', clock: new FakeClock(), sharedForMs: hour },
  });
  onTestFinished(() => cache.close());
  cache.keep(content, 'png', 'api-assets/1.png');
  expect(cache.find(content, 'png')).toBe('api-assets/1.png');
});
