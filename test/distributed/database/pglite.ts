// A database inside the process, for tests of the SQL: Postgres itself, compiled to WebAssembly, with one connection.
import { PGlite, type Transaction } from '@electric-sql/pglite';
import type { Row, Sql } from '../../../src/distributed/database/sql.ts';

export async function startPglite(): Promise<Sql> {
  const db = await PGlite.create();
  return {
    query: (text, values) => run(db, text, values),
    transaction: (work) =>
      db.transaction((within) => {
        const statements = {
          query: (text: string, values?: readonly unknown[]) => run(within, text, values),
        };
        return work({ ...statements, last: statements });
      }),
    close: () => db.close(),
  };
}

async function run(
  on: PGlite | Transaction,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  if (values.length > 0) return (await on.query<Row>(text, [...values])).rows;
  return (await on.exec(text)).flatMap(({ rows }) => rows);
}
