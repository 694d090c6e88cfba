// Reads a database of receipts that is not in use: of another machine, or one that was damaged and set aside. It is read row
// by row, so a damaged page costs only what is on it; nothing in it is trusted, run or changed.
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { valueIn } from '../../base/json.ts';
import { systemCode } from '../../base/system-error.ts';
import { isSqlite } from '../../files/cache-database.ts';
import type { Receipt } from '../../state/receipts/receipt.ts';
import { readReceipt } from './receipt-line.ts';

/** So many rows in a row that cannot be read are the end of a table whose last row cannot be found. */
const maxUnreadableRows = 100_000;

export class ForeignReceipts implements Disposable {
  /** Rows that could not be read, or were no receipts. */
  unreadable = 0;
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #statements = new Map<string, StatementSync>();

  /** Throws the errors of SQLite. */
  constructor(file: string) {
    this.#file = resolve(file);
    const address = pathToFileURL(this.#file);
    // Without a log of changes, the file alone is complete, and SQLite needs no files beside it.
    if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0)
      address.searchParams.set('immutable', '1');
    this.#database = new DatabaseSync(address, { readOnly: true, timeout: 1_000 });
    // Without it, a table might call functions for its values.
    this.#database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
  }

  /** True if it has the tables of receipts, and no views in their place. Throws the errors of SQLite. */
  get hasReceipts(): boolean {
    const sql =
      "SELECT count(*) AS tables FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' " +
      "AND name IN ('creation', 'source', 'saved', 'about')";
    return this.#database.prepare(sql).get()?.['tables'] === 4;
  }

  /** Undefined if it cannot be read. */
  get salt(): string | undefined {
    const value = this.#row("SELECT value FROM about WHERE name = 'salt'")?.['value'];
    return typeof value === 'string' ? value : undefined;
  }

  /** In the order in which the creations began. */
  *[Symbol.iterator](): Generator<Receipt> {
    const next = this.#database.prepare('SELECT * FROM creation WHERE id > ? ORDER BY id LIMIT 1');
    const last = Number(this.#row('SELECT max(id) AS id FROM creation')?.['id'] ?? 0);
    let failures = 0;
    for (let id = 0; failures < maxUnreadableRows; ) {
      let row: Row | undefined;
      try {
        row = next.get(id);
        if (row === undefined) return;
        failures = 0;
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        [failures, id] = [failures + 1, id + 1];
        if (id <= last || failures === 1) this.unreadable += 1;
        continue;
      }
      const found = Number(row['id']);
      if (!Number.isSafeInteger(found) || found <= id) return;
      id = found;
      const receipt = readReceipt(this.#valueOf(row, id));
      if (receipt.ok) yield receipt.value;
      else this.unreadable += 1;
    }
  }

  close(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** As an export has it. A receipt whose source or files cannot be read is a receipt all the same. */
  #valueOf(row: Row, id: number): unknown {
    const { service, account } = row;
    return {
      service,
      job: jsonIn(row['line']),
      saved: this.#filesOf(id),
      source: this.#sourceOf(row['source']),
      ...(typeof account === 'string' ? { account } : {}),
    };
  }

  #sourceOf(id: unknown): unknown {
    const row =
      typeof id === 'number' ? this.#row('SELECT * FROM source WHERE id = ?', id) : undefined;
    if (row === undefined)
      return { folder: dirname(this.#file), pipeline: 'unknown', state: this.#file };
    const { folder, pipeline, state, branch } = row;
    return { folder, pipeline, state, ...(branch === '' ? {} : { branch }) };
  }

  #filesOf(creation: number): readonly unknown[] {
    try {
      return this.#prepare('SELECT * FROM saved WHERE creation = ? ORDER BY idx')
        .all(creation)
        .map(({ idx, task, path, bytes, sha256, stored }) => ({
          index: idx,
          task,
          path,
          bytes,
          sha256,
          ...(stored === null ? {} : { stored }),
        }));
    } catch (error) {
      if (isUnreadable(error)) return [];
      throw error;
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #row(sql: string, ...values: readonly number[]): Row | undefined {
    try {
      return this.#prepare(sql).get(...values);
    } catch (error) {
      if (isUnreadable(error)) return undefined;
      throw error;
    }
  }
}

/** Also of a number that JavaScript does not have. */
const isUnreadable = (error: unknown): boolean =>
  isSqlite(error) || systemCode(error) === 'ERR_OUT_OF_RANGE';

type Row = Readonly<Record<string, unknown>>;

const maxLineChars = 1_000_000;

const jsonIn = (text: unknown): unknown =>
  typeof text === 'string' && text.length < maxLineChars ? valueIn(text) : undefined;
