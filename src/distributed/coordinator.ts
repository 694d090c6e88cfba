// The coordinator's connection to its run during one term: it keeps the term, issues orders in groups, follows the records,
// and lets the leases of silent workers lapse. What the records mean is the business of the engine runner.
import type { Ledger } from '../model/ledger.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { type Patience, retryWhileAway } from './away.ts';
import { Batches } from './batches.ts';
import type { IssuedOrder } from './database/batch.ts';
import type { CoordinatorStore, EngineRecord } from './database/coordinator-store.ts';
import type { EngineRun } from './database/database.ts';
import type { OpenEngine } from './open-database.ts';

/** What a coordinator begins its term with. */
export interface EngineSession {
  readonly engine: OpenEngine;
  readonly run: EngineRun;
  readonly orderStore: CoordinatorStore;
  readonly ledger: Ledger;
  /** The number of the last record in the ledger. */
  readonly seq: number;
  /** The jobs that something has happened to since the run came into the database. */
  readonly changed: ReadonlySet<string>;
}

export interface CoordinatorOptions extends Patience {
  readonly orderStore: CoordinatorStore;
  readonly clock: Clock;
  /** The number of the last record that the ledger has. */
  readonly folded: number;
  /** Called before orders are issued: what the coordinator has recorded before must be in the database first. */
  readonly beforeIssue: () => Promise<void>;
}

/** How long a coordinator may be silent before another may take over, in milliseconds. */
export const termMs = 15_000;
const renewMs = 4_000;
const superviseMs = 2_000;
const minPollMs = 25;
const maxPollMs = 250;
const maxRecords = 2_000;
const maxOrders = 2_000;

/** What the coordinator hears. `lost`: orders that were delivered too often. */
export interface Heard {
  readonly records: readonly EngineRecord[];
  readonly lost: readonly string[];
}

export class Coordinator {
  readonly #o: CoordinatorOptions;
  readonly #over = new AbortController();
  #folded: number;
  #read: number;
  #records: EngineRecord[] = [];
  #lost: string[] = [];
  #pause = minPollMs;
  readonly #orders = new Batches<IssuedOrder>(maxOrders, () => this.#issueNext());
  #closing = Promise.resolve();
  #wake = Promise.withResolvers<void>();
  #failure: { readonly error: unknown } | undefined;
  readonly #loops: Promise<void>[] = [];

  constructor(options: CoordinatorOptions) {
    this.#o = options;
    this.#folded = options.folded;
    this.#read = options.folded;
  }

  get orderStore(): CoordinatorStore {
    return this.#o.orderStore;
  }

  get patience(): Patience {
    return this.#o;
  }

  /** The number of the last record that was heard. */
  get folded(): number {
    return this.#folded;
  }

  /** Begins to follow the run. */
  begin(): void {
    this.#loops.push(
      this.#repeat(() => this.#follow()),
      this.#repeat(() => this.#renew()),
      this.#repeat(() => this.#supervise()),
    );
  }

  issue(order: IssuedOrder): void {
    this.#orders.add(order);
  }

  /**
   * Nothing more is bought; undefined: buying goes on. What is asked later is written later, and orders that are issued
   * afterwards find it written: a phase that is closed must not close the next one.
   */
  close(why: string | undefined): void {
    this.#closing = this.#closing
      .then(() => retryWhileAway(this.#o, () => this.orderStore.close(why)))
      .catch((error: unknown) => this.#fail(error));
  }

  /** Renews the term; throws if it is over: what happens in the queue is another coordinator's now. */
  async holdsTerm(): Promise<void> {
    await retryWhileAway(this.#o, () => this.orderStore.renew(termMs));
  }

  /** Resolves when `hear` has something to tell, or to throw. */
  get news(): Promise<void> {
    return this.#wake.promise;
  }

  /** What has come by now. Throws when the term is over, or when the database cannot be used for good. */
  hear(): Heard {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#wake = Promise.withResolvers();
    const records = this.#records.splice(0);
    this.#folded = records.at(-1)?.seq ?? this.#folded;
    return { records, lost: this.#lost.splice(0) };
  }

  /** Stops following, reads the rest of the records, and keeps them for `hear`. */
  async end(): Promise<void> {
    await this.#orders.written();
    await this.#closing;
    this.#over.abort();
    await Promise.all(this.#loops);
    for (;;) {
      const more = await retryWhileAway(this.#o, () =>
        this.orderStore.records(this.#read, maxRecords),
      );
      if (more.length === 0) return;
      this.#take(more);
    }
  }

  /** Ends without reading anything more. */
  async abandon(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#loops);
  }

  async #issueNext(): Promise<void> {
    const orders = this.#orders.take();
    if (this.#failure !== undefined) return;
    try {
      await this.#closing;
      await this.#o.beforeIssue();
      await retryWhileAway(this.#o, () => this.orderStore.issue(orders));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #repeat(work: () => Promise<number>): Promise<void> {
    const { signal } = this.#over;
    try {
      while (!signal.aborted) await this.#o.clock.sleep(await work(), signal);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #follow(): Promise<number> {
    const more = await retryWhileAway(this.#o, () =>
      this.orderStore.records(this.#read, maxRecords),
    );
    this.#take(more);
    this.#pause = more.length > 0 ? minPollMs : Math.min(maxPollMs, this.#pause * 1.5);
    return more.length === maxRecords ? 0 : this.#pause;
  }

  async #renew(): Promise<number> {
    await this.holdsTerm();
    return renewMs;
  }

  async #supervise(): Promise<number> {
    const lost = await retryWhileAway(this.#o, () => this.orderStore.supervise());
    if (lost.length > 0) {
      this.#lost.push(...lost);
      this.#wake.resolve();
    }
    return superviseMs;
  }

  #take(records: readonly EngineRecord[]): void {
    const last = records.at(-1);
    if (last === undefined) return;
    this.#read = last.seq;
    this.#records.push(...records);
    this.#wake.resolve();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake.resolve();
  }
}
