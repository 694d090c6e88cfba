// Functions of expressions for paths and file names.
import { basename, dirname, extension, slug, stem } from './file-names.ts';
import { type ExpressionFunction, ours } from './function.ts';

export const fileFunctions: readonly ExpressionFunction[] = [
  ours(
    'basename',
    { 'basename(string): string': basename },
    {
      description: 'The last part of a path.',
      examples: [['basename("photos/cat.jpg")', 'cat.jpg']],
    },
  ),
  ours(
    'dirname',
    { 'dirname(string): string': dirname },
    {
      description: 'A path without its last part; `.` if there is only one part.',
      examples: [['dirname("photos/2026/cat.jpg")', 'photos/2026']],
    },
  ),
  ours(
    'stem',
    { 'stem(string): string': stem },
    {
      description: 'The last part of a path, without its extension.',
      examples: [['stem("photos/cat.jpg")', 'cat']],
    },
  ),
  ours(
    'ext',
    { 'ext(string): string': extension },
    {
      description: 'The extension, without the dot; empty if there is none.',
      examples: [['ext("photos/cat.jpg")', 'jpg']],
    },
  ),
  ours(
    'slug',
    { 'slug(string): string': slug },
    {
      description:
        'A text as a safe part of a file name: lower case, with `-` for everything except letters and digits.',
      examples: [
        ['slug("Crème Brûlée, No. 5!")', 'creme-brulee-no-5'],
        ['slug("Мария Иванова")', 'мария-иванова'],
      ],
    },
  ),
];
