// Pipelines in many layouts: those that people read, changed at random, and documents made of nothing.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Document, isCollection, isMap, isScalar, parseDocument, Scalar, visit } from 'yaml';
import { blocks, read, root } from '../../examples.ts';

/** The pipelines of the repository and of the pages. */
export const examples: readonly (readonly [string, string])[] = [
  ...readdirSync(join(root, 'pipelines'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name, read(`pipelines/${name}`)] as const),
  ...blocks('yaml').map(({ page, line, text }) => [`${page}:${line}`, text] as const),
];

/** Without comments: what a program reads. */
export const parsed = (text: string): unknown => parseDocument(text, { logLevel: 'error' }).toJS();

export const isYaml = (text: string): boolean =>
  parseDocument(text, { logLevel: 'error' }).errors.length === 0;

/** Changes to the layout of a text. A few change its meaning, too. */
const change = fc.oneof(
  fc.record({ what: fc.constant('comment' as const), line: fc.nat(60), column: fc.nat(10) }),
  fc.record({ what: fc.constant('note' as const), line: fc.nat(60), column: fc.nat(3) }),
  fc.record({ what: fc.constant('blank' as const), line: fc.nat(60), column: fc.nat(3) }),
  fc.record({ what: fc.constant('space' as const), line: fc.nat(60), column: fc.nat(3) }),
);
export const changes = fc.array(change, { maxLength: 8 });

export function changed(
  text: string,
  made: typeof changes extends fc.Arbitrary<infer T> ? T : never,
) {
  const lines = text.trimEnd().split('\n');
  made.forEach(({ what, line, column }, index) => {
    const at = line % (lines.length + 1);
    if (what === 'comment') lines.splice(at, 0, `${' '.repeat(column)}#comment ${index}`);
    if (what === 'blank') lines.splice(at, 0, ...Array<string>(column + 1).fill(''));
    const old = lines[at];
    if (old === undefined) return;
    if (what === 'note') lines[at] = `${old}${' '.repeat(column + 1)}# note ${index}`;
    if (what === 'space') lines[at] = `${old}${' '.repeat(column + 1)}`;
  });
  return `${lines.join('\n')}\n`;
}

const word = fc.oneof(
  fc.constantFrom(
    'a',
    'b c',
    'yes',
    '1e3',
    '0x1f',
    '',
    ' lead',
    'tail ',
    '# no',
    'x: y',
    '- z',
    '*q',
    '&r',
    '!t',
    '{',
    '[',
    "it's",
    '"',
    '\\',
    '${{ item.path }}',
    'a, b',
    'line\nline',
    'line\n\n  more\n',
    '\n',
    'é\u200b',
    '😀',
    'true',
    '~',
    'null',
  ),
  fc.string({ maxLength: 12 }),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(word, tie('value'), { maxKeys: 4 }),
  ),
})).value;

const scalarTypes = [
  Scalar.QUOTE_DOUBLE,
  Scalar.QUOTE_SINGLE,
  Scalar.BLOCK_FOLDED,
  Scalar.BLOCK_LITERAL,
] as const;

/** A value, and how to write it. */
export const documents = fc
  .record({
    value: fc.dictionary(word, json, { minKeys: 1, maxKeys: 4 }),
    indent: fc.constantFrom(1, 2, 3, 4, 7),
    indentSeq: fc.boolean(),
    lineWidth: fc.constantFrom(0, 20, 80),
    styles: fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
  })
  .map(({ value, styles, ...options }) => {
    const document = new Document(value);
    let next = 0;
    const style = (): number => styles[next++ % styles.length] ?? 0;
    visit(document, {
      Node(key, node) {
        // A key of several lines is the one thing that fmt refuses.
        if (key === 'key') return;
        const chosen = style();
        if (isCollection(node) && chosen < 3) node.flow = true;
        const type = scalarTypes[chosen];
        if (isScalar(node) && typeof node.value === 'string' && type !== undefined)
          node.type = type;
        if (chosen === 5 && !isScalar(node)) node.commentBefore = ` before ${next}`;
        if (chosen === 6) node.comment = ` after ${next}`;
        if (chosen === 7 && isMap(node)) node.spaceBefore = true;
      },
    });
    return document.toString(options);
  })
  .filter((text) => isYaml(text) && !/^ *\? /m.test(text));
