import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Bound, type Errand, Seal, workerSecret } from '../../src/distributed/errand.ts';
import { temporaryFolder } from '../files/places.ts';

const secret = 'a secret of at least 32 characters';
const errand: Errand = {
  task: { do: 'store', file: { path: 'out/a.png', sha256: '0'.repeat(64), bytes: 1 } },
  service: 'https://api.example.com',
  word: 'word',
  under: 'out',
  store: undefined,
};
const bound: Bound = { epoch: 1, id: 'c0ffee', until: 2 };
const seal = new Seal(secret, 'run', 'errands');

describe('a sealed errand', () => {
  test('is opened by whoever has the secret, and shows nothing to others', () => {
    const text = seal.close(bound, errand);
    expect(new Seal(secret, 'run', 'errands').open(bound, text)).toEqual(errand);
    expect(Buffer.from(text, 'base64').toString('latin1')).not.toContain('out/a.png');
  });

  test.each<[string, Seal, Bound]>([
    ['another secret', new Seal(`${secret}!`, 'run', 'errands'), bound],
    ['another run', new Seal(secret, 'other', 'errands'), bound],
    ['the other direction', new Seal(secret, 'run', 'answers'), bound],
    ['another term', seal, { ...bound, epoch: 2 }],
    ['another errand', seal, { ...bound, id: 'decaf' }],
    ['a later end', seal, { ...bound, until: 3 }],
  ])('is not opened for %s', (_, other, about) => {
    expect(other.open(about, seal.close(bound, errand))).toBeUndefined();
  });

  test('is not opened if a bit of it has changed, or if it is none', () => {
    const bytes = Buffer.from(seal.close(bound, errand), 'base64');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(seal.open(bound, changed.toString('base64'))).toBeUndefined();
    }
    for (const text of ['', 'AAAA', '\u0000']) expect(seal.open(bound, text)).toBeUndefined();
  });
});

describe('the secret of the workers', () => {
  test.each([
    [{}],
    [{ SHOTLIST_WORKER_SECRET: 'short' }],
    [{ SHOTLIST_WORKER_SECRET_FILE: '/none' }],
  ])('is refused: %j', (env) => {
    expect(() => workerSecret(env)).toThrow(/SHOTLIST_WORKER_SECRET|secret file/);
  });

  test('is read from the environment, or from a file', () => {
    const file = join(temporaryFolder(), 'secret');
    writeFileSync(file, `${secret}\n`);
    expect(workerSecret({ SHOTLIST_WORKER_SECRET: secret })).toBe(secret);
    expect(workerSecret({ SHOTLIST_WORKER_SECRET_FILE: file })).toBe(secret);
  });
});
