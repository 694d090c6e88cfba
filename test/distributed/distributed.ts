// A distributed run in one process: a coordinator and a worker over a real database, in place of the state file and the
// local performer. The clock of the run is the test's; that of the database and of its polling is real.

import { randomUUID } from 'node:crypto';
import { Coordinator } from '../../src/distributed/coordinator.ts';
import type { EngineDatabase } from '../../src/distributed/database/database.ts';
import { EngineLines } from '../../src/distributed/engine-lines.ts';
import { EnginePerformer } from '../../src/distributed/engine-performer.ts';
import { readIssuedOrder } from '../../src/distributed/order-guard.ts';
import { Promptness } from '../../src/distributed/promptness.ts';
import { SharedOutages } from '../../src/distributed/shared-outages.ts';
import { Worker } from '../../src/distributed/worker.ts';
import type { Ledger } from '../../src/model/ledger.ts';
import { formatVersion } from '../../src/model/record/schemas.ts';
import { realClock } from '../../src/run/clock.ts';
import type { JobContext } from '../../src/run/jobs/job-context.ts';
import { localPerformer } from '../../src/run/jobs/local-performer.ts';
import type { Clock, Performer } from '../../src/run/jobs/ports.ts';
import { JournalWriter, type LineFile } from '../../src/run/journal-writer.ts';
import type { RunEvent } from '../../src/run/run-event.ts';

export interface Distributed {
  readonly journal: JournalWriter;
  readonly performer: Performer;
  end(): Promise<void>;
}

export interface Distribution {
  readonly ledger: Ledger;
  readonly context: JobContext;
  readonly stopper: AbortController;
  readonly clock: Clock;
  readonly onLine: (line: string) => void;
  readonly onEvent: (event: RunEvent) => void;
}

export async function distribute(
  database: EngineDatabase,
  { ledger, context, stopper, clock, onLine, onEvent }: Distribution,
): Promise<Distributed> {
  const id = randomUUID();
  const terms = { run: id, pipeline: id, file: 'p.yaml', service: 'https://a', options: {} };
  const header = { shotlist: formatVersion, pipeline: id, service: 'https://a' } as const;
  const lines = { runs: ledger.runs(), tasks: ledger.tasks(), jobs: ledger.jobs() };
  await database.import({ terms, canary: 'c', header, ...lines });
  await database.setStage(id, 'open');
  const orderStore = await database.run(id).acquire('c', 60_000);
  if (orderStore === undefined) throw new Error('no term');
  const quit = new AbortController();
  const patience = { clock: realClock, quit: quit.signal };
  const file = new EngineLines({
    ...{ ...patience, writer: orderStore.writer, record: (facts) => orderStore.record(facts) },
    nameOf: (job) => ledger.job(job)?.name,
  });
  const tee: LineFile = {
    append(line) {
      onLine(line);
      file.append(line);
    },
    sync: () => file.sync(),
  };
  const journal = new FoldedLines(ledger, tee, clock, { run: {} });
  journal.onLine = onLine;
  const coordinator = new Coordinator({
    ...{ ...patience, orderStore, folded: 0 },
    beforeIssue: async () => {
      journal.begin();
      if (!file.isEmpty) await file.sync();
    },
  });
  coordinator.begin();
  const leave = new AbortController();
  const worker = new Worker({
    ...{ ...patience, worker: 'w', places: 4, promptness: new Promptness(clock) },
    orderStore: database.worker(id, { worker: 'w', host: 'h', places: 4 }),
    ...{ read: readIssuedOrder, leave: leave.signal },
    contextFor: (_, attention, stop) => ({ ...context, attention, stop }),
  });
  const working = worker.run();
  // Awaited at the end.
  working.catch(() => undefined);
  const local = localPerformer({ context, stopper, limits: {} });
  const hearing = { onEvent, onHealed: () => undefined };
  const outages = new SharedOutages(clock, onEvent);
  const performer = new EnginePerformer({
    ...{ coordinator, phase: 1, local, limits: {}, ...hearing, outages },
  });
  return {
    ...{ journal, performer },
    async end() {
      leave.abort();
      await working;
      while (!file.isEmpty) await file.sync();
      await coordinator.end();
      await database.setStage(id, 'exported');
      quit.abort();
    },
  };
}

/** Tells also the events that workers have recorded. */
class FoldedLines extends JournalWriter {
  onLine: (line: string) => void = () => undefined;

  override fold(...[event, at]: Parameters<JournalWriter['fold']>): void {
    super.fold(event, at);
    this.onLine(JSON.stringify({ ...event, at }));
  }
}
