// The lines of a run as they were folded last. They are apart from what money needs, so that reading and writing them
// never waits for workers.
import type { Header, JobLine, RunLine, StateLine, TaskLine } from '../../model/line.ts';
import { lineText, parseLine } from '../../model/line.ts';
import { numberOf, type Statements, textOf, unexpected } from './sql.ts';
import { schema } from './tables.ts';

const group = 1000;

/** Folded records are kept for so long, so that a fact whose answer was lost is not recorded twice. */
const kept = "interval '15 minutes'";

/** The state of a run as it was folded last. */
export interface Snapshot {
  readonly header: Header;
  readonly runs: readonly RunLine[];
  readonly tasks: readonly TaskLine[];
  /** The records after this number are not in the lines. */
  readonly seq: number;
}

export async function snapshotOf(sql: Statements, run: string): Promise<Snapshot> {
  const [row] = await sql.query(
    `select header, runs, tasks, seq from ${schema}.snapshot where run = $1`,
    [run],
  );
  if (row === undefined) throw new Error(`the run ${run} is not in the database`);
  return {
    header: lineOf('header', 'header', textOf(row, 'header')).line,
    runs: linesIn(textOf(row, 'runs')).map((line) => lineOf('run', 'runs', line).line),
    tasks: linesIn(textOf(row, 'tasks')).map((line) => lineOf('task', 'tasks', line).line),
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
    yield rows.map((row) => lineOf('job', 'line', textOf(row, 'line')).line);
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

type LineOf<T extends StateLine['type']> = Extract<StateLine, { readonly type: T }>;

function lineOf<T extends StateLine['type']>(type: T, column: string, text: string): LineOf<T> {
  const line = parseLine(text);
  if (!line.ok) throw new Error(`a line in the database is damaged: ${line.error}`);
  if (!isOf(type, line.value)) throw unexpected(column, text);
  return line.value;
}

const isOf = <T extends StateLine['type']>(type: T, line: StateLine): line is LineOf<T> =>
  line.type === type;
