// What is said of each damaged line, and what is kept of it.
import { describe, expect, test } from 'vitest';
import { byteProblem, type RawLine } from '../../../../src/base/raw-line.ts';
import { type Damage, examine, isSame, sidesOf } from '../../../../src/state/repair/damage.ts';
import { intent, job, numbered, run, supplied } from '../../../model/lines.ts';
import { header } from '../../../tables/damaged.ts';

const first = JSON.stringify(header);
const [one = '', two = ''] = numbered([run(), supplied()]).map((line) => JSON.stringify(line));
const line = (text: string, more: Partial<RawLine> = {}): RawLine => ({
  ...{ text, wellFormed: true, terminated: true, ...more },
});
/** The damage of the third line. */
function damageOf(text: string, more: Partial<RawLine> = {}): Damage | undefined {
  return examine([line(first), line(one), line(text, more)]).damages[0];
}

describe('a damage is told', () => {
  test.each<readonly [string, string, Partial<RawLine>, Partial<Damage>]>([
    ['an empty line', ' \r', {}, { kind: 'line-ends' }],
    ['an empty line', '', {}, { kind: 'blank', what: 'an empty line' }],
    ['a byte order mark', `\ufeff${two}`, {}, { kind: 'bom' }],
    [
      'two lines behind a byte order mark',
      `\ufeff${two}${two}`,
      {},
      { kind: 'glued', what: '2 lines with no line end between them' },
    ],
    ['a byte order mark and more', `\ufeff${two}x`, {}, { kind: 'glued' }],
    ['zeros', '\0\0', {}, { kind: 'zeros', what: '2 zero bytes, left by a power failure' }],
    [
      'zeros before a line',
      `\0${two}`,
      {},
      {
        kind: 'zeros',
        what: '1 zero byte, left by a power failure; a whole line in it can be read',
      },
    ],
    [
      'zeros before two lines',
      `\0${two}${two}`,
      {},
      {
        kind: 'zeros',
        what: '1 zero byte, left by a power failure; 2 whole lines in it can be read',
      },
    ],
    [
      'bytes that are no text',
      'x\ufffd',
      { wellFormed: false },
      { kind: 'bytes', what: 'bytes that are not text (UTF-8)' },
    ],
    [
      'two lines in one',
      `${two}${two}`,
      {},
      { kind: 'glued', what: '2 lines with no line end between them' },
    ],
    [
      'a cut line before another one',
      `{"seq":1,"ev${two}`,
      {},
      {
        kind: 'glued',
        what: 'a line that was cut off, and another one joined to it; a whole line in it can be read',
      },
    ],
    [
      'a last line that is cut and no event',
      '{"job":"x',
      { terminated: false },
      {
        kind: 'cut',
        what: 'the file ends here in the middle of a line, and what followed is lost',
      },
    ],
    ['no JSON', 'x', {}, { kind: 'not-json', what: 'it is not JSON' }],
    [
      'other JSON',
      '{"a":1}',
      {},
      {
        kind: 'schema',
        what: 'not a line that this version can read: it is not a line of a state file',
      },
    ],
  ])('as %s (%j)', (_, text, more, expected) => {
    expect(damageOf(text, more)).toMatchObject(expected);
  });

  test('with the beginning of its line, and of an empty one without', () => {
    expect(damageOf('x'.repeat(500))?.begins).toBe('x'.repeat(400));
    expect(damageOf('')).not.toHaveProperty('begins');
  });

  test.each([
    ['its task', `{"job":"${job('a')}","task":"swap:a","at":#`, ['swap:a']],
    ['its tasks', `{"job":"${job('a')}","tasks":["x","y"],"at":#`, ['x', 'y']],
    ['no task', `{"job":"${job('a')}","at":#`, []],
    ['no task, behind another line', `{"seq":9,#${two}{"job":"${job('a')}",#`, []],
  ])('with its job and %s', (_, text, tasks) => {
    expect(damageOf(text)).toMatchObject({ job: job('a'), tasks });
  });

  test('without a job where none is named', () => {
    const found = damageOf('{"task":"swap:a","at":#');
    expect(found).not.toHaveProperty('job');
    expect(found).not.toHaveProperty('tasks');
  });

  test('as harmless where the end of the next event is torn, of either format', () => {
    const torn = { terminated: false };
    for (const text of ['{"seq":2,"event":"serv', '{"seq":2,"event":"refu'])
      expect(damageOf(text, torn)).toMatchObject({ line: 3, kind: 'torn', harmless: true });
    expect(damageOf('{"seq":3,"event":"serv', torn)).toMatchObject({ kind: 'cut' });
  });
});

describe('what cannot be read of a line is kept as', () => {
  const unreadOf = (...raw: readonly RawLine[]): unknown =>
    examine([line(first), ...raw]).unread.map(({ number, fields, atEnd }) => [
      number,
      fields,
      atEnd,
    ]);
  const cut = JSON.stringify(numbered([intent()])[0]).slice(0, 20);

  test.each([
    ['its fields', [line(`${cut},#`)], [[2, { seq: 1 }, undefined]]],
    ['nothing, where nothing is left but zeros', [line('\0'), line(one)], [[2, {}, false]]],
    ['an end that may hide more, where zeros end the file', [line('\0')], [[2, {}, true]]],
    ['the rest that stands behind zeros', [line('\0x')], [[2, {}, undefined]]],
    [
      'its fields and more that is lost, where the file ends in it',
      [line('{"run":1,"at', { terminated: false })],
      [
        [2, { run: 1 }, undefined],
        [2, {}, false],
      ],
    ],
    ['nothing at all, where the line is empty', [line('')], []],
  ])('%s', (_, raw, unread) => {
    expect(unreadOf(...raw)).toEqual(unread);
  });
});

test('only two objects that say the same are the same', () => {
  expect(isSame({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(isSame({ a: 1 }, { a: 2 })).toBe(false);
  expect(isSame(undefined, undefined)).toBe(false);
  expect(isSame({}, undefined)).toBe(false);
  expect(isSame(undefined, {})).toBe(false);
});

// Git's conflict markers: which line stands on which side.

const ours = '<<<<<<< HEAD';
const base = '||||||| 1234567';
const middle = '=======';
const theirs = '>>>>>>> other';

describe('a conflict', () => {
  test('has two sides, and what they began with where git shows it', () => {
    expect(sidesOf(['a', ours, 'b', base, 'c', middle, 'd', theirs, 'e'])).toEqual({
      conflicts: [{ from: 2, until: 8, whole: true }],
      stray: [],
      of: ['both', undefined, 'ours', undefined, 'base', undefined, 'theirs', undefined, 'both'],
    });
  });

  test('is known with the line ends of another system too, and by its bare markers', () => {
    const lines = [ours, 'b\r', middle, 'd\r', theirs].map((line) => line.slice(0, 7));
    const windows = sidesOf(lines.map((line) => `${line}\r`));
    expect(windows.conflicts).toEqual([{ from: 1, until: 5, whole: true }]);
    expect(windows.of).toEqual([undefined, 'ours', undefined, 'theirs', undefined]);
    expect(sidesOf(lines)).toEqual(windows);
    for (const text of [`${middle}\r`, middle, ours])
      expect(byteProblem({ text, wellFormed: true, terminated: true })).toContain('of git');
  });

  test('without an end goes up to the next one', () => {
    expect(sidesOf([ours, 'a', middle, 'b', ours, 'c', middle, 'd', theirs])).toEqual({
      conflicts: [
        { from: 1, until: 4, whole: false },
        { from: 5, until: 9, whole: true },
      ],
      stray: [],
      of: [
        ...[undefined, 'ours', undefined, 'theirs'],
        ...[undefined, 'ours', undefined, 'theirs', undefined],
      ],
    });
  });

  test('without an end and without another one goes up to the last line', () => {
    expect(sidesOf([ours, 'a', middle, 'b']).conflicts).toEqual([
      { from: 1, until: 4, whole: false },
    ]);
  });

  test('without a middle is not whole, and all of it is ours', () => {
    expect(sidesOf([ours, 'a', theirs, 'b'])).toEqual({
      conflicts: [{ from: 1, until: 3, whole: false }],
      stray: [],
      of: [undefined, 'ours', undefined, 'both'],
    });
    // What both began with is no side either.
    expect(sidesOf([ours, 'a', base, 'b', theirs]).conflicts).toMatchObject([{ whole: false }]);
  });
});

test.each([
  ['a middle', middle],
  ['an end', theirs],
  ['a base', base],
])('%s outside of a conflict is stray, and the lines around it stand on both sides', (_, mark) => {
  expect(sidesOf(['a', mark, 'b'])).toEqual({
    conflicts: [],
    stray: [2],
    of: ['both', undefined, 'both'],
  });
});

test.each([
  ['a base after the middle', [ours, 'a', middle, 'b', base, 'c', theirs]],
  ['a second middle', [ours, 'a', middle, 'b', middle, 'c', theirs]],
])('%s is stray, and the lines behind it stay with theirs', (_, lines) => {
  const { stray, of, conflicts } = sidesOf(lines);
  expect(stray).toEqual([5]);
  expect(of[5]).toBe('theirs');
  expect(conflicts).toMatchObject([{ whole: true }]);
});

test.each(['<<<<<<<< eight', '<<<<<<', ' <<<<<<< HEAD', '{"<<<<<<<":1}', '=======x'])(
  '%s is no marker',
  (text) => {
    expect(sidesOf([text]).of).toEqual(['both']);
  },
);
