// Reads columns of rows. A column of another type than expected is a bug, or tables of another version.
import type { Row } from './sql.ts';

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

export function optionalNumber(row: Row | undefined, column: string): number | undefined {
  const value = row?.[column];
  return value === null || value === undefined ? undefined : numberOf(row, column);
}

export const isTrue = (row: Row | undefined, column: string): boolean => row?.[column] === true;

export function unexpected(column: string, value: unknown): Error {
  return new Error(
    `the database has ${JSON.stringify(value) ?? 'nothing'} in the column ${column}: were its tables made by another version of shotlist?`,
  );
}
