// What a benchmark is: options in two sizes, rows of plain data, and goals that the rows reach or miss.

export type Options = Readonly<Record<string, number | string | boolean>>;

/** Several measurements of one thing. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export type Cell = string | number | Spread;
/** Cells by the name of their column, which has the unit: `runner items/s`. */
export type Row = Readonly<Record<string, Cell>>;

export interface Goal {
  /** What is measured, with its unit. */
  readonly what: string;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
  /** Undefined if the options left it out. */
  readonly figure: (rows: readonly Row[]) => number | Spread | undefined;
  /** What stands in the way. People read it as long as the goal is missed. */
  readonly obstacle: string;
}

export interface Bench<O extends Options = Options> {
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  /** The options and their defaults. Whatever depends on chance has a `seed`. */
  readonly full: O;
  /** What differs in the tiny form, which `npm test` runs: seconds, for the counts and not for the times. */
  readonly tiny: Partial<NoInfer<O>>;
  readonly goals: readonly Goal[];
  run(options: O): AsyncIterable<Row>;
}

/** Gives a bench the type under which all are kept; `run` still knows its own options. */
export const defineBench = <O extends Options>(bench: Bench<O>): Bench => bench;

export interface Verdict {
  readonly goal: string;
  readonly figure: number | Spread;
  readonly reached: boolean;
  readonly obstacle: string;
}

/** A verdict on each goal that the rows say something about. The median of several figures counts. */
export const verdictsOn = ({ goals }: Bench, rows: readonly Row[]): readonly Verdict[] =>
  goals.flatMap(({ what, bound, figure: figureOf, obstacle }) => {
    const figure = figureOf(rows);
    if (figure === undefined) return [];
    const value = typeof figure === 'number' ? figure : figure.median;
    const [sign, limit, reached] =
      'atLeast' in bound
        ? ['≥', bound.atLeast, value >= bound.atLeast]
        : ['≤', bound.atMost, value <= bound.atMost];
    return [{ goal: `${what} ${sign} ${limit}`, figure, reached, obstacle }];
  });

/** The numbers of a column, in the rows that have it. */
export const column = (rows: readonly Row[], name: string): readonly number[] =>
  rows.flatMap((row) => {
    const cell = row[name];
    if (cell === undefined || typeof cell === 'string') return [];
    return [typeof cell === 'number' ? cell : cell.median];
  });

/** Undefined without numbers. */
export function spreadOf(numbers: readonly number[]): Spread | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return undefined;
  return { median: shareOf(sorted, 0.5), least, most };
}

/** Such as 0.99: the number that this share of them does not exceed. */
export function shareOf(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

/** The spread of a column: what most goals look at. */
export const spreadIn =
  (name: string) =>
  (rows: readonly Row[]): Spread | undefined =>
    spreadOf(column(rows, name));
