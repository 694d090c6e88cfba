// What `shotlist explain` prints about the codes of diagnostics.
import { printable } from '../../contract/base/printable.ts';
import { groups } from '../../contract/codes/all.ts';
import {
  type Example,
  type Explanation,
  type Finder,
  settingOf,
} from '../../contract/codes/explanation.ts';

/** The columns of a terminal whose width is unknown. */
const usualWidth = 80;

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
  width = usualWidth,
): string {
  return [
    `${code}: ${title}`,
    '',
    wrapped(meaning, Math.min(width, 100)),
    ...(warning ? ['', 'This is a warning: the command continues.'] : []),
    '',
    ...exampleText('Wrong', wrong, found),
    '',
    ...exampleText('Right', right, found),
  ].join('\n');
}

const exampleText = (title: string, example: Example, found: Finder): readonly string[] => [
  `${title}${circumstances(example, found)}:`,
  '',
  ...shownLines(example).map((line) => (line === '' ? '' : `  ${line}`)),
];

/** The lines of an example, with unsafe characters as escapes. */
export const shownLines = (example: Example): readonly string[] =>
  settingOf(example).pipeline.map((line) => printable(line));

/** What an example needs besides its file: ` (saved as Latin-1)`. Empty if it needs nothing. */
export function circumstances(example: Example, found: Finder): string {
  const { files = {}, saved, inputs = {}, items, env = {} } = settingOf(example);
  const names = Object.entries(files).map(([name, text]) =>
    text === '' ? `${name}, empty` : name,
  );
  const flags = [
    ...Object.entries(inputs).map(([name, value]) => `--input ${name}=${value}`),
    ...(items === undefined ? [] : [`--items ${items}`]),
    ...(found === 'schedule' ? ['--print cron'] : []),
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

const savedAs: Readonly<Record<'latin1' | 'cr', string>> = {
  latin1: 'saved as Latin-1',
  cr: 'with CR as line ends',
};

function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}
