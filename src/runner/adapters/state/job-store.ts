// Keeps jobs in a temporary database on disk, so that memory does not grow with their number. Every run builds the
// database from the state file, so it need not be durable.
import { DatabaseSync } from 'node:sqlite';
import { type JobStore, orderOf } from '../../journal/job-store.ts';
import type { JobLine } from '../../journal/line.ts';
import { parseLine } from '../../journal/line.ts';

/** How many of the most recently used jobs stay in memory. */
const hot = 6_000;
/** How many that were read from the database stay in memory: a plan asks for a job several times in a row. */
const near = 500;

export function databaseStore(): JobStore & { close(): void } {
  const database = new DatabaseSync('');
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;');
  database.exec(
    'CREATE TABLE jobs (job TEXT PRIMARY KEY, place TEXT, line TEXT) WITHOUT ROWID; BEGIN',
  );
  const select = database.prepare('SELECT line FROM jobs WHERE job = ?');
  const upsert = database.prepare(
    'INSERT INTO jobs (job, place, line) VALUES (?, ?, ?) ' +
      'ON CONFLICT (job) DO UPDATE SET place = excluded.place, line = excluded.line',
  );
  const all = database.prepare('SELECT line FROM jobs ORDER BY place');
  const cache = new Map<string, JobLine>();
  const read = new Map<string, JobLine>();

  /** Which jobs may be in the database. Most lookups are for jobs that do not exist yet. */
  const written = new Set<number>();
  const put = (line: JobLine): void => {
    upsert.run(line.job, orderOf(line), JSON.stringify(line));
    written.add(mark(line.job));
  };
  const keep = (line: JobLine): void => {
    cache.delete(line.job);
    cache.set(line.job, line);
    if (cache.size <= hot) return;
    for (const [job, oldest] of cache) {
      if (cache.size <= hot / 2) return;
      cache.delete(job);
      put(oldest);
    }
  };
  return {
    get(job) {
      const known = cache.get(job) ?? read.get(job);
      if (known !== undefined) return known;
      if (!written.has(mark(job))) return undefined;
      const row = select.get(job);
      if (row === undefined) return undefined;
      const line = lineOf(String(row['line']));
      if (read.size >= near) read.clear();
      read.set(job, line);
      return line;
    },
    set(line) {
      read.delete(line.job);
      keep(line);
    },
    *sorted() {
      for (const line of cache.values()) put(line);
      for (const row of all.iterate()) yield lineOf(String(row['line']));
    },
    close: () => database.close(),
  };
}

/** A small number from a fingerprint. If two fingerprints share one, the only cost is a lookup. */
const mark = (fingerprint: string): number => Number.parseInt(fingerprint.slice(0, 7), 16);

function lineOf(text: string): JobLine {
  const line = parseLine(text);
  if (!line.ok || line.value.type !== 'job') throw new Error(`bug: no job: ${text}`);
  return line.value.line;
}
