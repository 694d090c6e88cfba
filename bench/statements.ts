// What a server has spent its time on, by statement: with `--statements`, which needs the extension pg_stat_statements.
import { query } from '../test/postgres.ts';

/** Settings of the server, before it starts. */
export const statementSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
};

/** Forgets what was counted before. */
export async function countStatements(url: string): Promise<void> {
  await query(url, 'create extension if not exists pg_stat_statements');
  await query(url, 'select pg_stat_statements_reset()');
}

/** The statements that took most time, one a line: milliseconds in all, calls, milliseconds a call, rows. */
export async function statementLines(url: string, most: number): Promise<readonly string[]> {
  const rows = await query(
    url,
    `select total_exec_time + total_plan_time as total, calls, rows, query from pg_stat_statements
     order by 1 desc limit ${most}`,
  );
  return rows.map(({ total, calls, rows: touched, query: statement }) => {
    const text = `${statement}`.replaceAll(/\s+/g, ' ').slice(0, 110);
    const each = Number(total) / Number(calls);
    return `  ${Number(total).toFixed(0)} ms, ${calls} calls, ${each.toFixed(2)} ms, ${touched} rows: ${text}`;
  });
}
