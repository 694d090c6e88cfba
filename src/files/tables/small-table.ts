// Small CSV files that people fill in or get from elsewhere: read whole, with the separator that they have.
import Papa from 'papaparse';

/** A row by column, in lower case. `line` is right as long as no cell has a line break. */
export interface SmallRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
}

/** Undefined if the text has no header with all of these columns. */
export function readSmallTable(
  text: string,
  columns: readonly string[],
): readonly SmallRow[] | undefined {
  const { data } = Papa.parse<readonly string[]>(text.replace(/^\uFEFF/, '').trimEnd());
  const [header = [], ...rows] = data;
  const names = header.map((name) => name.trim().toLowerCase());
  if (!columns.every((column) => names.includes(column))) return undefined;
  return rows
    .map((row, index) => ({
      line: index + 2,
      cells: new Map(names.map((name, column) => [name, plain(row[column] ?? '')])),
    }))
    .filter(({ cells }) => [...cells.values()].some((cell) => cell !== ''));
}

/** A spreadsheet takes no cell for a formula. */
export const smallTableText = (
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string => `${Papa.unparse([columns, ...rows], { escapeFormulae: true, newline: '\n' })}\n`;

/** Without the mark that keeps a cell from being a formula. */
const plain = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '');
