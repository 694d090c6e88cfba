// Small CSV files that people get from elsewhere: read whole, with the separator that they have.
import Papa from 'papaparse';

/** The cells of a row by column, in lower case. */
type SmallRow = ReadonlyMap<string, string>;

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
    .map((row) => new Map(names.map((name, column) => [name, plain(row[column] ?? '')])))
    .filter((cells) => [...cells.values()].some((cell) => cell !== ''));
}

/** Without the mark that keeps a cell from being a formula. */
const plain = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '');
