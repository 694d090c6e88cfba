// Consents: one file for each trusted pipeline file, outside all repositories, and nothing else is believed.
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import {
  allConsents,
  type Consent,
  consentFor,
  dropConsent,
  keepConsent,
} from '../../src/service-api/consent.ts';
import { replaceUntilEnd } from '../files/patched-fs.ts';
import { temporaryFolder } from '../files/places.ts';

const consent = (text: string, date = '2026-08-05T10:00:00.000Z'): Consent => ({
  digest: digestOf(text),
  address: 'https://api.example.com',
  file: '/home/me/p.yaml',
  grants: ['service'],
  places: {},
  date,
});

/** A user's folder, and where the consents in it are. */
function user(): { readonly env: { readonly XDG_STATE_HOME: string }; readonly trusted: string } {
  const home = temporaryFolder();
  return { env: { XDG_STATE_HOME: home }, trusted: join(home, 'shotlist/trusted') };
}

describe('a consent', () => {
  test('is for the content that it was given for, and for no other', () => {
    const { env } = user();
    keepConsent(consent('a'), env);
    expect(consentFor(digestOf('a'), env)).toEqual(consent('a'));
    expect(consentFor(digestOf('b'), env)).toBeUndefined();
  });

  test('is in a file and a folder that only the user may read', () => {
    const { env, trusted } = user();
    keepConsent(consent('a'), env);
    const file = join(trusted, `${digestOf('a')}.json`);
    expect(readdirSync(trusted)).toEqual([`${digestOf('a')}.json`]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(trusted).mode & 0o777).toBe(0o700);
    const { digest, ...stored } = consent('a');
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(stored)}\n`);
    expect(dirname(file)).not.toContain(digest);
  });

  test('is on disk before it has its name', () => {
    const { env } = user();
    const done: string[] = [];
    const { fsyncSync, renameSync } = fs;
    replaceUntilEnd(fs, {
      fsyncSync: (descriptor: number) => {
        done.push(`sync ${fs.fstatSync(descriptor).size > 0 ? 'all' : 'nothing'}`);
        fsyncSync(descriptor);
      },
      renameSync: (from: string, to: string) => {
        done.push('rename');
        renameSync(from, to);
      },
    });
    keepConsent(consent('a'), env);
    expect(done).toEqual(['sync all', 'rename']);
  });

  test('that is given again takes the place of the first', () => {
    const { env } = user();
    keepConsent(consent('a'), env);
    const later = { ...consent('a', '2026-09-01'), address: 'https://other.example.com' };
    keepConsent(later, env);
    expect(allConsents(env)).toEqual([later]);
  });

  test('that is dropped is gone, and dropping one that is not there is no error', () => {
    const { env } = user();
    keepConsent(consent('a'), env);
    dropConsent(digestOf('a'), env);
    dropConsent(digestOf('a'), env);
    expect(consentFor(digestOf('a'), env)).toBeUndefined();
  });

  test('that cannot be put in its place is an error, and no draft of it stays', () => {
    const { env, trusted } = user();
    mkdirSync(join(trusted, `${digestOf('a')}.json`, 'deep'), { recursive: true });
    expect(() => keepConsent(consent('a'), env)).toThrow();
    expect(readdirSync(trusted)).toEqual([`${digestOf('a')}.json`]);
  });

  test.each([
    ['no JSON', '{"address":'],
    ['a list', '[]'],
    ['no address', '{"file":"/p","date":"d"}'],
    ['no file', '{"address":"a","date":"d"}'],
    ['no date', '{"address":"a","file":"/p"}'],
    ['an empty address', '{"address":"","file":"/p","date":"d"}'],
    ['an empty file', '{"address":"a","file":"","date":"d"}'],
    ['an empty date', '{"address":"a","file":"/p","date":""}'],
    ['an address that is a number', '{"address":1,"file":"/p","date":"d"}'],
    ['a file that is a list', '{"address":"a","file":["/p"],"date":"d"}'],
    ['a date that is a number', '{"address":"a","file":"/p","date":2026}'],
  ])('is not read from a file that holds %s', (_, text) => {
    const { env, trusted } = user();
    mkdirSync(trusted, { recursive: true });
    writeFileSync(join(trusted, `${digestOf('a')}.json`), text);
    expect(consentFor(digestOf('a'), env)).toBeUndefined();
    expect(allConsents(env)).toEqual([]);
  });

  test('has only the fields of a consent, whatever else is in its file', () => {
    const { env, trusted } = user();
    mkdirSync(trusted, { recursive: true });
    const stored = { ...consent('a'), digest: 'x', more: 'y' };
    writeFileSync(join(trusted, `${digestOf('a')}.json`), JSON.stringify(stored));
    expect(consentFor(digestOf('a'), env)).toEqual(consent('a'));
  });

  test('may be as long as 100,000 bytes, and no longer', () => {
    const { env, trusted } = user();
    const long = { ...consent('a'), address: '' };
    const { digest: _digest, ...stored } = long;
    const empty = JSON.stringify(stored).length + 1;
    keepConsent({ ...long, address: 'x'.repeat(100_000 - empty) }, env);
    expect(statSync(join(trusted, `${digestOf('a')}.json`)).size).toBe(100_000);
    expect(consentFor(digestOf('a'), env)).toBeDefined();
    keepConsent({ ...long, address: 'x'.repeat(100_001 - empty) }, env);
    expect(consentFor(digestOf('a'), env)).toBeUndefined();
  });
});

describe('all consents', () => {
  test('come oldest first', () => {
    const { env } = user();
    for (const [text, date] of [
      ['b', '2026-02-01'],
      ['c', '2026-03-01'],
      ['a', '2026-01-01'],
    ] as const)
      keepConsent(consent(text, date), env);
    expect(allConsents(env).map(({ date }) => date)).toEqual([
      '2026-01-01',
      '2026-02-01',
      '2026-03-01',
    ]);
  });

  test('are none where the user has no folder yet, and none is made', () => {
    const { env, trusted } = user();
    expect(allConsents(env)).toEqual([]);
    expect(existsSync(dirname(trusted))).toBe(false);
  });

  test('are those in files that are named by a digest and nothing more', () => {
    const { env, trusted } = user();
    keepConsent(consent('a'), env);
    const text = readFileSync(join(trusted, `${digestOf('a')}.json`), 'utf8');
    for (const name of [
      `${digestOf('b')}.json.0011`,
      `x${digestOf('b')}.json`,
      'b.json',
      `${digestOf('b')}`,
      `${digestOf('b')}xjson`,
      `${digestOf('b').toUpperCase()}.json`,
    ])
      writeFileSync(join(trusted, name), text);
    expect(allConsents(env)).toEqual([consent('a')]);
  });

  test('that cannot be listed are an error, not none', () => {
    const { env, trusted } = user();
    mkdirSync(dirname(trusted));
    symlinkSync(trusted, trusted);
    expect(() => allConsents(env)).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  });
});
