// A JSON Lines file as a table: one object per line. Checked once from beginning to end; after that, rows are read again
// from the snapshot when somebody asks for them.
import { asJson, isObject, type JsonObject } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { parseSource } from '../../contract/yaml/source.ts';
import type { CellPlace } from '../../model/item.ts';
import {
  chunksOf,
  maxProblems,
  maxRowBytes,
  placeIn,
  Snapshot,
  type Table,
  type TableProblem,
  TableText,
} from './table.ts';

/** More names than this are data, not columns. */
const maxColumns = 10_000;
/** In a row with more lists and objects than this, no place is looked for: the parser needs seconds for a deep one. */
const maxParts = 10_000;
const newline = 0x0a;

/** Throws system errors. An empty list of problems: `check` refuses the columns. */
export async function openJsonl(
  path: string,
  { check }: { readonly check: (columns: readonly string[]) => boolean },
): Promise<Result<Table, readonly TableProblem[]>> {
  const table = new JsonlTable();
  try {
    const problems = await table.load(path);
    if (problems.length === 0 && check(table.columns)) return ok(table);
    table.close();
    return err(problems);
  } catch (error) {
    table.close();
    throw error;
  }
}

class JsonlTable implements Table {
  readonly #snapshot = new Snapshot();
  readonly #rows: number[] = [];
  readonly #columns = new Set<string>();
  /** A line is a row only if something is written in it. */
  readonly emptyRows = { count: 0, lines: [] };
  #last: { readonly index: number; readonly row: JsonObject } | undefined;

  get columns(): readonly string[] {
    return [...this.#columns];
  }

  get count(): number {
    return this.#rows.length;
  }

  close(): void {
    this.#snapshot.close();
  }

  async load(path: string): Promise<readonly TableProblem[]> {
    const problems: TableProblem[] = [];
    const text = new TableText(this.#snapshot);
    let [start, seen] = [0, 0];
    for await (const chunk of chunksOf(path, this.#snapshot)) {
      if (text.next(chunk) === undefined) return [...problems, text.problem(chunk.length)];
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) {
        const end = seen + at + 1;
        this.#take(start, end, problems);
        start = end;
        if (problems.length >= maxProblems) return problems;
      }
      seen += chunk.length;
      if (seen - start > maxRowBytes) return [...problems, this.#tooLong(start)];
    }
    this.#take(start, seen, problems);
    if (this.#rows.length === 0 && problems.length === 0)
      return [
        {
          code: 'SL516',
          message: 'the table is empty: it needs a JSON object in each line',
          hint: 'write an object for each item, such as {"name": "Ann"}',
        },
      ];
    return problems;
  }

  #take(start: number, end: number, problems: TableProblem[]): void {
    const text = this.#textOf(start, end);
    if (text.trim() === '') return;
    const row = parsed(text);
    if (row.ok) {
      this.#rows.push(start);
      if (this.#columns.size < maxColumns)
        for (const name of Object.keys(row.value)) this.#columns.add(name);
      return;
    }
    const { message, at } = row.error;
    problems.push({
      code: 'SL522',
      message,
      cell: this.#place(start, text, at, at + 1),
      hint: 'write one whole object in each line, such as {"name": "Ann"}',
    });
  }

  #tooLong(start: number): TableProblem {
    const text = this.#textOf(start, start + 80);
    const cell = this.#place(start, text, 0, 1);
    return {
      code: 'SL523',
      message: `a line is longer than ${maxRowBytes / 1e6} MB`,
      cell,
      hint: 'write each object on a line of its own',
    };
  }

  #textOf(start: number, end: number): string {
    return this.#snapshot
      .read(start, end)
      .toString()
      .replace(/^\ufeff/, '')
      .trimEnd();
  }

  #place(row: number, text: string, start: number, end: number): CellPlace {
    return placeIn(this.#snapshot, row, text, { start, end });
  }

  row(index: number): JsonObject {
    if (this.#last?.index === index) return this.#last.row;
    const row = parsed(this.#rowText(index));
    if (!row.ok) throw new Error(`bug: row ${index} was valid: ${row.error.message}`);
    this.#last = { index, row: row.value };
    return row.value;
  }

  #rowText(index: number): string {
    const next = this.#rows[index + 1] ?? this.#snapshot.size;
    const [line = ''] = this.#textOf(this.#rows[index] ?? 0, next).split('\n');
    return line;
  }

  cell(index: number, columns: readonly string[]): CellPlace {
    const text = this.#rowText(index);
    const start = this.#rows[index] ?? 0;
    if (text.split(/[[{]/, maxParts).length === maxParts)
      return this.#place(start, text, 0, Math.min(text.length, 80));
    // JSON is YAML, whose parser keeps places.
    const source = parseSource('', text);
    const column = columns.find((name) => Object.hasOwn(this.row(index), name));
    if (!source.ok || column === undefined) return this.#place(start, text, 0, text.length);
    const span = source.value.spanOf([column]);
    return this.#place(start, text, span.column - 1, span.endColumn - 1);
  }
}

interface NotAnObject {
  readonly message: string;
  /** In the text of the line. */
  readonly at: number;
}

/** Ids of posts and products have more digits than a number keeps: they become texts, so that no two of them are alike. */
const keepDigits = (
  _: string,
  value: unknown,
  { source = '' }: { source?: string } = {},
): unknown =>
  typeof value === 'number' && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
    ? source
    : value;

function parsed(text: string): Result<JsonObject, NotAnObject> {
  try {
    const value = asJson(JSON.parse(text, /\d{16}/.test(text) ? keepDigits : undefined));
    if (isObject(value)) return ok(value);
    return err({ message: 'the line is not a JSON object', at: 0 });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const found = /^(.*?)(?: in JSON)? at position (\d+)/.exec(error.message);
    const at = Math.min(Number(found?.[2] ?? 0), Math.max(0, text.length - 1));
    return err({ message: `the line is not valid JSON: ${found?.[1] ?? error.message}`, at });
  }
}
