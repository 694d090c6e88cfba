// What `shotlist explain` prints about the codes of diagnostics.

import { printable } from '../../base/printable.ts';
import { grouped, wrapped } from '../../base/text.ts';
import { groups } from '../../contract/codes/all.ts';
import {
  type Example,
  type Explanation,
  type Finder,
  settingOf,
} from '../../contract/codes/explanation.ts';

/** The columns of a terminal whose width is unknown. */
const defaultWidth = 80;

/** All codes with their titles, by group. */
export const codesText = (): string =>
  groups
    .map(({ title, codes }) =>
      [title, ...Object.entries(codes).map(([code, entry]) => `  ${code}  ${entry.title}`)].join(
        '\n',
      ),
    )
    .join('\n\n');

export function explanationText(
  code: string,
  { title, meaning, warning = false, found = 'validate', wrong, right }: Explanation,
  width = defaultWidth,
): string {
  return [
    `${code}: ${title}`,
    '',
    ...wrapped(meaning, Math.min(width, 100)),
    ...(warning ? ['', 'This is a warning: the command continues.'] : []),
    '',
    ...(isSameText(wrong, right) ? circumstancesText(wrong, right, found) : []),
    ...(isSameText(wrong, right) ? [] : exampleText('Wrong', wrong, found)),
    ...(isSameText(wrong, right) ? [] : ['', ...exampleText('Right', right, found)]),
  ].join('\n');
}

const isSameText = (wrong: Example, right: Example): boolean =>
  bodyText(wrong).join('\n') === bodyText(right).join('\n');

/** Where the file itself is right: it is shown once, and then what is wrong and right around it. */
function circumstancesText(wrong: Example, right: Example, found: Finder): readonly string[] {
  const [bad, good] = [wrong, right].map((one) => circumstances(one, found).slice(2, -1));
  const both = [`Wrong: ${bad || without(good)}`, `Right: ${good || without(bad)}`];
  return ['With this file:', '', ...bodyText(right), '', ...both];
}

const without = (there = ''): string =>
  there.startsWith('with ') ? `without ${there.slice('with '.length)}` : `not ${there}`;

const exampleText = (title: string, example: Example, found: Finder): readonly string[] => [
  `${title}${circumstances(example, found)}:`,
  '',
  ...bodyText(example),
];

const bodyText = (example: Example): readonly string[] => [
  ...indented(shownLines(example)),
  ...shownFiles(example).flatMap(([name, lines]) => ['', `  ${name}:`, '', ...indented(lines)]),
];

const indented = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => (line === '' ? '' : `  ${line}`));

/** The lines of an example, with unsafe characters as escapes. */
export const shownLines = (example: Example): readonly string[] =>
  settingOf(example).pipeline.map((line) => printable(line));

/** The tables of an example, by their names, with the lines that fit. */
export const shownFiles = (example: Example): readonly (readonly [string, readonly string[]])[] =>
  Object.entries(settingOf(example).files ?? {})
    .filter(([name]) => isText(name))
    .slice(0, maxFiles)
    .map(([name, text]) => {
      const lines = text.replace(/\n$/, '').split('\n');
      const more = lines.length - maxLines;
      const shown = lines
        .slice(0, maxLines)
        .map((line) => printable(name.endsWith('.yaml') ? line : shortened(line)));
      const rest = more > 0 ? [`… and ${grouped(more)} more lines`] : [];
      return [name, [...shown, ...rest]];
    });

const maxFiles = 2;
const maxLines = 8;
const shortened = (line: string): string => (line.length > 160 ? `${line.slice(0, 60)}…` : line);
const isText = (name: string): boolean => /\.(csv|jsonl|yaml)$/.test(name);

/** What an example needs besides its file: ` (saved as Latin-1)`. Empty if it needs nothing. */
export function circumstances(example: Example, found: Finder): string {
  const { files = {}, saved, inputs = {}, items, profile, env = {} } = settingOf(example);
  const names = Object.entries(files)
    .filter(([name], index) => !isText(name) || index >= maxFiles)
    .map(([name, text]) => `${name}${contentNote(text)}`);
  const flags = [
    ...Object.entries(inputs).map(([name, value]) => `--input ${name}=${value}`),
    ...(items === undefined ? [] : [`--items ${items}`]),
    ...(profile === undefined ? [] : [`--profile ${profile}`]),
  ];
  const parts = [
    ...(saved === undefined ? [] : [savedAs[saved]]),
    ...(names.length > 0 ? [`beside ${names.join(' and ')}`] : []),
    ...Object.entries(env).map(([name, value]) => `with ${name}=${value}`),
    ...(found === 'validate' || found === 'serve' || flags.length > 0
      ? []
      : [`for shotlist ${found}`]),
    ...(flags.length > 0 ? [`for shotlist ${found} ${flags.join(' ')}`] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** What must be said of a file whose content is not shown. */
const contentNote = (text: string): string => {
  if (text === '') return ', empty';
  return /^<!doctype html/i.test(text) ? ', in fact a web page' : '';
};

const savedAs: Readonly<Record<'latin1' | 'cr', string>> = {
  latin1: 'saved as Latin-1',
  cr: 'with CR as line ends',
};
