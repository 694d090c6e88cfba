// The journal of a coordinator, in place of the state file: lines become records, and the end of the run writes the state
// file and gives the record back to it.

import { bugOf, bugText } from '../base/bug.ts';
import { ok, type Result } from '../base/result.ts';
import { shotlistLine } from '../base/shell.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { type CreditTotals, committed } from '../model/ledger.ts';
import type { Clock, Performer } from '../run/jobs/ports.ts';
import type { JournalWriter } from '../run/journal-writer.ts';
import type { RunEvent } from '../run/run-event.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { type Patience, patienceWith, retryWhileAway, unlessAway } from './away.ts';
import { Coordinator, type EngineSession } from './coordinator.ts';
import type { EngineRecord } from './database/coordinator-store.ts';
import { EngineLines } from './engine-lines.ts';
import { EnginePerformer, type Ordering } from './engine-performer.ts';
import { exportRun } from './move-state.ts';
import { SharedOutages } from './shared-outages.ts';

export interface EngineFileOptions {
  readonly session: EngineSession;
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
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
  #journal: FoldingJournal | undefined;
  #phases = 0;
  readonly #healed = new Set<string>();

  constructor(options: EngineFileOptions) {
    this.#o = options;
    const { session, clock, onWarning } = options;
    const { orderStore, seq, engine } = session;
    const patience = patienceWith(engine, { clock, quit: this.#quit.signal, onWarning });
    this.#patience = patience;
    this.#lines = new EngineLines({
      ...patience,
      writer: orderStore.writer,
      nameOf: (job) => session.ledger.job(job)?.name,
      record: (facts) => orderStore.record(facts),
    });
    this.coordinator = new Coordinator({
      ...patience,
      orderStore,
      folded: seq,
      beforeIssue: async () => {
        this.#journal?.begin();
        if (!this.#lines.isEmpty) await this.#lines.sync();
      },
    });
  }

  /** The record must go back to the state file, whether or not something happened. */
  readonly mustWrite = true;

  /** Begins to follow the run. */
  begin(journal: FoldingJournal): void {
    this.#journal = journal;
    this.coordinator.begin();
    this.#askForWorkers().catch((error: unknown) => this.#o.onWarning(bugText(bugOf(error))));
  }

  /** Without a worker, nothing happens, and nobody would know why. */
  async #askForWorkers(): Promise<void> {
    const { session, clock, onWarning } = this.#o;
    await clock.sleep(3_000, this.#quit.signal);
    if (this.#quit.signal.aborted) return;
    const facts = await unlessAway(() => session.orderStore.facts());
    if (facts === undefined || facts.queued === 0) return;
    if (facts.workers.some(({ silentMs }) => silentMs < 20_000)) return;
    onWarning(
      `no worker has come yet: start one on each host with ${shotlistLine('worker')} --engine <address> --root <the folder of the pipeline>`,
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
    const outages = new SharedOutages(this.#o.clock, onEvent);
    return (local, limits) => {
      this.#phases += 1;
      const phase = this.#phases;
      const onHealed = (job: string): void => void this.#healed.add(job);
      const hearing = { onEvent, onHealed, outages, ...ordering };
      return new EnginePerformer({ coordinator, phase, local, limits, ...hearing });
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
    await this.coordinator.abandon();
    if (!this.#exported) return;
    // The term lapses by itself.
    await unlessAway(() => this.#o.session.orderStore.release());
  }

  /** Ends the term: what is still under way at workers keeps the record in the database. */
  async writeWhole(): Promise<Result<void, string>> {
    const { session, onWarning } = this.#o;
    const { orderStore, engine } = session;
    await this.coordinator.end();
    for (const record of this.coordinator.hear().records) this.#foldLate(record);
    await this.flush();
    const active = await retryWhileAway(this.#patience, () => orderStore.active());
    if (active > 0) {
      onWarning(
        `workers are still busy with ${active} tasks: the record stays in the database ${engine.address.shown}; ` +
          'run again, or use shotlist export when they have finished',
      );
      return ok(undefined);
    }
    // Nobody performs an order any more, so what is only intended belongs to a worker that is gone or frozen.
    const why = 'its worker was gone before its answer was recorded';
    await retryWhileAway(this.#patience, () => orderStore.doubtIntended(why));
    const { bound, paths, clock } = this.#o;
    const exported = await exportRun({
      session,
      bound,
      paths,
      seq: this.coordinator.folded,
      fold: (record) => this.#foldLate(record),
      patience: this.#patience,
      context: { clock, onWarning },
    });
    this.#exported = exported.ok;
    return exported.ok ? ok(undefined) : exported;
  }

  /** What others have written. */
  #foldLate(record: EngineRecord): void {
    if (record.is === 'event' && record.by !== this.#o.session.orderStore.writer)
      this.#journal?.fold(record.event, record.at);
  }
}
