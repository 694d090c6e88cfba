// Writes what the orders of a worker record to the database in batches, one transaction after the other, in the order in which
// it was recorded. While one batch is on its way, the next one gathers.

import { DatabaseAway, type Patience, retryWhileAway } from './away.ts';
import { Batches } from './batches.ts';
import type { Ask, Batch, ClaimAnswer, Fact, FactAnswer, OrderEnd } from './database/batch.ts';
import { RunGone, type WorkerStore } from './database/worker-store.ts';

export interface BatchedRecorderOptions extends Patience {
  readonly orderStore: Pick<WorkerStore, 'commit'>;
  /** Called with each fact that is not written, because the run is gone, or the database is away when the worker ends. */
  readonly onLost?: ((fact: Fact) => void) | undefined;
}

const maxEntries = 500;
/** Between the beginnings of two batches. A busy worker writes a few large ones, because each locks the whole run. */
const batchIntervalMs = 20;

type Entry =
  | { readonly of: 'fact'; readonly fact: Fact; readonly done: Settle<FactAnswer> }
  | { readonly of: 'end'; readonly end: OrderEnd; readonly done: Settle<boolean> }
  | { readonly of: 'ask'; readonly ask: Ask; readonly done: Settle<ClaimAnswer> };

type Settle<T> = PromiseWithResolvers<T>;

export class BatchedRecorder {
  /** Rejects with what the database threw for good. */
  readonly failed: Promise<never>;
  readonly #o: BatchedRecorderOptions;
  readonly #fail: (error: unknown) => void;
  readonly #entries = new Batches<Entry>(maxEntries, () => this.#write());
  /** When the last batch began, by the clock's `elapsed`. */
  #begun = Number.NEGATIVE_INFINITY;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: BatchedRecorderOptions) {
    this.#o = options;
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    // A caller may only flush: `flush` rejects with the same error.
    this.failed.catch(() => undefined);
    this.#fail = reject;
  }

  fact(fact: Fact): Promise<FactAnswer> {
    return this.#add((done) => ({ of: 'fact', fact, done }));
  }

  end(end: OrderEnd): Promise<boolean> {
    return this.#add((done) => ({ of: 'end', end, done }));
  }

  ask(ask: Ask): Promise<ClaimAnswer> {
    return this.#add((done) => ({ of: 'ask', ask, done }));
  }

  /** Resolves when everything that was said is in the database; rejects with what the database threw. */
  async flush(): Promise<void> {
    await this.#entries.written();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #add<T>(entry: (done: Settle<T>) => Entry): Promise<T> {
    const done = Promise.withResolvers<T>();
    // Not everyone who says something waits for the answer; `flush` reports a failure.
    done.promise.catch(() => undefined);
    const added = entry(done);
    if (this.#failure === undefined) this.#entries.add(added);
    else this.#refuse([added], this.#failure.error);
    return done.promise;
  }

  #refuse(entries: readonly Entry[], error: unknown): void {
    for (const entry of entries) {
      const isLost = error instanceof RunGone || error instanceof DatabaseAway;
      if (entry.of === 'fact' && isLost) this.#o.onLost?.(entry.fact);
      entry.done.reject(error);
    }
  }

  async #write(): Promise<void> {
    if (this.#failure !== undefined) return this.#refuse(this.#entries.take(), this.#failure.error);
    const { clock, quit } = this.#o;
    const pause = this.#begun + batchIntervalMs - clock.elapsed();
    if (pause > 0) await clock.sleep(pause, quit);
    this.#begun = clock.elapsed();
    const entries = this.#entries.take();
    try {
      await this.#commit(entries);
    } catch (error) {
      this.#failure = { error };
      this.#refuse(entries, error);
      this.#fail(error);
    }
  }

  /** An order says its facts before it ends or asks, and says nothing between a question and its answer. */
  async #commit(entries: readonly Entry[]): Promise<void> {
    const facts = entries.filter((entry) => entry.of === 'fact');
    const ends = entries.filter((entry) => entry.of === 'end');
    const asks = entries.filter((entry) => entry.of === 'ask');
    const batch: Batch = {
      facts: facts.map(({ fact }) => fact),
      ends: ends.map(({ end }) => end),
      asks: asks.map(({ ask }) => ask),
    };
    const answer = await retryWhileAway(this.#o, () => this.#o.orderStore.commit(batch));
    answerAll(facts, answer.facts);
    answerAll(ends, answer.ends);
    answerAll(asks, answer.claims);
  }
}

function answerAll<T>(
  entries: readonly { readonly done: Settle<T> }[],
  answers: readonly T[],
): void {
  for (const [index, { done }] of entries.entries()) {
    const answer = answers[index];
    if (answer === undefined) done.reject(new Error('bug: the database left a question open'));
    else done.resolve(answer);
  }
}
