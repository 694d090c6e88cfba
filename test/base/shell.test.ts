// Lines that a person pastes into a shell.
import { describe, expect, test } from 'vitest';
import { option, ownCommand, shellPath, shellWord, shotlistLine } from '../../src/base/shell.ts';
import { hostileNames, Paster } from '../pasted.ts';

/** dash does not know `$'…'`. */
const isKnownToSh = (name: string): boolean => !shellWord(name).startsWith('$');

test.each(['sh', 'bash'] as const)(
  'pasted into %s, each name is one word, and nothing runs',
  (shell) => {
    const names = shell === 'bash' ? hostileNames : hostileNames.filter(isKnownToSh);
    const lines = names.map((name) => `shotlist ${shellWord(name)} ${shellWord('')}`);
    const paster = new Paster();
    expect(paster.paste(lines, shell)).toEqual({
      ran: names.map((name) => ['shotlist', name, '']),
      left: [],
    });
    const others = hostileNames.map((name) => `shotlist ${shellWord(name)}`);
    expect(paster.paste(others, shell)).toMatchObject({ ran: { length: others.length }, left: [] });
  },
);

test.each([
  ['photos/a_1.jpg', 'photos/a_1.jpg'],
  ['swap:a.png', 'swap:a.png'],
  ['--budget=5', '--budget=5'],
  ['', "''"],
  ['my photos', "'my photos'"],
  ["it's", "'it'\\''s'"],
  ['C:\\photos\\a b', "'C:\\photos\\a b'"],
  ["\\'", "''\\\\''\\'''"],
  ['a\n1', "$'a\\0121'"],
  ["\u202e'\\!", "$'\\342\\200\\256\\047\\134\\041'"],
])('%j is written %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});

describe('no name becomes a flag', () => {
  test.each([
    ['of a file', shellPath('-rf'), './-rf'],
    [
      'of a task',
      shotlistLine('pick', ['p.yaml', '-x', '2'], ['--hosted']),
      'shotlist pick --hosted -- p.yaml -x 2',
    ],
    [
      'a value',
      shotlistLine('status', ['p.yaml'], option('--items', '-x')),
      'shotlist status p.yaml --items=-x',
    ],
    [
      'beside a placeholder',
      shotlistLine('resolve', ['p.yaml', 'a b'], ['--project', { placeholder: '<id>' }]),
      "shotlist resolve p.yaml 'a b' --project <id>",
    ],
  ])('%s', (_, line, wanted) => {
    expect(line).toBe(wanted);
  });
});

describe('a line begins with what works in the working folder', () => {
  const local = '/home/me/photos/node_modules/.bin/shotlist';
  test.each([
    ['installed in the project', local, '/home/me/photos', 'npx shotlist'],
    ['below the project', local, '/home/me/photos/2026/may', 'npx shotlist'],
    ['outside the project', local, '/home/me', 'shotlist'],
    ['beside the project', local, '/home/me/photos2', 'shotlist'],
    ['the file behind the link', '/p/node_modules/shotlist/bin/shotlist.cjs', '/p', 'npx shotlist'],
    [
      'pnpm',
      '/p/node_modules/.pnpm/shotlist@1.0.0/node_modules/shotlist/bin/shotlist.cjs',
      '/p',
      'npx shotlist',
    ],
    [
      'npx, from its cache',
      '/home/me/.npm/_npx/0ab1/node_modules/.bin/shotlist',
      '/p',
      'npx shotlist',
    ],
    ['installed for everybody', '/usr/local/bin/shotlist', '/p', 'shotlist'],
    [
      'the same, behind the link',
      '/usr/lib/node_modules/shotlist/bin/shotlist.cjs',
      '/p',
      'shotlist',
    ],
    ['a checkout', '/src/shotlist/bin/shotlist.cjs', '/src/shotlist', 'shotlist'],
    ['a program that uses the library', '/p/node_modules/.bin/next', '/p', 'shotlist'],
    ['nothing', '', '/p', 'shotlist'],
  ])('%s', (_, started, folder, command) => {
    expect(ownCommand(started, folder)).toBe(command);
  });
});
