// Exhaustive tables as text: every combination of the dimensions, one line for all that end alike.
import { expectGolden } from './golden.ts';

/** The values of each dimension, by its name. */
type Dimensions = Readonly<Record<string, readonly string[]>>;
export type Case = Readonly<Record<string, string>>;

export function everyCase(dimensions: Dimensions): readonly Case[] {
  return Object.entries(dimensions).reduce<readonly Case[]>(
    (cases, [name, values]) =>
      values.flatMap((value) => cases.map((one) => ({ ...one, [name]: value }))),
    [{}],
  );
}

interface Row {
  readonly cells: readonly (readonly string[])[];
  readonly outcome: string;
}

/** What the combinations of some dimensions end in. */
export type Table = readonly [dimensions: Dimensions, outcomeOf: (one: Case) => string];

/** A golden file of tables, by their titles. A failure names each combination that ends otherwise. */
export function expectTables(
  name: string,
  header: string,
  tables: Readonly<Record<string, Table>>,
): void {
  const all = Object.entries(tables);
  const texts = all.map(([title, [dimensions, of]]) => `## ${title}\n\n${tableOf(dimensions, of)}`);
  expectGolden(name, `${header}\n${texts.join('\n')}`, (before) =>
    all.flatMap(([title, table]) => {
      const [, rows = ''] = before.split(`## ${title}\n\n`);
      return changes(rows.split('\n\n')[0] ?? '', table).map((line) => `${title}: ${line}`);
    }),
  );
}

/** The combinations that do not end as the text says. */
function changes(text: string, [dimensions, outcomeOf]: Table): readonly string[] {
  const ranges = Object.entries(dimensions);
  const rows = text
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/));
  return everyCase(dimensions).flatMap((one) => {
    const row = rows.find((cells) =>
      ranges.every(([name, range], at) => holds(cells[at] ?? '', one[name] ?? '', range)),
    );
    const [was, now] = [row?.at(-1) ?? '→ nothing', `→ ${outcomeOf(one)}`];
    return was === now ? [] : [`${Object.values(one).join(' | ')}  ${was}  now ${now}`];
  });
}

function holds(cell: string, value: string, range: readonly string[]): boolean {
  if (cell === '*') return true;
  const [, others] = /^all but (.*)$/.exec(cell) ?? [];
  if (others !== undefined) return range.includes(value) && !others.split(' / ').includes(value);
  return cell.split(' / ').includes(value);
}

/** Values that end alike share a line: "a / b", "all but c", or "*" if all do. */
function tableOf(dimensions: Dimensions, outcomeOf: (one: Case) => string): string {
  const names = Object.keys(dimensions);
  const ranges = Object.values(dimensions);
  let rows: readonly Row[] = everyCase(dimensions).map((one) => ({
    cells: names.map((name) => [one[name] ?? '']),
    outcome: outcomeOf(one),
  }));
  for (const at of names.keys()) rows = merged(rows, names.length - 1 - at);
  const lines = rows
    .toSorted((one, other) => order(one, other, ranges))
    .map(({ cells, outcome }) => [
      ...cells.map((values, at) => shown(values, ranges[at] ?? [])),
      `→ ${outcome}`,
    ]);
  return aligned([[...names, ''], ...lines]);
}

function shown(values: readonly string[], range: readonly string[]): string {
  const others = range.filter((value) => !values.includes(value));
  if (others.length === 0 && range.length > 1) return '*';
  return others.length <= 2 && values.length > 3
    ? `all but ${others.join(' / ')}`
    : values.join(' / ');
}

function merged(rows: readonly Row[], at: number): readonly Row[] {
  const groups = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify([row.cells.filter((_, index) => index !== at), row.outcome]);
    const before = groups.get(key);
    const values = [...(before?.cells[at] ?? []), ...(row.cells[at] ?? [])];
    groups.set(key, { ...row, cells: row.cells.with(at, values) });
  }
  return [...groups.values()];
}

/** By the first value of each cell, in the order of its dimension. */
function order(one: Row, other: Row, ranges: readonly (readonly string[])[]): number {
  for (const [at, range] of ranges.entries()) {
    const place = ({ cells }: Row): number => range.indexOf(cells[at]?.[0] ?? '');
    const apart = place(one) - place(other);
    if (apart !== 0) return apart;
  }
  return 0;
}

export function aligned(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
