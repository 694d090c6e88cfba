// What a glob met that is no item, as sentences.
import { expect, test } from 'vitest';
import type { Odd } from '../../src/files/find-files.ts';
import { oddSentences } from '../../src/files/glob-source.ts';

const sentences = (is: Odd['is'], why: string, ...paths: readonly string[]): readonly string[] =>
  oddSentences(
    paths.map((path) => ({ is, path, why })),
    (path) => `p/${path}`,
  );

test.each<readonly [Odd['is'], string, string, string]>([
  ['broken', 'w', 'p/a is ignored: the link leads nowhere', 'are ignored: the links lead nowhere'],
  [
    'special',
    'w',
    'p/a is ignored: it is not a regular file',
    'are ignored: they are not regular files',
  ],
  [
    'undecodable',
    'w',
    'p/a is ignored: the name is not valid UTF-8; rename the file',
    'are ignored: the names are not valid UTF-8; rename the files',
  ],
  [
    'repeated',
    'w',
    'p/a is not searched: another link leads to the same folder',
    'are not searched: other links lead to the same folders',
  ],
  [
    'outside',
    'is outside',
    'p/a is a link that is not followed: it is outside',
    'are links that are not followed: each is outside',
  ],
  [
    'unreadable',
    'cannot be read',
    'p/a is not searched: the folder cannot be read',
    'are not searched: the folder cannot be read',
  ],
])('%s', (is, why, one, many) => {
  expect(sentences(is, why, 'a')).toEqual([one]);
  expect(sentences(is, why, 'a', 'b')).toEqual([`p/a and p/b ${many}`]);
  expect(sentences(is, why, 'a', 'b', 'c')).toEqual([`p/a, p/b and p/c ${many}`]);
  expect(sentences(is, why, 'a', 'b', 'c', 'd')).toEqual([`p/a, p/b, p/c and 1 more ${many}`]);
  expect(sentences(is, why, ...Array.from({ length: 1203 }, () => 'a'))).toEqual([
    `p/a, p/a, p/a and 1,200 more ${many}`,
  ]);
});

test('each kind of trouble, and each reason, has a sentence of its own', () => {
  expect(
    oddSentences(
      [
        { is: 'unreadable', path: 'a', why: 'is locked' },
        { is: 'unreadable', path: 'b', why: 'is torn' },
        { is: 'broken', path: 'c', why: 'is locked' },
        { is: 'unreadable', path: 'd', why: 'is locked' },
      ],
      (path) => path,
    ),
  ).toEqual([
    'a and d are not searched: the folder is locked',
    'b is not searched: the folder is torn',
    'c is ignored: the link leads nowhere',
  ]);
  expect(oddSentences([], (path) => path)).toEqual([]);
});
