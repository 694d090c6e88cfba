// Corrects the record of a run in a database, as a person or the service says, also while the run is under way: its
// coordinator hears of it like of anything that workers record.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Ledger } from '../../../journal/ledger.ts';
import { EngineLines } from '../../../run/engine/engine-lines.ts';
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
