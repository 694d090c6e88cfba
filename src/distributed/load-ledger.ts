// Loads the ledger of a run from its database, as a state file is loaded: the lines, then the records after them.
import { Ledger } from '../model/ledger.ts';
import type { EngineRecord, RunStore, Snapshot } from './database/coordinator-store.ts';

export interface LoadedLedger {
  readonly ledger: Ledger;
  readonly snapshot: Snapshot;
  /** The number of the last record in the ledger. */
  readonly seq: number;
  /** The jobs that the records after the snapshot are about. */
  readonly changed: ReadonlySet<string>;
}

const maxGroup = 5_000;
const maxTries = 5;

export async function loadLedger(
  orderStore: Pick<RunStore, 'snapshot' | 'jobs' | 'records'>,
): Promise<LoadedLedger> {
  for (let attempt = 1; attempt <= maxTries; attempt++) {
    const snapshot = await orderStore.snapshot();
    const ledger = new Ledger();
    const jobs = await linesOf(orderStore, ledger, snapshot);
    if (!jobs) continue;
    const changed = new Set<string>();
    let { seq } = snapshot;
    for await (const records of recordGroups(orderStore, seq))
      for (const record of records) {
        foldRecord(ledger, record, changed);
        seq = record.seq;
      }
    if ((await orderStore.snapshot()).seq === snapshot.seq)
      return { ledger, snapshot, seq, changed };
  }
  throw new Error(`bug: the records were folded ${maxTries} times while they were being read`);
}

/** False: the lines are no longer those of the snapshot. */
async function linesOf(
  orderStore: Pick<RunStore, 'snapshot' | 'jobs'>,
  ledger: Ledger,
  snapshot: Snapshot,
): Promise<boolean> {
  for (const line of snapshot.runs) must(ledger.apply({ type: 'run', line }));
  for await (const lines of orderStore.jobs())
    for (const line of lines) must(ledger.apply({ type: 'job', line }));
  for (const line of snapshot.tasks) must(ledger.apply({ type: 'task', line }));
  return (await orderStore.snapshot()).seq === snapshot.seq;
}

/** The records after a number, in groups. */
export async function* recordGroups(
  orderStore: Pick<RunStore, 'records'>,
  after: number,
): AsyncIterable<readonly EngineRecord[]> {
  let last: number | undefined = after;
  while (last !== undefined) {
    const records = await orderStore.records(last, maxGroup);
    if (records.length > 0) yield records;
    last = records.at(-1)?.seq;
  }
}

/** Reads a record into the ledger. `changed` takes the job that it is about. */
export function foldRecord(ledger: Ledger, record: EngineRecord, changed: Set<string>): void {
  if (record.is !== 'event') return;
  const { event, at } = record;
  must(ledger.apply({ type: 'event', line: { ...event, at } }));
  if ('job' in event) changed.add(event.job);
}

function must(applied: ReturnType<Ledger['apply']>): void {
  if (!applied.ok) throw new Error(`bug: the records of the database: ${applied.error}`);
}
