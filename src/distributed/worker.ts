// A worker: takes orders from the queue of one run, performs so many at once, and keeps their leases. It decides nothing.
import { bugOf } from '../base/bug.ts';
import { isObject } from '../base/json.ts';
import type { Result } from '../base/result.ts';
import { drive } from '../run/jobs/drive.ts';
import type { JobOutcome } from '../run/jobs/job.ts';
import type { Attention, JobContext } from '../run/jobs/job-context.ts';
import { failed } from '../run/jobs/outcome.ts';
import type { Clock } from '../run/jobs/ports.ts';
import type { OutageEvent } from '../run/run-event.ts';
import { DatabaseAway, type Patience, retryWhileAway } from './away.ts';
import { BatchedRecorder } from './batched-recorder.ts';
import type { Fact, IssuedOrder, Lease } from './database/batch.ts';
import { type Delivery, RunGone, type WorkerStore } from './database/worker-store.ts';
import { OrderRecorder } from './order-recorder.ts';
import type { Promptness } from './promptness.ts';

export interface WorkerOptions extends Patience {
  readonly orderStore: WorkerStore;
  readonly clock: Clock;
  /** Unique to the process. */
  readonly worker: string;
  /** The number of orders that are performed at once. */
  readonly places: number;
  readonly promptness: Promptness;
  /** Checks an order from the queue. */
  readonly read: (value: unknown) => Result<IssuedOrder, string>;
  /** The context of one order. `stop`: aborted when the order must end soon. */
  readonly contextFor: (lease: Lease, attention: Attention, stop: AbortSignal) => JobContext;
  /** Called with each fact that is not written, because the run is gone, or the database is away when the worker ends. */
  readonly onLost?: ((fact: Fact) => void) | undefined;
  /** Aborted: nothing more is fetched, and what is being performed is completed. */
  readonly leave: AbortSignal;
}

/** How often leases are renewed, in milliseconds; they last ten seconds. */
const beatMs = 2_500;
const minPollMs = 20;
const maxPollMs = 500;
/** A project that needs a longer pause than this between two looks gives up its place, in milliseconds. */
const longestPauseMs = 400;

interface Performing {
  readonly lease: Lease;
  readonly lapsed: AbortController;
  readonly over: Promise<void>;
}

/** `over`: the run is over. `left`: the worker was asked to leave. */
export type WorkerEnd = 'over' | 'left';

export class Worker {
  readonly #o: WorkerOptions;
  readonly #batchedRecorder: BatchedRecorder;
  readonly #performing = new Map<string, Performing>();
  readonly #recorders = new Set<OrderRecorder>();
  /** Aborted when the run stops: what is being performed ends soon. */
  readonly #stopping = new AbortController();
  readonly #over = new AbortController();
  /** Rejects with what no outcome of an order can say. */
  readonly #broken = Promise.withResolvers<never>();
  #told = 0;
  #freed = Promise.withResolvers<void>();

  constructor(options: WorkerOptions) {
    this.#o = options;
    this.#batchedRecorder = new BatchedRecorder(options);
  }

  /** Performs orders until the run is over or the worker leaves. Rejects with whatever the database threw for good. */
  async run(): Promise<WorkerEnd> {
    const { leave, quit } = this.#o;
    const ended = new AbortController();
    const idle = AbortSignal.any([leave, quit, this.#over.signal, ended.signal]);
    const beats = this.#beats(AbortSignal.any([quit, ended.signal]));
    try {
      // A worker that can record nothing, or perform nothing, must not take orders from those that can.
      const broken = [beats, this.#batchedRecorder.failed, this.#broken.promise];
      await Promise.race([this.#fetches(idle), ...broken]);
      await Promise.race([this.#drained(), ...broken]);
      await this.#batchedRecorder.flush();
      return this.#over.signal.aborted ? 'over' : 'left';
    } catch (error) {
      if (error instanceof RunGone) return 'over';
      // The database was away until the grace period ended: whatever noticed it first, each order still reports
      // what cannot be recorded, through `onLost`.
      if (error instanceof DatabaseAway) await this.#abandon();
      throw error;
    } finally {
      ended.abort();
    }
  }

  async #abandon(): Promise<void> {
    this.#stopping.abort();
    await this.#drained();
    try {
      await this.#batchedRecorder.flush();
    } catch (error) {
      // It failed in the same way, or fails now. Anything else is worse than a database that is away.
      if (!(error instanceof DatabaseAway)) throw error;
    }
  }

  /** Tells the coordinator what this worker sees of the service. */
  tell(event: OutageEvent): void {
    const { worker, clock } = this.#o;
    this.#told += 1;
    const id = `${worker}/told/${clock.now()}/${this.#told}`;
    void this.#batchedRecorder.fact({ is: 'told', id, key: '', told: { ...event } });
  }

  async #drained(): Promise<void> {
    await Promise.all([...this.#performing.values()].map(({ over }) => over));
  }

  async #fetches(idle: AbortSignal): Promise<void> {
    const { orderStore, clock, places } = this.#o;
    let pause = minPollMs;
    const idled = aborted(idle);
    while (!idle.aborted) {
      const free = places - this.#performing.size;
      if (free === 0) {
        await Promise.race([this.#freed.promise, idled]);
        // Places become free in groups, because answers come in batches.
        await clock.sleep(5, idle);
        continue;
      }
      const deliveries = await retryWhileAway(this.#o, () => orderStore.fetch(free));
      for (const delivery of deliveries) this.#take(delivery);
      pause = deliveries.length > 0 ? minPollMs : Math.min(maxPollMs, pause * 2);
      if (deliveries.length < free) await clock.sleep(pause, idle);
    }
  }

  #take(delivery: Delivery): void {
    const { lease } = delivery;
    const lapsed = new AbortController();
    const over = this.#perform(delivery, lapsed.signal)
      .catch((error: unknown) => this.#broken.reject(error))
      .finally(() => {
        this.#performing.delete(nameOf(lease));
        this.#freed.resolve();
        this.#freed = Promise.withResolvers();
      });
    this.#performing.set(nameOf(lease), { lease, lapsed, over });
  }

  async #perform({ lease, issued }: Delivery, lapsed: AbortSignal): Promise<void> {
    const { read, contextFor, worker, promptness, clock } = this.#o;
    const order = read(issued);
    if (!order.ok) return await this.#unreadable({ lease, issued }, order.error);
    const stop = AbortSignal.any([lapsed, this.#stopping.signal]);
    const batchedRecorder = this.#batchedRecorder;
    const recorder = new OrderRecorder({
      issued: order.value,
      lease,
      worker,
      batchedRecorder,
      promptness,
      clock,
      stop,
    });
    this.#recorders.add(recorder);
    const { seenMs = 0 } = order.value;
    const context = contextFor(lease, { kind: 'park', longestPauseMs, seenMs }, stop);
    let outcome: JobOutcome;
    try {
      outcome = await drive(order.value.order, context, recorder);
    } catch (error) {
      if (error instanceof DatabaseAway || error instanceof RunGone) throw error;
      outcome = { is: 'bug', bug: bugOf(error) };
    } finally {
      this.#recorders.delete(recorder);
    }
    // After its lease has lapsed, another worker performs the order.
    if (!lapsed.aborted) await recorder.end(outcome);
  }

  /** Another version of shotlist may have written it. */
  async #unreadable({ lease, issued }: Delivery, why: string): Promise<void> {
    const key = keyIn(issued);
    const outcome = failed(`a worker cannot read its order: ${why}`, 'order');
    if (key !== undefined) await this.#batchedRecorder.end({ is: 'ended', lease, key, outcome });
  }

  async #beats(over: AbortSignal): Promise<void> {
    const { orderStore, clock } = this.#o;
    while (!over.aborted) {
      await clock.sleep(beatMs, over);
      if (over.aborted) return await new Promise(() => undefined);
      for (const recorder of this.#recorders) recorder.remind();
      const leases = [...this.#performing.values()].map(({ lease }) => lease);
      const beat = await retryWhileAway(this.#o, () => orderStore.beat(leases, leases.length));
      for (const lease of beat.lost) this.#performing.get(nameOf(lease))?.lapsed.abort();
      if (beat.stopping) this.#stopping.abort();
      if (beat.over) this.#over.abort();
    }
  }
}

const nameOf = ({ id, retry }: Lease): string => `${id}/${retry}`;

function keyIn(issued: unknown): string | undefined {
  const order = isObject(issued) ? issued['order'] : undefined;
  const key = isObject(order) ? order['key'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
