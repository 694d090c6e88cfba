// The tables of functions and of outputs in docs/expressions.md, from the data that registers and
// checks them. `npm run schemas` writes them; a test says when they are stale.
import { kinds } from '../src/contract/kinds.ts';
import { functionGroups } from '../src/language/functions/all.ts';
import type { ExpressionFunction } from '../src/language/functions/function.ts';
import { dateFields } from '../src/language/functions/text-functions.ts';

type Row = readonly string[];

function table(head: Row, rows: readonly Row[]): string {
  return [head, head.map(() => '-'), ...rows]
    .map((cells, index) => (index === 1 ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`))
    .join('\n');
}

/** A bar in a cell ends the cell, also in code. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

const rowOf = ({ signatures, description, examples }: ExpressionFunction): Row => [
  signatures.map(code).join('<br>'),
  description,
  examples.map(([text, value]) => `${code(text)} → ${code(JSON.stringify(value))}`).join('<br>'),
];

const functionTables = (): string =>
  Object.entries(functionGroups)
    .map(
      ([group, functions]) =>
        `### ${group}\n\n${table(['function', 'what it returns', 'example'], functions.map(rowOf))}`,
    )
    .join('\n\n');

const dateTable = (): string =>
  table(
    ['in a format', 'what it stands for'],
    Object.entries(dateFields).map(([letter, [meaning]]) => [code(`%${letter}`), meaning]),
  );

const records = new Set(kinds.flatMap(({ tool }) => tool?.record ?? [])).size;

/** One row for each output, with the kinds that have it. */
function outputTable(): string {
  const rows = new Map<string, { readonly type: string; readonly text: string; of: string[] }>();
  for (const { name, tool, outputs, outputTypes } of kinds)
    for (const [output, text] of Object.entries(outputs)) {
      const of = tool === undefined ? code(name) : `${tool.record} tools`;
      const type = typeName(outputTypes[output] ?? {});
      const key = JSON.stringify([output, type, text]);
      const row = rows.get(key) ?? { type, text, of: [] };
      if (!row.of.includes(of)) row.of.push(of);
      rows.set(key, row);
    }
  return table(
    ['output', 'type', 'of', 'what it is'],
    [...rows].map(([key, { type, text, of }]) => [
      code(String(JSON.parse(key)[0])),
      type,
      of.length === records ? 'all tools' : of.join(', '),
      text,
    ]),
  );
}

function typeName(schema: Readonly<Record<string, unknown>>): string {
  const { type, items, properties } = schema;
  const isPart = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null;
  switch (type) {
    case 'string':
      return 'string';
    case 'integer':
      return 'int';
    case 'number':
      return 'number';
    case 'boolean':
      return 'bool';
    case 'array':
      return isPart(items) ? `list of ${typeName(items)}` : 'list';
    case 'object':
      return isPart(properties) ? code(`{${Object.keys(properties).join(', ')}}`) : 'object';
    default:
      return 'any';
  }
}

const parts: Readonly<Record<string, () => string>> = {
  functions: functionTables,
  'date formats': dateTable,
  outputs: outputTable,
};

/** The page with fresh tables: each stands between two comments that name it. */
export function withTables(page: string): string {
  return Object.entries(parts).reduce(
    (text, [name, make]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`),
        (_, before: string, after: string) => `${before}\n${make()}\n\n${after}`,
      ),
    page,
  );
}
