// Corrects the record of a run in a database, as a person or the service says, also while the run is under way: its
// coordinator hears of it like of anything that workers record.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Ledger } from '../../../journal/ledger.ts';
import type { JobLine } from '../../../journal/line.ts';
import { EngineLines } from '../../../run/engine/engine-lines.ts';
import type { CoordinatorDesk } from '../../../run/engine/ports.ts';
import type { Clock } from '../../../run/jobs/ports.ts';
import type { LineFile } from '../../../run/journal/journal-writer.ts';
import type { OpenEngineRun } from './engine-state.ts';

/** The record has changed since it was read, so that the correction no longer fits. */
export class RecordChanged extends Error {
  readonly code = 'RECORD_CHANGED';
}

export function engineEdit(
  { engine, run }: OpenEngineRun,
  ledger: Ledger,
  clock: Clock,
): LineFile & { flush(): Promise<void> } {
  const person = `a person at ${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`;
  const desk = engine.database.worker(run.terms.run, {
    ...{ worker: person, host: hostname(), places: 0 },
  });
  const lines = new EngineLines({
    ...{ clock, quit: AbortSignal.abort(), writer: person },
    nameOf: (job) => ledger.job(job)?.name,
    onRefused: (event) => new RecordChanged(`the record no longer allows "${event}"`),
    record: async (facts) => (await desk.commit({ facts, ends: [], asks: [] })).facts,
  });
  return {
    append: (line) => lines.append(line),
    sync: () => lines.sync(),
    async flush() {
      while (!lines.isEmpty) await lines.sync();
    },
  };
}

/** How long a host that was frozen may still send a creation that it has asked for, in milliseconds; with a wide margin. */
const quarantineMs = 20 * 60_000;

/**
 * When at the earliest a person may say that a creation was not charged, in epoch milliseconds. Undefined: now, because the
 * worker that began it has itself reported that it got no answer.
 */
export async function quarantineOf(
  desk: Pick<CoordinatorDesk, 'records'>,
  { job, name, at }: JobLine,
  now: number,
): Promise<number | undefined> {
  let sender: { readonly by: string; readonly at: string } | undefined;
  let reporter: string | undefined;
  for (let seq = 0; ; ) {
    const records = await desk.records(seq, 5_000);
    if (records.length === 0) break;
    for (const record of records) {
      seq = record.seq;
      if (record.is !== 'event' || !('job' in record.event) || record.event.job !== job) continue;
      if (record.event.event === 'intent' && record.event.name === name) sender = record;
      if (record.event.event === 'doubt') reporter = record.by;
    }
  }
  if (sender !== undefined && reporter === sender.by) return undefined;
  const until = Date.parse(sender?.at ?? at) + quarantineMs;
  return until > now ? until : undefined;
}
