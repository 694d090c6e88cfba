// Keeps jobs in few bytes, and on disk when they are many, so that memory does not grow with their number. Every run
// fills the store from the state file, so it need not be durable.
import { isObject } from '../../../contract/base/json.ts';
import { type JobStore, orderOf } from '../../journal/job-store.ts';
import type { JobLine } from '../../journal/line.ts';
import { RecordIndex } from './record-index.ts';
import { RecordLog } from './record-log.ts';

/** How many of the most recently set jobs stay as they are, at least; at most twice as many. */
const hot = 1_500;
/** How many that were read again stay as they are: a plan asks for a job several times in a row. */
const near = 500;

export function diskStore(log = new RecordLog()): JobStore & { close(): void } {
  const index = new RecordIndex();
  /** Two generations: when the younger one is full, the older one goes to the log. */
  let younger = new Map<string, JobLine>();
  let older = new Map<string, JobLine>();
  const read = new Map<string, JobLine>();
  /** The entries in their order, until a job changes: commands that only read go through all jobs several times. */
  let order: readonly number[] | undefined;

  const isOf = (job: string) => (entry: number) => jobIn(log.at(index.at(entry))) === job;
  const put = (line: JobLine): void => {
    const place = log.add(JSON.stringify(line));
    const entry = index.find(line.job, isOf(line.job));
    if (entry === undefined) index.add(line.job, place);
    else index.move(entry, place);
  };
  const age = (): void => {
    for (const line of older.values()) if (!younger.has(line.job)) put(line);
    older = younger;
    younger = new Map();
  };
  return {
    get(job) {
      const known = younger.get(job) ?? older.get(job) ?? read.get(job);
      if (known !== undefined) return known;
      let line: JobLine | undefined;
      index.find(job, (entry) => {
        line = lineOf(log.at(index.at(entry)));
        return line.job === job;
      });
      if (line === undefined || line.job !== job) return undefined;
      if (read.size >= near) read.clear();
      read.set(job, line);
      return line;
    },
    set(line) {
      read.delete(line.job);
      order = undefined;
      younger.set(line.job, line);
      if (younger.size >= hot) age();
    },
    *sorted() {
      age();
      age();
      order ??= sortedEntries(index, log);
      for (const entry of order) yield lineOf(log.at(index.at(entry)));
    },
    close() {
      younger.clear();
      older.clear();
      log.close();
    },
  };
}

function sortedEntries(index: RecordIndex, log: RecordLog): readonly number[] {
  const places: { readonly place: string; readonly entry: number }[] = [];
  for (let entry = 0; entry < index.size; entry++)
    places.push({ place: orderOf(lineOf(log.at(index.at(entry)))), entry });
  places.sort((one, other) => (one.place < other.place ? -1 : 1));
  return places.map(({ entry }) => entry);
}

const firstField = '{"job":"';

/** Most lines begin with their fingerprint; then the rest need not be parsed. */
const jobIn = (record: string): string =>
  record.startsWith(firstField)
    ? record.slice(firstField.length, firstField.length + 64)
    : lineOf(record).job;

function lineOf(record: string): JobLine {
  const line: unknown = JSON.parse(record);
  if (!isRecord(line)) throw new Error(`bug: no job: ${record}`);
  return line;
}

/** A record is a line that was valid when it was written; nothing else writes to the log. */
const isRecord = (value: unknown): value is JobLine =>
  isObject(value) && typeof value['job'] === 'string';
