// Bytes that cannot be a line of a state file, whatever they say.
import { expect, test } from 'vitest';
import { byteProblem, zeroBytes, zerosIn } from '../../src/base/raw-line.ts';

const wide = (text: string): string => [...text].map((letter) => `${letter}\0`).join('');

test.each<readonly [string, string | undefined]>([
  ['{"a":1}', undefined],
  ['<<<<<<< HEAD', 'conflict marker of git'],
  ['=======\r', 'conflict marker of git'],
  ['>>>>>>> other', 'conflict marker of git'],
  ['||||||| base', 'conflict marker of git'],
  [wide('{"a":1}12'), 'UTF-16'],
  [`\ufeff${wide('{"a":1}12')}`, 'UTF-16'],
  [`xxxx${wide('{"a":1}12')}`, '9 zero bytes'],
  [wide('{"a":1}'), '7 zero bytes'],
  ['\0', '1 zero byte, left'],
  ['\0\0', '2 zero bytes, left'],
])('%j: %s', (text, trouble) => {
  const found = byteProblem({ text, wellFormed: true, terminated: true });
  if (trouble === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(trouble);
});

test('other bytes are told where nothing else is wrong', () => {
  expect(byteProblem({ text: 'x', wellFormed: false, terminated: true })).toContain('UTF-8');
});

test('zeros are counted wherever they stand', () => {
  expect([zerosIn('abc'), zerosIn('\0a\0\0b'), zerosIn('a\0')]).toEqual([0, 3, 1]);
  expect(zeroBytes(3)).toBe('3 zero bytes, left by a power failure');
});
