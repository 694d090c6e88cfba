// Names that are .git or .shotlist on some file system.
import { expect, test } from 'vitest';
import { reservedFolder, toolPart } from '../../src/language/reserved-name.ts';

test.each([
  '.git',
  '.GIT',
  '.git.',
  '.git . ',
  'GIT~1',
  'git~23',
  '.git:a\nb',
  '.git::$INDEX_ALLOCATION',
  '.g\u200cit',
])('%j is .git somewhere', (name) => {
  expect(reservedFolder(name)).toBe('.git');
});

test.each(['.shotlist', '.ShotList', '.shotlist ', 'SHOTLI~1', 'shotli~10'])(
  '%j is .shotlist somewhere',
  (name) => {
    expect(reservedFolder(name)).toBe('.shotlist');
  },
);

test.each([
  'git',
  '.github',
  '.gitignore',
  'a.git',
  '',
  '.',
  'shotlist',
  '.shotlist-notes',
  'my-git~1',
  'git~1a',
  'git~',
  'a-shotli~1',
  'shotli~1x',
])('%j is neither', (name) => {
  expect(reservedFolder(name)).toBeUndefined();
});

test.each([
  'package.json',
  'node_modules/left-pad/index.png',
  '.github/workflows/ci.yml',
  '.gitattributes',
  'src/index.js',
  '.vscode/a.png',
  'Makefile',
])('%s is a place of code or of settings of a tool', (path) => {
  expect(toolPart(path)).toBeDefined();
});
