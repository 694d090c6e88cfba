// What the database keeps of the jobs and the credits of a run, for comparisons with the ledger.
import type { Row, Sql } from '../../../src/distributed/database/sql.ts';
import type { JobLine } from '../../../src/model/line.ts';

export const rowsOf = (sql: Sql, run: string): Promise<readonly Row[]> =>
  sql.query(
    `select job, state, attempt::float8 as attempt, name, credits::float8 as credits, project, past, adopted
     from shotlist.job where run = $1 order by job`,
    [run],
  );

export async function totalsOf(sql: Sql, run: string): Promise<Row> {
  const [row] = await sql.query(
    `select charged::float8 as charged, refunded::float8 as refunded, reserved::float8 as reserved
     from shotlist.run where run = $1`,
    [run],
  );
  return { ...row };
}

/** What the database keeps of a job, in its words. */
export const rowOf = ({
  job,
  state,
  attempt,
  name,
  credits = 0,
  project,
  past,
  ...line
}: JobLine) => ({
  ...{ job, state, attempt, credits, adopted: line.adopted !== undefined },
  name: name ?? null,
  project: project ?? null,
  past:
    past?.map((one) => ({
      ...{ project: one.project ?? null, credits: one.credits },
      ...(one.adopted === undefined ? {} : { adopted: true }),
    })) ?? null,
});
