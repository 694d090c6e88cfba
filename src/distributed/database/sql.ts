// The port of the database for the SQL of this folder: statements, and transactions around them. Implemented over a pool
// of connections, and in tests over a database inside the process.

import { isObject, type JsonObject } from '../../base/json.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Statements {
  /** Without values, the text may have several statements; the rows of all of them are returned. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

export interface Transaction extends Statements {
  /**
   * For the last statement: the commit goes along with it, so that its locks are not held while this process is slow to
   * answer. The values must be texts, numbers or null.
   */
  readonly last: Statements;
}

export interface Sql extends Statements {
  /**
   * Commits if `work` resolves, and rolls back if `work` rejects. What is committed is on disk, whatever the server's
   * default is.
   */
  transaction<T>(work: (within: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

// Reads columns of rows. A column of another type than expected is a bug, or tables of another version.

export function textOf(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== 'string') throw unexpected(column, value);
  return value;
}

export function optionalText(row: Row | undefined, column: string): string | undefined {
  const value = row?.[column];
  if (value === null || value === undefined) return undefined;
  return textOf(row, column);
}

/** Drivers give a bigint as text. */
export function numberOf(row: Row | undefined, column: string): number {
  const value = row?.[column];
  const number = typeof value === 'string' || typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw unexpected(column, value);
  return number;
}

export const isTrue = (row: Row | undefined, column: string): boolean => row?.[column] === true;

export function unexpected(column: string, value: unknown): Error {
  return new Error(
    `the database has ${JSON.stringify(value) ?? 'nothing'} in the column ${column}: were its tables made by another version of shotlist?`,
  );
}

export function objectOf(body: string): JsonObject {
  const value: unknown = JSON.parse(body);
  if (!isObject(value)) throw unexpected('body', body);
  return value;
}

const maxPerStatement = 1000;

/** In groups that fit a statement. */
export function* groupsOf<T>(all: Iterable<T>): Iterable<readonly T[]> {
  let group: T[] = [];
  for (const one of all) {
    group.push(one);
    if (group.length < maxPerStatement) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
