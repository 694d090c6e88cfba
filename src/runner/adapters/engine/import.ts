// Brings what a state file knows into the database: its lines as they are, and of each job what money needs.
import type { JobLine } from '../../journal/line.ts';
import { jobFacts } from '../../journal/state.ts';
import type { Import } from '../../run/engine/database.ts';
import { moneyOf } from './batch.ts';
import { writeLines, writeSnapshot } from './snapshot.ts';
import type { Statements } from './sql.ts';
import { schema } from './tables.ts';

const group = 1000;

/** Within a transaction in which the run is not there. */
export async function importInto(sql: Statements, from: Import): Promise<void> {
  const { run, pipeline, file, service, options } = from.terms;
  const sum = (of: 'charged' | 'refunded'): number =>
    from.runs.reduce((total, line) => total + line[of], 0);
  await sql.query(
    `insert into ${schema}.run (run, stage, charged, refunded, reserved) values ($1, 'importing', $2, $3, 0)`,
    [run, sum('charged'), sum('refunded')],
  );
  await sql.query(`insert into ${schema}.terms values ($1, $2, $3, $4, $5, $6)`, [
    run,
    pipeline,
    file,
    service,
    JSON.stringify(options),
    from.canary,
  ]);
  const { header, runs, tasks } = from;
  await writeSnapshot(sql, run, { header, runs, tasks, seq: 0 });
  let reserved = 0;
  let lines: JobLine[] = [];
  const write = async (): Promise<void> => {
    await writeLines(sql, run, lines);
    await writeJobs(sql, run, lines);
    lines = [];
  };
  for (const line of from.jobs) {
    if (jobFacts[line.state].inDoubt) reserved += line.reserve ?? 0;
    lines.push(line);
    if (lines.length === group) await write();
  }
  await write();
  await sql.query(`update ${schema}.run set reserved = $2 where run = $1`, [run, reserved]);
}

async function writeJobs(sql: Statements, run: string, lines: readonly JobLine[]): Promise<void> {
  if (lines.length === 0) return;
  await sql.query(
    `insert into ${schema}.job
     select $1, job, state, attempt, name, reserve, credits, project, past,
       (select array_agg(file) from jsonb_array_elements_text(files) file), take, unknown, null, at, adopted
     from jsonb_to_recordset($2::jsonb) as x(job text, state text, attempt bigint, name text, reserve bigint,
       credits bigint, project text, past jsonb, files jsonb, take boolean, unknown boolean, at timestamptz,
       adopted boolean)`,
    [run, JSON.stringify(lines.map(moneyOf))],
  );
}
