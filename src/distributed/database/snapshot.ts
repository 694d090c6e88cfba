// The lines of a run as they were folded last. They are apart from what money needs, so that reading and writing them
// never waits for workers.
import type { Header, JobLine, RunLine, StateLine, TaskLine } from '../../model/line.ts';
import { lineText, parseLine } from '../../model/line.ts';
import type { Snapshot } from '../ports.ts';
import { numberOf, textOf, unexpected } from './columns.ts';
import type { Statements } from './sql.ts';
import { schema } from './tables.ts';

const group = 1000;

/** Folded records are kept for so long, so that a fact whose answer was lost is not recorded twice. */
const kept = "interval '15 minutes'";

export async function snapshotOf(sql: Statements, run: string): Promise<Snapshot> {
  const [row] = await sql.query(
    `select header, runs, tasks, seq from ${schema}.snapshot where run = $1`,
    [run],
  );
  if (row === undefined) throw new Error(`the run ${run} is not in the database`);
  return {
    header: headerOf(textOf(row, 'header')),
    runs: linesIn(textOf(row, 'runs')).map((line) => runOf(line)),
    tasks: linesIn(textOf(row, 'tasks')).map((line) => taskOf(line)),
    seq: numberOf(row, 'seq'),
  };
}

export async function* lineGroups(sql: Statements, run: string): AsyncIterable<readonly JobLine[]> {
  let after = '';
  for (;;) {
    const rows = await sql.query(
      `select job, line from ${schema}.line where run = $1 and job > $2 order by job limit ${group}`,
      [run, after],
    );
    if (rows.length === 0) return;
    yield rows.map((row) => jobOf(textOf(row, 'line')));
    after = textOf(rows.at(-1), 'job');
  }
}

/**
 * False: the term is over. The key share of the run holds off a coordinator that takes over until the fold is there, but
 * no worker.
 */
export async function foldInto(
  sql: Statements,
  run: string,
  epoch: number,
  snapshot: Snapshot,
  changed: readonly JobLine[],
): Promise<boolean> {
  const current = await sql.query(
    `select epoch from ${schema}.run where run = $1 and epoch = $2 for key share`,
    [run, epoch],
  );
  if (current.length === 0) return false;
  await writeSnapshot(sql, run, snapshot);
  await writeLines(sql, run, changed);
  await sql.query(
    `delete from ${schema}.record where run = $1 and seq <= $2 and at < clock_timestamp() - ${kept}`,
    [run, snapshot.seq],
  );
  return true;
}

export async function writeSnapshot(
  sql: Statements,
  run: string,
  { header, runs, tasks, seq }: Snapshot,
): Promise<void> {
  await sql.query(
    `insert into ${schema}.snapshot values ($1, $2, $3, $4, $5)
     on conflict (run) do update set header = $2, runs = $3, tasks = $4, seq = $5`,
    [run, lineText(header), textIn(runs), textIn(tasks), seq],
  );
}

export async function writeLines(
  sql: Statements,
  run: string,
  lines: readonly JobLine[],
): Promise<void> {
  for (let start = 0; start < lines.length; start += group) {
    const part = lines.slice(start, start + group);
    await sql.query(
      `insert into ${schema}.line select $1, * from unnest($2::text[], $3::text[])
       on conflict (run, job) do update set line = excluded.line`,
      [run, part.map(({ job }) => job), part.map(lineText)],
    );
  }
}

const textIn = (lines: readonly object[]): string => lines.map(lineText).join('\n');
const linesIn = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

function parsed(text: string): StateLine {
  const line = parseLine(text);
  if (!line.ok) throw new Error(`a line in the database is damaged: ${line.error}`);
  return line.value;
}

function headerOf(text: string): Header {
  const { type, line } = parsed(text);
  if (type !== 'header') throw unexpected('header', text);
  return line;
}

function runOf(text: string): RunLine {
  const { type, line } = parsed(text);
  if (type !== 'run') throw unexpected('runs', text);
  return line;
}

function taskOf(text: string): TaskLine {
  const { type, line } = parsed(text);
  if (type !== 'task') throw unexpected('tasks', text);
  return line;
}

function jobOf(text: string): JobLine {
  const { type, line } = parsed(text);
  if (type !== 'job') throw unexpected('line', text);
  return line;
}
