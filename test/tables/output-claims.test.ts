// Two tasks never write one place, a file never stands where a folder must be, and what is read is not overwritten.
import { describe, expect, test } from 'vitest';
import { OutputClaims, unusablePlace } from '../../src/core/output-claims.ts';
import { extensionMark } from '../../src/language/result-name.ts';

const root = '/home/me/out';

/** What is said of the last of these downloads; the ones before it must be fine. */
function troubleOf(...places: readonly string[]): string | undefined {
  const claims = new OutputClaims();
  const answers = places.map((to, index) => claims.write(`task ${index + 1}`, to));
  expect(answers.slice(0, -1).filter((answer) => answer !== undefined)).toEqual([]);
  return answers.at(-1)?.message;
}

describe('two downloads', () => {
  test.each([
    ['a.png', 'a.png', 'task 2 and task 1 would both write "a.png"'],
    ['x/a.png', './x//a.png', 'task 2 and task 1 would both write "./x//a.png"'],
    ['x/', 'x/', 'task 2 and task 1 would both write "x/"'],
    [
      ...(['a.png', 'A.png'] as const),
      'task 2 and task 1 would write "A.png" and "a.png", which many disks take for one file',
    ],
    ['x/', 'x/2.png', 'task 2 and task 1 would both write "x/2.png"'],
    ['x/2.png', 'x/', 'task 2 and task 1 would both write "x/2.png"'],
    ['./', '7.mp4', 'task 2 and task 1 would both write "7.mp4"'],
    ['a', 'a/b.png', 'task 2 needs "a" as a folder, and task 1 as a file'],
    ['a/b.png', 'a', 'task 1 needs "a" as a folder, and task 2 as a file'],
    ['a/b', 'a/b/c/d.png', 'task 2 needs "a/b" as a folder, and task 1 as a file'],
    ['a/b/c/d.png', 'a/b', 'task 1 needs "a/b" as a folder, and task 2 as a file'],
    ['a', 'a/', 'task 2 needs "a" as a folder, and task 1 as a file'],
    ['a/', 'a', 'task 1 needs "a" as a folder, and task 2 as a file'],
  ])('to %j and %j are refused', (first, second, why) => {
    expect(troubleOf(first, second)).toBe(why);
  });

  test.each([
    ['a.png', 'b.png'],
    ['x/a.png', 'x/b.png'],
    ['x/a.png', 'y/a.png'],
    ['x/', 'x/a.png'],
    ['x/', 'x/y/1.png'],
    ['a', 'ab/c.png'],
    ['strasse.png', 'straße.png'],
    ['e.png', 'é.png'],
    ['Sub/a.png', 'sub/b.png'],
  ])('to %j and %j are fine', (first, second) => {
    expect(troubleOf(first, second)).toBeUndefined();
  });

  test.each([
    ['a.png', 'A.png'],
    ['é.png', 'E\u0301.png'],
    ['σας.png', 'ΣΑΣ.png'],
    ['x/A/', 'X/a/'],
    ['Sub', 'sUB/a.png'],
    ['x/1.PNG', 'X/'],
  ])(
    'to %j and %j are refused on every system: the disk may be another one tomorrow',
    (...places) => {
      expect(troubleOf(...places)).toMatch(/take for one file|as a folder|both write/);
    },
  );
});

describe('a folder of numbered files', () => {
  test.each(['x/12.png', 'x/3.tar'])('takes the place of %j', (to) => {
    expect(troubleOf('x/', to)).toBe(`task 2 and task 1 would both write ${JSON.stringify(to)}`);
  });

  test.each(['x/12', 'x/a1.png', 'x/1a.png', 'x/1.tar.gz', 'x/.1.png'])(
    'does not take the place of %j',
    (to) => {
      expect(troubleOf('x/', to)).toBeUndefined();
    },
  );

  test('is not read while it is written, whatever the number', () => {
    const claims = new OutputClaims();
    expect(claims.write('save', 'x/')).toBeUndefined();
    expect(claims.read('an input', 'x/10.png')?.message).toBe(
      'save would overwrite "x/10.png", which is an input',
    );
    expect(claims.read('an input', 'x/a.png')).toBeUndefined();
  });
});

describe('files whose extension only the run will know', () => {
  const open = `a.${extensionMark}`;
  const claims = () => new OutputClaims(true);

  test.each([
    [open, open, 'task 2 and task 1 would both write "a.<ext>"'],
    [open, 'a.png', 'task 2 and task 1 would both write "a.png"'],
    ['a.png', open, 'task 2 and task 1 would both write "a.<ext>"'],
    [`x/${open}`, 'x/a.mp4', 'task 2 and task 1 would both write "x/a.mp4"'],
  ])('to %j and %j may be the same', (first, second, why) => {
    const made = claims();
    expect(made.write('task 1', first)).toBeUndefined();
    expect(made.write('task 2', second)?.message).toBe(why);
  });

  test.each([
    [open, 'b.png'],
    [open, 'x/a.png'],
    ['a.png', 'a.jpg'],
    [open, `b.${extensionMark}`],
    [open, 'a.b.png'],
    [open, 'ab'],
  ])('to %j and %j are never the same', (first, second) => {
    const made = claims();
    expect(made.write('task 1', first)).toBeUndefined();
    expect(made.write('task 2', second)).toBeUndefined();
  });
});

test('a place that leaves the output folder is a problem of its task', () => {
  expect(new OutputClaims().write('save:a', '../a.png')?.message).toBe(
    'save:a: to: "../a.png" would leave the output folder',
  );
});

test('who needs a folder first is named', () => {
  expect(troubleOf('a/b.png', 'a/c.png', 'a')).toBe(
    'task 1 needs "a" as a folder, and task 3 as a file',
  );
});

describe('what is read', () => {
  test.each([
    ['a.png', 'a.png', 'save would overwrite "a.png", which is an input'],
    ['x/3.png', 'x/', 'save would overwrite "x/3.png", which is an input'],
    ['a', 'a/b.png', 'save needs "a" as a folder, and an input as a file'],
    ['a/b.png', 'a', 'an input needs "a" as a folder, and save as a file'],
  ])('at %j is not overwritten by a download to %j, whoever comes first', (path, to, why) => {
    const readFirst = new OutputClaims();
    expect(readFirst.read('an input', path)).toBeUndefined();
    expect(readFirst.write('save', to)?.message).toBe(why);
    const writtenFirst = new OutputClaims();
    expect(writtenFirst.write('save', to)).toBeUndefined();
    expect(writtenFirst.read('an input', path)?.message).toBe(why);
  });

  test('may stand beside what is written', () => {
    const claims = new OutputClaims();
    expect(claims.read('an input', 'x/a.png')).toBeUndefined();
    expect(claims.write('save', 'x/b.png')).toBeUndefined();
    expect(claims.read('the same input', 'x/a.png')).toBeUndefined();
  });
});

describe('a name', () => {
  test.each([...'<>:"|?*'])('with %s in it cannot be on Windows, and can elsewhere', (sign) => {
    const to = `at 12${sign}30.png`;
    expect(unusablePlace(to, { platform: 'win32', root })).toBe(
      `to: ${JSON.stringify(to)} contains ${sign}, which no name on Windows can have`,
    );
    expect(unusablePlace(to, { platform: 'linux', root })).toBeUndefined();
    expect(unusablePlace(to, { platform: 'darwin', root })).toBeUndefined();
  });

  test('counts together with the folder that it is in', () => {
    const deep = `/${'d'.repeat(980)}`;
    const inDeep = { platform: 'linux', root: deep };
    expect(unusablePlace('a.png', inDeep)).toBeUndefined();
    expect(unusablePlace(`${'a'.repeat(30)}.png`, inDeep)).toMatch(/is a path of over 1000 bytes$/);
  });

  test('may be as long as 1000 bytes together with the folder, and no longer', () => {
    const place = (root: number) =>
      unusablePlace('a.png', { platform: 'linux', root: 'r'.repeat(root) });
    expect(place(994)).toBeUndefined();
    expect(place(995)).toMatch(/is a path of over 1000 bytes$/);
  });

  test('that would leave the output folder is refused', () => {
    expect(unusablePlace('./x/../a.png', { platform: 'linux', root })).toBe(
      'to: "./x/../a.png" would leave the output folder',
    );
  });
});
