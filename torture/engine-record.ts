// The record of all distributed runs in a database, kept beside them by a trigger: the run's own tables are emptied when it
// is exported. Says which creations were open when a process was killed, and why each doubt arose.
import { Client } from 'pg';
import { asJson, isObject } from '../src/base/json.ts';

/** An attempt at a creation, from the permission to what became of it. */
export interface Attempt {
  readonly name: string;
  readonly job: string;
  /** The worker that received the permission. */
  readonly by: string;
  /** Epoch milliseconds of the database, which is on this machine. */
  readonly from: number;
  /** When its end was recorded: the answer, or the doubt. */
  readonly until: number | undefined;
  readonly end: string | undefined;
  /** Of a doubt. */
  readonly why: string | undefined;
}

/** A process was killed or frozen, or the database crashed. */
export interface Blow {
  readonly text: string;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly until: number;
  /** The process; undefined: all of them. */
  readonly pid: number | undefined;
}

const keep = `
create schema torture;
create table torture.record (
  number bigserial primary key, run text, seq bigint, is_ text, by_ text, body text, at timestamptz
);
create function torture.keep() returns trigger language plpgsql as $$ begin
  insert into torture.record (run, seq, is_, by_, body, at)
    values (new.run, new.seq, new.is_, new.by_, new.body, clock_timestamp());
  return null;
end $$;
create trigger keep after insert on shotlist.record for each row execute function torture.keep();`;

export async function keepRecords(database: string): Promise<void> {
  await asked(database, keep);
}

/**
 * The number of the last record that changes something: orders that begin and end without an effect are no progress.
 * Undefined: the database is away.
 */
export async function lastRecord(database: string): Promise<number | undefined> {
  try {
    const [row] = await asked(
      database,
      `select max(number) as last from torture.record where is_ <> 'begun' and body not like '%"withheld"%'`,
    );
    return Number(row?.['last'] ?? 0);
  } catch {
    return undefined;
  }
}

/** What the tables of the run say now, for a person who investigates. */
export async function tablesText(database: string): Promise<string> {
  const questions = [
    'select * from shotlist.run',
    'select * from shotlist.worker',
    'select state, count(*) from shotlist.job group by state',
    `select name, state, count(*), min(start_after) as first from shotlist_queue.job group by name, state`,
    'select number, seq, is_, by_, left(body, 300) as body, at from torture.record order by number desc limit 60',
  ];
  const answers: string[] = [];
  for (const question of questions) {
    answers.push(question);
    try {
      for (const row of await asked(database, question)) answers.push(`  ${JSON.stringify(row)}`);
    } catch (error) {
      answers.push(`  ${String(error)}`);
    }
  }
  return answers.join('\n');
}

export async function attemptsIn(database: string): Promise<readonly Attempt[]> {
  const rows = await asked(
    database,
    `select is_, by_, body, (extract(epoch from at) * 1000)::float8 as at from torture.record
     where is_ = 'event' order by number`,
  );
  const done: Attempt[] = [];
  const open = new Map<string, Attempt>();
  for (const row of rows) {
    const event = asJson(JSON.parse(String(row['body'])));
    if (!isObject(event)) continue;
    const { job, name, why } = event;
    const kind = event['event'];
    if (typeof job !== 'string') continue;
    const [by, at] = [String(row['by_']), Number(row['at'])];
    if (kind === 'intent' && typeof name === 'string') {
      open.set(job, { name, job, by, from: at, until: undefined, end: undefined, why: undefined });
      continue;
    }
    const attempt = open.get(job);
    if (attempt === undefined) continue;
    if (kind !== 'created' && kind !== 'settled' && kind !== 'doubt') continue;
    open.delete(job);
    const reason = typeof why === 'string' ? why : undefined;
    done.push({ ...attempt, until: at, end: kind, why: reason });
  }
  return [...done, ...open.values()];
}

const processOf = (by: string): number => Number(by.split(':').at(-2));

/** The database's clock and this process's are the same clock, read a moment apart. In milliseconds. */
const slack = 50;

/** A statement that a process sent before it was killed may wait for the database, which does not notice the kill. */
const sentMs = 5000;

/** Permissions whose end was not recorded when it happened: sent, about to be sent, or answered and not recorded. */
export const openAt = (attempts: readonly Attempt[], blow: Blow): readonly Attempt[] =>
  attempts.filter(
    ({ by, from, until }) =>
      (blow.pid === undefined || processOf(by) === blow.pid) &&
      from <= blow.until + (blow.pid === undefined || blow.until > blow.from ? slack : sentMs) &&
      (until === undefined || until >= blow.from - slack),
  );

/** A doubt because the process that began the creation was gone; others are because the answer was cut. */
const isOfTheGone = ({ end, why = '' }: Attempt): boolean =>
  end === 'doubt' && /gone before its answer was recorded/.test(why);

export interface DoubtAudit {
  /** Because a process was gone. */
  readonly gone: number;
  /** Because an answer was lost on the wire. */
  readonly cut: number;
  /** Creations that were open at all blows together. */
  readonly open: number;
  readonly violations: readonly string[];
}

/** Each doubt needs a reason: a blow while the creation was open, or a fault of the service. */
export function auditDoubts(
  attempts: readonly Attempt[],
  blows: readonly Blow[],
  lossyFaults: number,
): DoubtAudit {
  const open = blows.reduce((sum, blow) => sum + openAt(attempts, blow).length, 0);
  const struck = new Set(blows.flatMap((blow) => openAt(attempts, blow)));
  const gone = attempts.filter(isOfTheGone);
  const cut = attempts.filter((one) => one.end === 'doubt' && !isOfTheGone(one));
  const violations = gone
    .filter((one) => !struck.has(one))
    .map(
      ({ name, by, from, until = 0, why }) =>
        `${name} is in doubt (${why}), and nothing happened to ${by} in the ${until - from} ms after its permission at ${from}`,
    );
  if (gone.length > open)
    violations.push(`${gone.length} doubts, and ${open} creations were open at the blows`);
  const frozen = struck.size;
  if (cut.length > lossyFaults + frozen)
    violations.push(
      `${cut.length} answers were lost, and the service cut ${lossyFaults}: ${cut.map(({ name, why }) => `${name}: ${why}`).join('; ')}`,
    );
  return { gone: gone.length, cut: cut.length, open, violations };
}

async function asked(
  database: string,
  question: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: database, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(question);
    return rows;
  } finally {
    await client.end();
  }
}
