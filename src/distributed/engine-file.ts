// The journal of a coordinator, in place of the state file: lines become records, and the end of the run writes the state
// file and gives the record back to it.
import { bugOf, bugText } from '../base/bug.ts';
import { ok, type Result } from '../base/result.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { type CreditTotals, committed, type Ledger } from '../model/ledger.ts';
import type { Clock, Performer } from '../run/jobs/ports.ts';
import { readOutcome } from '../run/jobs/wire-schemas.ts';
import type { JournalWriter } from '../run/journal-writer.ts';
import type { QueueState, RunWatch } from '../run/monitor.ts';
import type { RunEvent } from '../run/run-event.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { unlessAway } from './away.ts';
import type { EngineSession } from './coordinate.ts';
import { Coordinator } from './coordinator.ts';
import { EngineLines } from './engine-lines.ts';
import { EnginePerformer, type Ordering } from './engine-performer.ts';
import { exportRun } from './export-run.ts';
import { insistently, type Patience } from './patience.ts';
import { patienceWith } from './patience-with.ts';
import type { EngineRecord } from './ports.ts';
import { SharedOutages } from './shared-outages.ts';

export interface EngineFileOptions {
  readonly session: EngineSession;
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
  /** Undefined without a monitor. */
  readonly watch: Pick<RunWatch, 'queue'> | undefined;
}

/** The part of a journal that a distributed run needs. */
type FoldingJournal = Pick<JournalWriter, 'begin' | 'fold'>;

export class EngineFile {
  readonly #o: EngineFileOptions;
  readonly #quit = new AbortController();
  readonly #patience: Patience;
  readonly #lines: EngineLines;
  readonly coordinator: Coordinator;
  #exported = false;
  /** The number of the last record that was read at the end of the run. */
  #read = 0;
  #journal: FoldingJournal | undefined;
  #watching: QueueWatch | undefined;
  #phases = 0;
  readonly #healed = new Set<string>();

  constructor(options: EngineFileOptions) {
    this.#o = options;
    const { session, clock, onWarning } = options;
    const { orderStore, term, writer, seq, engine } = session;
    const patience = patienceWith(engine, { clock, quit: this.#quit.signal, onWarning });
    this.#patience = patience;
    this.#lines = new EngineLines({
      ...patience,
      writer,
      nameOf: (job) => session.ledger.job(job)?.name,
      record: (facts) => orderStore.record(term, facts),
    });
    this.coordinator = new Coordinator({
      ...{ ...patience, orderStore, run: session.run.terms.run, term, folded: seq },
      beforeIssue: async () => {
        this.#journal?.begin();
        if (!this.#lines.isEmpty) await this.#lines.sync();
      },
    });
  }

  /** The record must go back to the state file, whether or not something happened. */
  readonly mustCompact = true;

  /** Begins to follow the run. */
  begin(journal: FoldingJournal): void {
    this.#journal = journal;
    this.coordinator.begin();
    this.#askForWorkers().catch((error: unknown) => this.#o.onWarning(bugText(bugOf(error))));
    const { watch, clock } = this.#o;
    if (watch === undefined) return;
    const tell: RunWatch['queue'] = (state) => watch.queue(state);
    this.#watching = new QueueWatch({ coordinator: this.coordinator, clock, tell });
  }

  /** Without a worker, nothing happens, and nobody would know why. */
  async #askForWorkers(): Promise<void> {
    const { session, clock, onWarning, bound } = this.#o;
    await clock.sleep(3_000, this.#quit.signal);
    if (this.#quit.signal.aborted) return;
    const facts = await unlessAway(() => session.orderStore.facts());
    if (facts === undefined || facts.queued === 0) return;
    if (facts.workers.some(({ silentMs }) => silentMs < 20_000)) return;
    onWarning(
      `no worker has come yet: start one on each host with shotlist worker --engine <address> --root <the folder of ${bound.file}>`,
    );
  }

  /**
   * A second line of defense behind the budget of the loop: the database refuses what would exceed it, whoever asks.
   * `account`: what counts against the budget already.
   */
  async limit(
    budget: number | undefined,
    total: CreditTotals,
    account: CreditTotals,
  ): Promise<void> {
    const left = budget === undefined ? undefined : Math.max(0, budget - committed(account));
    await this.#o.session.orderStore.cap(left === undefined ? undefined : committed(total) + left);
  }

  /** True if the state file is the record again: nobody performs an order. */
  get isExported(): boolean {
    return this.#exported;
  }

  /** Makes the performer of each phase. */
  performers(
    onEvent: (event: RunEvent) => void,
    ordering: Ordering,
  ): (local: Performer, limits: Readonly<Record<string, number>>) => Performer {
    const { coordinator } = this;
    const { session, clock } = this.#o;
    const { writer } = session;
    const outages = new SharedOutages(clock, onEvent);
    return (local, limits) => {
      this.#phases += 1;
      const phase = this.#phases;
      const onHealed = (job: string): void => void this.#healed.add(job);
      const hearing = { read: readOutcome, onEvent, onHealed, outages, ...ordering };
      return new EnginePerformer({ coordinator, writer, phase, local, limits, ...hearing });
    };
  }

  /** True if creations whose outcome was unknown turned out to be paid, since the last call: their tasks can go on. */
  takeHealed(): boolean {
    const healed = this.#healed.size > 0;
    this.#healed.clear();
    return healed;
  }

  append(line: string): void {
    this.#lines.append(line);
  }

  sync(): Promise<void> {
    return this.#lines.sync();
  }

  async flush(): Promise<void> {
    while (!this.#lines.isEmpty) await this.#lines.sync();
  }

  async close(): Promise<void> {
    this.#quit.abort();
    await this.#watching?.end();
    await this.coordinator.abandon();
    if (!this.#exported) return;
    const { orderStore, term } = this.#o.session;
    // The term lapses by itself.
    await unlessAway(() => orderStore.release(term));
  }

  /** Ends the term: what is still under way at workers keeps the record in the database. */
  async compact(ledger: Ledger): Promise<Result<undefined, string>> {
    const { session, onWarning } = this.#o;
    const { orderStore, engine, term } = session;
    await this.coordinator.end();
    for (const record of this.coordinator.hear().records) this.#foldLate(record);
    await this.flush();
    const active = await insistently(this.#patience, () => orderStore.active());
    if (active > 0) {
      onWarning(
        `workers are still busy with ${active} tasks: the record stays in the database ${engine.address.shown}; ` +
          'run again, or use shotlist export when they have finished',
      );
      return ok(undefined);
    }
    // Nobody performs an order any more, so what is only intended belongs to a worker that is gone or frozen.
    const why = 'its worker was gone before its answer was recorded';
    await insistently(this.#patience, () => orderStore.doubtIntended(term, why));
    const { bound, paths, clock } = this.#o;
    this.#read = this.coordinator.folded;
    const exported = await exportRun({
      ...{ session, bound, paths, ledger, context: { clock, onWarning } },
      ...{ patience: this.#patience, catchUp: () => this.#catchUp() },
    });
    this.#exported = exported.ok;
    return exported.ok ? ok(undefined) : exported;
  }

  /** Folds what others have written since the last look. Returns the number of the last record, which may be its own. */
  async #catchUp(): Promise<number> {
    for (;;) {
      const records = await this.#o.session.orderStore.records(this.#read, 5_000);
      if (records.length === 0) return this.#read;
      for (const record of records) {
        this.#foldLate(record);
        this.#read = record.seq;
      }
    }
  }

  #foldLate(record: EngineRecord): void {
    if (record.is === 'event' && record.by !== this.#o.session.writer)
      this.#journal?.fold(record.event, record.at);
  }
}

// Tells a monitor every few seconds how a distributed run is: its queue, its workers, and what the coordinator has not
// heard yet.

interface QueueWatchOptions {
  readonly coordinator: Pick<Coordinator, 'orderStore' | 'term' | 'folded'>;
  readonly clock: Clock;
  /** Undefined: the database is away. */
  readonly tell: (state: QueueState | undefined) => void;
}

/** Between two looks, in milliseconds: each counts the queue. */
const everyMs = 5_000;

class QueueWatch {
  readonly #o: QueueWatchOptions;
  readonly #over = new AbortController();
  readonly #looks: Promise<void>;

  constructor(options: QueueWatchOptions) {
    this.#o = options;
    this.#looks = this.#follow();
    // Nobody waits for it before `end`, which rejects with the same error.
    this.#looks.catch(() => undefined);
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#looks;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      const state = await this.#look();
      if (!signal.aborted) this.#o.tell(state);
      await this.#o.clock.sleep(everyMs, signal);
    }
  }

  async #look(): Promise<QueueState | undefined> {
    const { orderStore, term, folded } = this.#o.coordinator;
    const facts = await unlessAway(() => orderStore.facts());
    if (facts === undefined) return undefined;
    const { last, ...queue } = facts;
    return { ...queue, term: term.epoch, behind: Math.max(0, last - folded) };
  }
}
