// Git's conflict markers: which line stands on which side.
import { describe, expect, test } from 'vitest';
import { byteProblem } from '../../../src/base/raw-line.ts';
import { sidesOf } from '../../../src/state/repair/damage.ts';

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
