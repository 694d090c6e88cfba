// A CSV file as a table: a header, then a row for each item. Checked once from beginning to end; after that, rows are read
// again from the snapshot when somebody asks for them.
import { Readable } from 'node:stream';
import Papa from 'papaparse';
import type { Json, JsonObject } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { ColumnType } from '../../language/items.ts';
import type { CellPlace } from '../../model/item.ts';
import {
  chunksOf,
  type EmptyRows,
  maxEmptyLines,
  maxProblems,
  maxRowBytes,
  placeIn,
  Snapshot,
  type Table,
  type TableProblem,
  TableText,
} from './table.ts';

export interface CsvOptions {
  readonly delimiter: string;
  readonly types: Readonly<Record<string, ColumnType>>;
  /** What is wrong with the use of these columns elsewhere; the rows are read only if nothing is. */
  readonly check: (columns: readonly string[]) => boolean;
}

const tooLong = {
  code: 'SL523',
  message: `a row is longer than ${maxRowBytes / 1e6} MB`,
  hint: 'look for a quotation mark that is not closed',
} as const;

/** The number of rows that are parsed together. */
const rowsAtOnce = 256;

/** Throws system errors. An empty list of problems: `check` refuses the columns. */
export async function openCsv(
  path: string,
  options: CsvOptions,
): Promise<Result<Table, readonly TableProblem[]>> {
  const table = new CsvTable(options);
  try {
    const problems = await table.load(path);
    if (problems === undefined) return ok(table);
    table.close();
    return err(problems);
  } catch (error) {
    table.close();
    throw error;
  }
}

class CsvTable implements Table {
  readonly #o: CsvOptions;
  readonly #snapshot = new Snapshot();
  /** The offset of each row in bytes. */
  readonly #rows: number[] = [];
  /** Empty for a column without a name, in which no row has a value. */
  #header: readonly string[] | undefined;
  emptyRows: EmptyRows = { count: 0, lines: [] };
  /** The same, with the blank lines after the last row. */
  #emptySoFar = this.emptyRows;
  /** The columns without a name of which a value was reported: one is enough. */
  readonly #nameless = new Set<number>();
  #block = { index: -1, rows: [] as readonly (readonly string[])[] };

  constructor(options: CsvOptions) {
    this.#o = options;
  }

  get columns(): readonly string[] {
    return (this.#header ?? []).filter((name) => name !== '');
  }

  get count(): number {
    return this.#rows.length;
  }

  close(): void {
    this.#snapshot.close();
  }

  /** Undefined if the whole table is right. */
  async load(path: string): Promise<readonly TableProblem[] | undefined> {
    const problems: TableProblem[] = [];
    const text = new TableText(this.#snapshot);
    let [waiting, waitingFrom, offset] = ['', 0, 0];
    let [unread, isCut] = [false, false];
    const isFull = (): boolean => unread || problems.length >= maxProblems;
    const chunks = async function* (snapshot: Snapshot): AsyncGenerator<string> {
      const take = (chunk: Buffer | undefined): string | undefined => {
        const next = text.next(chunk);
        if (next === undefined) problems.push(text.problem(chunk?.length ?? 0));
        if (next === undefined) unread = true;
        waiting += next ?? '';
        return next;
      };
      for await (const chunk of chunksOf(path, snapshot)) {
        const next = take(chunk);
        if (next === undefined) return;
        yield next;
        // The parser is at most two chunks behind.
        if (waiting.length <= maxRowBytes + (1 << 18)) continue;
        isCut = true;
        return;
      }
      yield take(undefined) ?? '';
    };
    const row = ({ data, meta, errors }: Papa.ParseStepResult<string[]>): void => {
      if (offset === 0 && this.#snapshot.read(0, 3).equals(byteOrderMark)) offset = 3;
      const raw = waiting.slice(0, meta.cursor - waitingFrom);
      waiting = waiting.slice(raw.length);
      waitingFrom = meta.cursor;
      const start = offset;
      offset += Buffer.byteLength(raw);
      if (isFull()) return;
      const cells = withoutReturns(data);
      if (isBlank(cells)) return this.#leaveOut(cells, start);
      const sign = start <= 3 ? separatorIn(raw) : undefined;
      if (sign === this.#o.delimiter) return;
      this.emptyRows = this.#emptySoFar;
      if (errors.length > 0) problems.push(this.#badQuotes(start, raw, errors[0]?.code));
      else if (raw.length > maxRowBytes)
        problems.push({ ...tooLong, cell: this.#place(start, raw, { start: 0, end: 1 }) });
      else if (sign !== undefined) {
        const cell = this.#place(start, raw, { start: 0, end: 5 });
        problems.push({ ...otherSeparator(sign), cell });
        unread = true;
      } else if (this.#header === undefined) {
        problems.push(...checkHeader(cells, this.#o, (at) => this.#placeOf(start, raw, at)));
        this.#header = namesOf(cells);
        if (problems.length === 0 && !this.#o.check(this.columns)) unread = true;
      } else {
        problems.push(...this.#wrongIn(cells, start, raw));
        this.#rows.push(start);
      }
    };
    await new Promise<void>((resolve, reject) => {
      Papa.parse<string[], Readable>(Readable.from(chunks(this.#snapshot), { highWaterMark: 1 }), {
        delimiter: this.#o.delimiter,
        newline: '\n',
        step: (result, parser) => {
          row(result);
          if (isFull()) parser.abort();
        },
        complete: () => resolve(),
        error: reject,
      });
    });
    if (isCut && problems.length === 0) return [tooLong];
    if (this.#header === undefined && problems.length === 0)
      return [
        {
          code: 'SL516',
          message: 'the table is empty: it needs a header and rows',
          hint: 'write the names of the columns in the first line, and a row for each item below it',
        },
      ];
    return problems.length > 0 || unread ? problems : undefined;
  }

  /** Above the header, there are no rows yet. */
  #leaveOut(cells: readonly string[], start: number): void {
    if (this.#header === undefined) return;
    const { count, lines } = this.#emptySoFar;
    const next = lines.length < maxEmptyLines ? [this.#snapshot.lineAt(start)] : [];
    this.#emptySoFar = { count: count + 1, lines: [...lines, ...next] };
    if (cells.length > 1) this.emptyRows = this.#emptySoFar;
  }

  #badQuotes(start: number, raw: string, code: string | undefined): TableProblem {
    const cells = cellsOf(raw, this.#o.delimiter);
    const quoted = cells.findLastIndex(({ start: at }) => raw[at] === '"');
    const from = cells[Math.max(0, quoted)]?.start ?? 0;
    const cell = this.#place(start, raw, { start: from, end: from + 1 });
    return code === 'InvalidQuotes'
      ? {
          code: 'SL520',
          message: 'after the closing quotation mark of a value comes more text',
          hint: 'inside a quoted value, write a quotation mark twice: "a ""big"" day"',
          cell,
        }
      : {
          code: 'SL520',
          message: 'the quotation mark that opens this value is never closed',
          hint: 'close it after the value; inside the value, write a quotation mark twice',
          cell,
        };
  }

  /** The values of a row that are too many, too few or of another type. */
  #wrongIn(cells: readonly string[], start: number, raw: string): readonly TableProblem[] {
    const { columns } = this;
    const header = this.#header ?? [];
    const unnamed = cells.findIndex((cell, at) => header[at] === '' && cell.trim() !== '');
    if (unnamed >= 0) {
      if (this.#nameless.has(unnamed)) return [];
      this.#nameless.add(unnamed);
      return [{ ...nameless(unnamed), cell: this.#placeOf(start, raw, unnamed) }];
    }
    // A spreadsheet ends rows with empty values, or leaves them out.
    const extra = cells.findLastIndex((cell) => cell.trim() !== '') >= header.length;
    if (extra || cells.length <= header.findLastIndex((name) => name !== '')) {
      const values = `${cells.length} ${cells.length === 1 ? 'value' : 'values'}`;
      const message = `the row has ${values}, but the header has ${columns.length} columns`;
      const at = extra ? header.length : cells.length - 1;
      const missing = header
        .slice(cells.length)
        .filter((name) => name !== '')
        .join(', ');
      const hint = extra
        ? `a value that contains ${JSON.stringify(this.#o.delimiter)} must be in quotation marks`
        : `missing: ${missing}`;
      return [{ code: 'SL519', message, hint, cell: this.#placeOf(start, raw, at) }];
    }
    return Object.entries(this.#o.types).flatMap(([column, type]) => {
      const index = header.indexOf(column);
      const value = cellValue(cells[index] ?? '', type);
      if (value.ok) return [];
      const message = `${column}: ${value.error}`;
      const right = type === 'number' ? 'a number such as 3.5' : 'true or false';
      const hint = `write ${right}, or remove ${column} from items.types to read it as text`;
      return [{ code: 'SL521', message, hint, cell: this.#placeOf(start, raw, index) }];
    });
  }

  #placeOf(start: number, raw: string, column: number): CellPlace {
    const cells = cellsOf(raw, this.#o.delimiter);
    return this.#place(start, raw, cells[column] ?? { start: 0, end: 0 });
  }

  #place(start: number, raw: string, range: Range): CellPlace {
    return placeIn(this.#snapshot, start, raw, range);
  }

  row(index: number): JsonObject {
    const block = Math.floor(index / rowsAtOnce);
    if (this.#block.index !== block) this.#block = { index: block, rows: this.#parse(block) };
    const cells = this.#block.rows[index % rowsAtOnce] ?? [];
    const fields = (this.#header ?? []).flatMap((column, at): readonly [string, Json][] => {
      if (column === '') return [];
      const own = Object.hasOwn(this.#o.types, column) ? this.#o.types[column] : undefined;
      const value = cellValue(cells[at] ?? '', own ?? 'string');
      return [[column, value.ok ? value.value : null]];
    });
    return Object.fromEntries(fields);
  }

  #parse(block: number): readonly (readonly string[])[] {
    const start = this.#rows[block * rowsAtOnce] ?? 0;
    const end = this.#rows[(block + 1) * rowsAtOnce] ?? this.#snapshot.size;
    const text = this.#snapshot.read(start, end).toString();
    const { delimiter } = this.#o;
    const { data } = Papa.parse<string[]>(text, { delimiter, newline: '\n' });
    return data.map(withoutReturns).filter((cells) => !isBlank(cells));
  }

  cell(index: number, columns: readonly string[]): CellPlace {
    const start = this.#rows[index] ?? 0;
    const end = this.#rows[index + 1] ?? this.#snapshot.size;
    const raw = this.#snapshot.read(start, end).toString();
    const at = (this.#header ?? []).findIndex((column) => columns.includes(column));
    return this.#placeOf(start, raw, Math.max(0, at));
  }
}

const byteOrderMark = Buffer.from('\ufeff');

/**
 * Lines may end with CR and LF, inside a cell too: git writes them so on some machines and not on others, and a prompt must
 * be the same on all of them.
 */
function withoutReturns(cells: readonly string[]): readonly string[] {
  if (!cells.some((cell) => cell.includes('\r'))) return cells;
  const last = cells.length - 1;
  return cells.map((cell, at) =>
    (at === last ? cell.replace(/\r$/, '') : cell).replaceAll('\r\n', '\n'),
  );
}

/** The first line of a table for Excel says what is between the values: `sep=;` */
const separatorIn = (line: string): string | undefined =>
  /^\ufeff?"?sep=(.)"?\r?\n?$/i.exec(line)?.[1];

const otherSeparator = (sign: string) => ({
  code: 'SL517' as const,
  message: `the first line, sep=${sign}, says that the table uses ${signs[sign] ?? JSON.stringify(sign)} between values`,
  hint: `add delimiter: ${JSON.stringify(sign)} to items`,
});

const nameless = (column: number) => ({
  code: 'SL518' as const,
  message: `column ${column + 1} has a value, but no name in the header`,
  hint: 'name the column, or remove it',
});

/** Spreadsheet programs leave rows of commas behind. */
const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

// Where the values of a CSV row are in its text. The parser knows the values but not their places.

/** Offsets in a text; the end is exclusive. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** `row`: the text of one row, with or without its line end. */
function cellsOf(row: string, delimiter: string): readonly Range[] {
  const found: Range[] = [];
  for (let start = 0; ; ) {
    let end = row[start] === '"' ? closeOf(row, start + 1) : start;
    while (end < row.length && row[end] !== delimiter && row[end] !== '\n') end += 1;
    const ends = row[end] !== delimiter || end >= row.length;
    found.push({ start, end: ends && row[end - 1] === '\r' ? Math.max(start, end - 1) : end });
    if (ends) return found;
    start = end + 1;
  }
}

/** The offset after the closing quotation mark. */
function closeOf(row: string, from: number): number {
  for (let at = row.indexOf('"', from); at >= 0; at = row.indexOf('"', at + 2))
    if (row[at + 1] !== '"') return at + 1;
  return row.length;
}

// The header of a CSV file: a name for each column, each name once.

const namesOf = (cells: readonly string[]): readonly string[] => cells.map((cell) => cell.trim());

/** `placeOf`: the place of a column's name, by the number of the column from 0. */
function checkHeader(
  cells: readonly string[],
  { delimiter }: { readonly delimiter: string },
  placeOf: (column: number) => CellPlace,
): readonly TableProblem[] {
  const names = namesOf(cells);
  const [only = ''] = names;
  if (names.length === 1) {
    const other = [';', '\t', '|', ','].find((sign) => sign !== delimiter && only.includes(sign));
    if (other !== undefined)
      return [
        {
          code: 'SL517',
          message: `the header has one column: the table seems to use ${signs[other]} between values`,
          hint: `add delimiter: ${JSON.stringify(other)} to items`,
          cell: placeOf(0),
        },
      ];
  }
  if (names.some((name) => name.includes('\r')))
    return [
      {
        code: 'SL003',
        message: 'the lines end with CR alone',
        hint: 'save the table with LF or CRLF',
      },
    ];
  return names.flatMap((name, index): readonly TableProblem[] => {
    // A spreadsheet leaves empty columns behind; a value in one is wrong.
    if (name === '') return [];
    const first = names.indexOf(name);
    if (first === index) return [];
    const { line, column } = placeOf(first).span;
    return [
      {
        code: 'SL518',
        message: `the header has the column ${JSON.stringify(name)} twice: also at ${line}:${column}`,
        hint: 'rename one of them',
        cell: placeOf(index),
      },
    ];
  });
}

const signs: Readonly<Record<string, string>> = {
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
  ',': 'commas',
};

// The value of a CSV cell. Without a type, it is text: a postal code such as 01234 is not the number 1234.

/** An empty cell of a number or boolean column is null. The error is the end of a sentence about the column. */
function cellValue(cell: string, type: ColumnType): Result<Json, string> {
  const text = cell.trim();
  switch (type) {
    case 'string':
      return ok(cell);
    case 'number': {
      if (text === '') return ok(null);
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
        ? exactNumber(text)
        : err(`${JSON.stringify(shortened(cell))} is not a number`);
    }
    case 'boolean':
      if (text === '') return ok(null);
      if (/^true$/i.test(text)) return ok(true);
      if (/^false$/i.test(text)) return ok(false);
      return err(`${JSON.stringify(shortened(cell))} is neither true nor false`);
  }
}

const exactNumber = (text: string): Result<Json, string> =>
  /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(Number(text))
    ? err(`${shortened(text)} has more digits than a number keeps`)
    : ok(Number(text));

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
