// A part and its note: what a later request may go on from is what is surely on disk, and nothing else.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LocalFile } from '../../src/core/ports.ts';
import {
  contentRangeOf,
  createPart,
  isOtherVersion,
  lengthOf,
  Part,
  removePart,
  standing,
  validatorOf,
} from '../../src/files/part.ts';
import { temporaryFolder } from './places.ts';
import { hash } from './room.ts';

const version = { validator: '"v1"', total: 100 };

interface Spot extends LocalFile {
  readonly note: string;
  readonly names: () => readonly string[];
}

function spot(): Spot {
  const folder = temporaryFolder();
  const path = join(folder, 'a.part');
  return { path, note: `${path}.json`, names: () => readdirSync(folder) };
}

/** A part of which so much came before it was cut. */
async function cut(at: LocalFile, content = 'ten bytes.'): Promise<void> {
  const part = await Part.begin(at, version);
  await part.append(Buffer.from(content));
  await part.leave();
}

const noteOf = ({ note }: Spot): unknown => JSON.parse(readFileSync(note, 'utf8'));

describe('a part that is cut', () => {
  test('stays, with a note that vouches for its bytes', async () => {
    const at = spot();
    await cut(at);
    expect(noteOf(at)).toEqual({ ...version, bytes: 10, sha256: hash('ten bytes.') });
    const found = await standing(at, undefined);
    expect(found).toMatchObject({ version, running: { bytes: 10 } });
    expect(found?.running.hash.copy().digest('hex')).toBe(hash('ten bytes.'));
  });

  test('is gone on with: what comes is written behind what was noted, and hashed with it', async () => {
    const at = spot();
    await cut(at);
    writeFileSync(at.path, 'never synced', { flag: 'a' });
    const found = await standing(at, undefined);
    if (found === undefined) throw new Error('nothing stands');
    const part = await Part.goOn(at, found);
    expect(part.version).toEqual(version);
    await part.append(Buffer.from('and ten.'));
    expect(part.running.bytes).toBe(18);
    await part.leave();
    expect(readFileSync(at.path, 'utf8')).toBe('ten bytes.and ten.');
    expect(noteOf(at)).toMatchObject({ bytes: 18, sha256: hash('ten bytes.and ten.') });
  });

  test('again before anything more came stays as it was', async () => {
    const at = spot();
    await cut(at);
    const found = await standing(at, undefined);
    if (found === undefined) throw new Error('nothing stands');
    await (await Part.goOn(at, found)).leave();
    expect(noteOf(at)).toMatchObject({ bytes: 10 });
    expect(readFileSync(at.path, 'utf8')).toBe('ten bytes.');
  });

  test('when it was gone on with keeps its old note where a new one cannot be written', async () => {
    const at = spot();
    await cut(at);
    const found = await standing(at, undefined);
    if (found === undefined) throw new Error('nothing stands');
    const part = await Part.goOn(at, found);
    await part.append(Buffer.from('more'));
    renameSync(at.note, `${at.note}.old`);
    symlinkSync(`${at.note}.old`, at.note);
    await part.leave();
    expect(at.names()).toContain('a.part');
    expect(JSON.parse(readFileSync(`${at.note}.old`, 'utf8'))).toMatchObject({ bytes: 10 });
  });

  test.each([
    ['nothing came', version, ''],
    ['its version is not known', undefined, 'ten bytes.'],
    ['all of it came', { ...version, total: 10 }, 'ten bytes.'],
    ['more than all of it came', { ...version, total: 9 }, 'ten bytes.'],
  ])('goes where %s: nobody could go on from it', async (_, of, content) => {
    const at = spot();
    const part = await Part.begin(at, of);
    await part.append(Buffer.from(content));
    await part.leave();
    expect(at.names()).toEqual([]);
  });

  test('after each 64 MiB has a note, so that a crash costs no more', async () => {
    const at = spot();
    const size = 64 << 20;
    const part = await Part.begin(at, { ...version, total: size * 3 });
    const content = Buffer.alloc(size);
    await part.append(content.subarray(1));
    expect(existsSync(at.note)).toBe(false);
    await part.append(content.subarray(0, 1));
    expect(noteOf(at)).toMatchObject({ bytes: size, sha256: hash(content) });
    await part.append(content.subarray(1));
    expect(noteOf(at)).toMatchObject({ bytes: size });
    await part.append(content.subarray(0, 1));
    expect(noteOf(at)).toMatchObject({ bytes: 2 * size });
    await part.drop();
    expect(at.names()).toEqual([]);
  });
});

test('a part that is whole has its digest, and loses its note', async () => {
  const at = spot();
  await cut(at);
  const found = await standing(at, undefined);
  if (found === undefined) throw new Error('nothing stands');
  const part = await Part.goOn(at, found);
  await part.append(Buffer.from('end'));
  expect(await part.finish()).toEqual({ bytes: 13, digest: hash('ten bytes.end') });
  expect(at.names()).toEqual(['a.part']);
});

describe('nothing is gone on from', () => {
  const changed =
    (change: (note: Record<string, unknown>) => void) =>
    ({ note }: Spot): void => {
      const value: Record<string, unknown> = JSON.parse(readFileSync(note, 'utf8'));
      change(value);
      writeFileSync(note, JSON.stringify(value));
    };
  const setting = (field: string, value: unknown) =>
    changed((note) => Object.assign(note, { [field]: value }));

  test.each<readonly [string, (at: Spot) => void]>([
    ['there is no note', ({ note }) => renameSync(note, `${note}.away`)],
    ['the part is gone', ({ path }) => renameSync(path, `${path}.away`)],
    ['the part is shorter than its note says', ({ path }) => truncateSync(path, 9)],
    ['a byte of the part was changed', ({ path }) => writeFileSync(path, 'tEn bytes.')],
    [
      'the part is a link',
      ({ path }) => {
        renameSync(path, `${path}.away`);
        symlinkSync(`${path}.away`, path);
      },
    ],
    [
      'the part is a folder',
      ({ path }) => {
        renameSync(path, `${path}.away`);
        mkdirSync(path);
      },
    ],
    [
      'the note is a link',
      ({ note }) => {
        renameSync(note, `${note}.away`);
        symlinkSync(`${note}.away`, note);
      },
    ],
    ['the note is a link to nothing', ({ note }) => renameSync(note, `${note}.away`)],
    ['the note is torn', ({ note }) => truncateSync(note, 20)],
    ['the note is no object', ({ note }) => writeFileSync(note, '[]')],
    ['the note is too long', setting('more', 'x'.repeat(64_000))],
    ['the note says that all of it is there', setting('total', 10)],
    ['the note says that no bytes are there', setting('bytes', 0)],
    ['the note speaks of half a byte', setting('bytes', 9.5)],
    ['the note speaks of half a byte in all', setting('total', 99.5)],
    ['the note gives its bytes as a text', setting('bytes', '10')],
    ['the note has a hash that is none', setting('sha256', 'abc')],
    [
      'the note has a longer hash',
      changed((note) => Object.assign(note, { sha256: `${note['sha256']}0` })),
    ],
    ['the note has another hash', setting('sha256', hash('other'))],
    ['the note has a weak validator', setting('validator', 'W/"v1"')],
    ['the note has a validator that breaks a header', setting('validator', '"v1"\r\nx: y')],
    ['the note has no validator', changed((note) => void delete note['validator'])],
    ['the note has no total', changed((note) => void delete note['total'])],
    ['the note has no bytes', changed((note) => void delete note['bytes'])],
    ['the note has no hash', changed((note) => void delete note['sha256'])],
  ])('where %s', async (_, spoil) => {
    const at = spot();
    await cut(at);
    spoil(at);
    expect(await standing(at, undefined)).toBeUndefined();
  });

  test('where the hash that is known is of other content', async () => {
    const at = spot();
    await cut(at);
    const known = { bytes: 10, hash: createHash('sha256').update('other') };
    expect(await standing(at, known)).toBeUndefined();
  });
});

test('a hash that is known of the noted bytes spares reading them; one of fewer bytes does not', async () => {
  const at = spot();
  await cut(at);
  const known = { bytes: 10, hash: createHash('sha256').update('ten bytes.') };
  expect((await standing(at, known))?.running).toBe(known);
  const fewer = { bytes: 3, hash: createHash('sha256').update('ten') };
  expect((await standing(at, fewer))?.running.bytes).toBe(10);
});

describe('what an earlier run left', () => {
  test('goes with its note when a part is begun anew, also where the note leads nowhere', async () => {
    const at = spot();
    await cut(at);
    await (await createPart(at)).close();
    expect(at.names()).toEqual(['a.part']);
    symlinkSync('nowhere', at.note);
    await (await createPart(at)).close();
    expect(at.names()).toEqual(['a.part']);
  });

  test('goes when it is given up, and may be gone already', async () => {
    const at = spot();
    await cut(at);
    await removePart(at);
    await removePart(at);
    expect(at.names()).toEqual([]);
  });

  test('that is a folder is trouble of the system, which can be told', async () => {
    for (const name of ['path', 'note'] as const) {
      const at = spot();
      mkdirSync(at[name]);
      await expect(createPart(at)).rejects.toMatchObject({
        code: expect.stringMatching(/^(EISDIR|EPERM)$/),
      });
    }
  });
});

// What headers say about the bytes of an answer: only a version that surely names the same bytes is gone on from.

const modified = 'Tue, 04 Aug 2026 10:00:00 GMT';

describe('a version is named by', () => {
  test.each([
    [{ etag: '"v1"' }, '"v1"'],
    [{ etag: '""' }, '""'],
    [{ etag: '"!~"', 'last-modified': modified }, '"!~"'],
    [{ etag: 'W/"v1"' }, undefined],
    [{ etag: '"v1" ' }, undefined],
    [{ etag: ' "v1"' }, undefined],
    [{ etag: '"v"1"' }, undefined],
    [{ etag: '"v 1"' }, undefined],
    [{ etag: '"v\u007f"' }, undefined],
    [{ etag: ['"v1"'] }, undefined],
    [{ 'last-modified': modified }, undefined],
    [{ 'last-modified': modified, date: 'Tue, 04 Aug 2026 10:00:01 GMT' }, modified],
    [{ 'last-modified': modified, date: modified }, undefined],
    [{ 'last-modified': modified, date: 'Tue, 04 Aug 2026 09:00:00 GMT' }, undefined],
    [{ 'last-modified': modified, date: 'soon' }, undefined],
    [{ 'last-modified': '2026-08-04', date: 'Wed, 05 Aug 2026 10:00:00 GMT' }, undefined],
    [{ 'last-modified': [modified], date: 'Wed, 05 Aug 2026 10:00:00 GMT' }, undefined],
    [
      { etag: 'W/"v1"', 'last-modified': modified, date: 'Wed, 05 Aug 2026 10:00:00 GMT' },
      modified,
    ],
    [{ 'last-modified': `x${modified}`, date: 'Wed, 05 Aug 2026 10:00:00 GMT' }, undefined],
    [{ 'last-modified': `${modified}x`, date: 'Wed, 05 Aug 2026 10:00:00 GMT' }, undefined],
    [{ 'last-modified': 'Tue,  GMT', date: 'Wed, 05 Aug 2026 10:00:00 GMT' }, undefined],
    [{}, undefined],
  ])('%j: %s', (headers, validator) => {
    expect(validatorOf(headers)).toBe(validator);
  });
});

describe('an answer is of another version', () => {
  const tagged = { validator: '"v1"', total: 1 };
  const dated = { validator: modified, total: 1 };
  test.each([
    [{ etag: '"v1"' }, tagged, false],
    [{ etag: '"v2"' }, tagged, true],
    [{ etag: ['"v1"'] }, tagged, true],
    [{}, tagged, false],
    [{ 'last-modified': 'x' }, tagged, false],
    [{ 'last-modified': modified }, dated, false],
    [{ 'last-modified': 'x' }, dated, true],
    [{ etag: '"v2"' }, dated, false],
  ])('%j than %j: %s', (headers, version, is) => {
    expect(isOtherVersion(headers, version)).toBe(is);
  });
});

test.each([
  ['0', 0],
  ['3000000', 3_000_000],
  ['-1', undefined],
  ['1x', undefined],
  ['x1', undefined],
  ['', undefined],
  [['1'], undefined],
  [undefined, undefined],
])('a length of %j is %s', (header, length) => {
  expect(lengthOf({ 'content-length': header })).toBe(length);
});

test.each([
  ['bytes 0-9/10', { start: 0, end: 9, total: 10 }],
  ['bytes 12-34/100', { start: 12, end: 34, total: 100 }],
  ['bytes 5-5/6', { start: 5, end: 5, total: 6 }],
  ['bytes 6-5/10', undefined],
  ['bytes 0-10/10', undefined],
  ['bytes 0-9/*', undefined],
  ['bytes */10', undefined],
  ['bytes a-9/10', undefined],
  ['xbytes 0-9/10', undefined],
  ['bytes 0-9/10x', undefined],
  ['bytes 0-9/1a', undefined],
  ['bytes 0-a/10', undefined],
  [undefined, undefined],
])('a range of %j is %j', (header, range) => {
  expect(contentRangeOf({ 'content-range': header })).toEqual(range);
});
