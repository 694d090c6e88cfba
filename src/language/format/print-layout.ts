// Layout → text, in the one layout that `fmt` writes.
import type {
  Collection,
  CommentLine,
  Entry,
  Layout,
  Scalar,
  TextBlock,
  Value,
} from './read-layout.ts';

/** The most columns of a line that holds `{ … }` or `[…]`, without its comment. */
const widest = 120;
const step = 2;

export function printLayout({ header, gap, start, root, tail }: Layout): string {
  const { value, lead } = root;
  const isBlock = value?.kind === 'collection' && !value.flow;
  const top = [...comments(header, 0, true), ...start, ...comments(lead, 0)];
  const body = isBlock
    ? printCollection(value, 0)
    : value === undefined
      ? []
      : withValue('', root, 0);
  const lines = [
    ...top,
    ...(gap && top.length > 0 ? [''] : []),
    ...body,
    ...comments(tail, 0, top.length + body.length === 0),
  ];
  return `${lines.join('\n')}\n`;
}

/** No blank line at its beginning, and no two in a row. */
function printCollection({ entries, tail }: Collection, indent: number): readonly string[] {
  const lines = entries.flatMap((entry, index) => [
    ...comments(entry.lead, indent, index === 0),
    ...(entry.blank && (index > 0 || entry.lead.length > 0) ? [''] : []),
    ...withValue(`${pad(indent)}${entry.key === undefined ? '-' : `${entry.key}:`}`, entry, indent),
  ]);
  return [...lines, ...comments(tail, indent, entries.length === 0)];
}

/** `head` is the key or the "-", with its indentation. */
function withValue(head: string, entry: Entry, indent: number): readonly string[] {
  const { value, between, headNote, note } = entry;
  if (value === undefined)
    return [noted(head, headNote ?? note), ...comments(between, indent + step)];
  if (value.kind === 'collection') {
    const text = oneLine(value);
    const apart = headNote !== undefined || between.length > 0;
    const first = apart ? pad(indent + step) : `${head} `;
    if (text !== undefined && (first.length + text.length <= widest || value.entries.length === 0))
      return placed(head, entry, indent, [text]);
    return block(head, entry, value, indent);
  }
  return placed(
    head,
    entry,
    indent,
    value.kind === 'text' ? textLines(value, indent) : scalarLines(value, indent),
  );
}

/** A value that begins on the line of its key, unless a comment is in between. */
function placed(
  head: string,
  { value, between, headNote, note }: Entry,
  indent: number,
  lines: readonly string[],
): readonly string[] {
  const [first = '', ...rest] = lines;
  const inText = value?.kind === 'text';
  const begun = (before: string): readonly string[] =>
    inText || rest.length === 0
      ? [noted(`${before}${first}`, note), ...rest]
      : [`${before}${first}`, ...rest.slice(0, -1), noted(rest.at(-1) ?? '', note)];
  if (headNote === undefined && between.length === 0) return begun(head === '' ? '' : `${head} `);
  return [noted(head, headNote), ...comments(between, indent + step), ...begun(pad(indent + step))];
}

function block(
  head: string,
  { between, headNote, note }: Entry,
  value: Collection,
  indent: number,
): readonly string[] {
  const [endNote, extra] = headNote === undefined ? [note, undefined] : [headNote, note];
  const inner = head === '' ? indent : indent + step;
  const below = [
    ...comments(
      extra === undefined ? between : [...between, { comment: extra, blank: false }],
      inner,
      true,
    ),
    ...printCollection(value, inner),
  ];
  if (head === '') return below;
  const top = noted([head, ...value.props].join(' '), endNote);
  const [first = '', ...rest] = below;
  if (head.endsWith('-') && top === head && !first.trimStart().startsWith('#'))
    return [`${head} ${first.trimStart()}`, ...rest];
  return [top, ...below];
}

const pad = (indent: number): string => ' '.repeat(indent);

const noted = (line: string, note: string | undefined): string =>
  note === undefined ? line : `${line}${line === '' ? '' : ' '}${note}`;

const comments = (
  lines: readonly Pick<CommentLine, 'comment' | 'blank'>[],
  indent: number,
  atStart = false,
): readonly string[] =>
  lines.flatMap(({ comment, blank }, index) => [
    ...(blank && !(atStart && index === 0) ? [''] : []),
    `${pad(indent)}${comment}`,
  ]);

function scalarLines({ props, lines }: Scalar, indent: number): readonly string[] {
  const [first = '', ...rest] = lines;
  return [
    [...props, first].join(' '),
    ...rest.map((line) => (line === '' ? '' : `${pad(indent + step)}${line}`)),
  ];
}

const textLines = ({ props, header, lines }: TextBlock, indent: number): readonly string[] => [
  [...props, header].join(' '),
  ...lines.map((line) => (line === '' ? '' : `${pad(indent + step)}${line}`)),
];

/** `{ a: 1, b: [2, 3] }`; undefined for a block, and where a comment or a line break is inside. */
function oneLine(value: Value): string | undefined {
  if (value.kind === 'text') return undefined;
  if (value.kind === 'scalar')
    return value.lines.length > 1 ? undefined : [...value.props, ...value.lines].join(' ');
  if (!value.flow || value.tail.length > 0) return undefined;
  const parts: string[] = [];
  for (const entry of value.entries) {
    const part = oneLineEntry(entry);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  const inside = parts.join(', ');
  const text = value.type === 'list' ? `[${inside}]` : inside === '' ? '{}' : `{ ${inside} }`;
  return [...value.props, text].join(' ');
}

function oneLineEntry(entry: Entry): string | undefined {
  const { key, value, lead, between, headNote, note } = entry;
  if (lead.length + between.length > 0 || (headNote ?? note) !== undefined) return undefined;
  const text = value === undefined ? '' : oneLine(value);
  if (key === undefined || text === undefined) return text;
  return text === '' ? `${key}:` : `${key}: ${text}`;
}
