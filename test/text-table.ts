// Exhaustive tables as text: every combination of the dimensions, one line for all that end alike.

/** The values of each dimension, by its name. */
export type Dimensions = Readonly<Record<string, readonly string[]>>;
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

/** Values that end alike share a line: "a / b", "all but c", or "*" if all do. */
export function tableOf(dimensions: Dimensions, outcomeOf: (one: Case) => string): string {
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
