// Tables for these tests, written to a temporary folder and opened the real way.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Result } from '../../../src/base/result.ts';
import { type CsvOptions, openCsv } from '../../../src/files/tables/csv-table.ts';
import { openJsonl } from '../../../src/files/tables/jsonl-table.ts';
import type { Table, TableProblem } from '../../../src/files/tables/table.ts';
import { temporaryFolder } from '../places.ts';

export async function csv(
  content: string | Buffer,
  options: Partial<CsvOptions> = {},
): Promise<Result<Table, readonly TableProblem[]>> {
  const path = join(temporaryFolder(), 'people.csv');
  writeFileSync(path, content);
  const usual = { delimiter: ',', types: {}, check: () => true };
  return closedAfterwards(await openCsv(path, { ...usual, ...options }));
}

export async function jsonl(
  content: string | Buffer,
): Promise<Result<Table, readonly TableProblem[]>> {
  const path = join(temporaryFolder(), 'people.jsonl');
  writeFileSync(path, content);
  return closedAfterwards(await openJsonl(path, { check: () => true }));
}

function closedAfterwards<Problem>(opened: Result<Table, Problem>): Result<Table, Problem> {
  if (opened.ok) onTestFinished(() => opened.value.close());
  return opened;
}

export function tableOf(opened: Result<Table, readonly TableProblem[]>): Table {
  if (!opened.ok) throw new Error(opened.error.map(({ message }) => message).join('; '));
  return opened.value;
}

export const rowsOf = (table: Table): readonly unknown[] =>
  Array.from({ length: table.count }, (_, index) => table.row(index));

/** `line:column message`, as people read them. */
export const problemsOf = (opened: Result<Table, readonly TableProblem[]>): readonly string[] =>
  opened.ok
    ? []
    : opened.error.map(({ message, cell }) =>
        cell === undefined ? message : `${cell.span.line}:${cell.span.column} ${message}`,
      );
