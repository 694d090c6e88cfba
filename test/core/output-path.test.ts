// Where downloads land: below the output folder, whatever `to` says.

import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalized, outputPath } from '../../src/core/output-path.ts';

const one = { index: 0, count: 1, extension: 'png' };

describe('a place', () => {
  test.each<readonly [string, Parameters<typeof outputPath>[1], string]>([
    ['a.png', one, 'a.png'],
    ['x/./y//a.png', one, 'x/y/a.png'],
    ['./a.png', one, 'a.png'],
    ['a.png', { ...one, count: 2 }, 'a-1.png'],
    ['x/a.png', { ...one, index: 2, count: 3 }, 'x/a-3.png'],
    ['x.y/a', { ...one, index: 1, count: 2 }, 'x.y/a-2'],
    ['.png', { ...one, index: 1, count: 2 }, '.png-2'],
    ['x/', one, 'x/1.png'],
    ['x/', { index: 1, count: 2, extension: 'mp4' }, 'x/2.mp4'],
    ['./', one, '1.png'],
    ['ünïcode 😀.png', one, 'ünïcode 😀.png'],
    ['..a.png', one, '..a.png'],
    ['~a.png', one, '~a.png'],
    ['x/~/a.png', one, 'x/~/a.png'],
    ['common.png', one, 'common.png'],
    ['my-nul', one, 'my-nul'],
    ['lpta.png', one, 'lpta.png'],
    ['comx', one, 'comx'],
    ['nuls.png', one, 'nuls.png'],
    ['a at C:.png', one, 'a at C:.png'],
    ['a.shotlist-1', one, 'a.shotlist-1'],
    ['a'.repeat(240), one, 'a'.repeat(240)],
    [`${'folder/'.repeat(142)}a.png1`, one, `${'folder/'.repeat(142)}a.png1`],
  ])('%j of %j is %s', (to, which, expected) => {
    expect(outputPath(to, which)).toEqual({ ok: true, value: expected });
  });

  test.each([
    ['../a.png', 'would leave'],
    ['x/../../a.png', 'would leave'],
    ['x/..', 'would leave'],
    ['../x/', 'would leave'],
    ['C:/x/', 'not below'],
    ['x\\..\\..\\a.png', 'a backslash'],
    [
      'x\\a.png',
      'contains a backslash, which no name on Windows can have: write "/" between folders',
    ],
    ['back\\slash.png', 'a backslash'],
    ['~/a.png', 'begins with "~", which only a shell expands'],
    ['./~/a.png', 'only a shell expands'],
    ['/etc/passwd', 'not below'],
    ['\\\\server\\a', 'not below'],
    ['C:\\a.png', 'not below'],
    ['c:a.png', 'not below'],
    ['a\u0000.png', 'control character'],
    ['a\n.png', 'control character'],
    ['a\u001b[31m.png', 'control character'],
    ['a\u007f.png', 'control character'],
    ['nul', 'name that Windows reserves'],
    ['lpt9.png', 'name that Windows reserves'],
    ['x/.git/a.png', 'name that git reserves'],
    ['git~1/a.png', 'name that git reserves'],
    ['shotli~1/a.png', 'shotlist reserves'],
    [`${'folder/'.repeat(142)}a.png12`, 'a path of over 1000 bytes'],
    ['x/CON.png', 'name that Windows reserves'],
    ['com1/a.png', 'name that Windows reserves'],
    [`${'a'.repeat(241)}`, 'over 240 bytes'],
    [`x/${'é'.repeat(121)}.png`, 'over 240 bytes'],
    [`${'folder/'.repeat(150)}a.png`, 'a path of over 1000 bytes'],
    ['a.', 'ends in a dot or a space'],
    ['a.png ', 'ends in a dot or a space'],
    ['x./a.png', 'ends in a dot or a space'],
    ['x /a.png', 'ends in a dot or a space'],
    ['.../a.png', 'ends in a dot or a space'],
    ['.shotlist/hashes.db', 'shotlist reserves'],
    ['x/.Shotlist-1.part', 'shotlist reserves'],
    ['', 'does not name a file'],
    ['.', 'does not name a file'],
  ])('cannot be %j: it %s', (to, why) => {
    expect(outputPath(to, one)).toEqual({ ok: false, error: expect.stringContaining(why) });
  });

  test('is shown by its beginning where it is too long', () => {
    const place = outputPath(`${'folder/'.repeat(150)}a.png`, one);
    expect(!place.ok && place.error).toBe(
      `"${'folder/'.repeat(12).slice(0, 79)}… is a path of over 1000 bytes`,
    );
  });

  test('is below the output folder for any text that is taken', () => {
    const parts = fc.array(
      fc.oneof(
        fc.constantFrom('..', '.', '', '/', '\\', 'a', 'C:', '~', '...'),
        fc.string({ maxLength: 3 }),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(parts, fc.constantFrom('/', '\\', ''), fc.nat(3), (names, joint, index) => {
        const path = outputPath(names.join(joint), { index, count: 4, extension: 'png' });
        if (!path.ok) return;
        const place = posix.resolve('/out', path.value);
        expect(place.startsWith('/out/')).toBe(true);
        expect(place).toBe(`/out/${path.value}`);
        expect(path.value).not.toContain('\\');
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  test('is another for every download of a project', () => {
    for (const to of ['a.png', 'x/', 'noext'])
      expect(
        new Set(
          [0, 1, 2].map((index) =>
            JSON.stringify(outputPath(to, { index, count: 3, extension: 'png' })),
          ),
        ).size,
      ).toBe(3);
  });
});

test('paths are compared without "." parts', () => {
  expect(normalized('./x/./a.png')).toEqual({ ok: true, value: 'x/a.png' });
});
