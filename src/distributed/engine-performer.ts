// The performer of a distributed run: orders go to the queue, and what happens to them comes back as records. What needs this
// process performs here: hashing files that the coordinator looks at, waiting for webhook events, and what the receipts are
// about.
import pLimit, { type LimitFunction } from 'p-limit';
import type { CreateOrder, JobOrder, JobOutcome } from '../run/jobs/job.ts';
import { failed, paidElsewhere, stopped } from '../run/jobs/outcome.ts';
import type { OrderJournal, Performer, PerformerListener } from '../run/jobs/ports.ts';
import { readOutcome } from '../run/jobs/wire-schemas.ts';
import type { RunEvent } from '../run/run-event.ts';
import { retryWhileAway } from './away.ts';
import type { Coordinator, Heard } from './coordinator.ts';
import type { EngineRecord } from './database/coordinator-store.ts';
import type { SharedOutages } from './shared-outages.ts';

/**
 * What the user's receipts say of the creations that a coordinator orders. Workers send them, so a creation is claimed
 * before its order is issued: from then on, it may be sent at any time, also after the coordinator has died.
 */
export interface OrderClaims {
  /** False: somebody else on this machine pays for the same request, and the order must not be issued. */
  claim(order: CreateOrder): boolean;
  /** The intent of the attempt is recorded: the record tells what becomes of it. */
  begun(name: string): void;
  /** The order is over, and no attempt of this name was begun. */
  withdraw(name: string): void;
}

export interface EnginePerformerOptions {
  readonly coordinator: Coordinator;
  /** Distinguishes the keys of this performer from those of others in the same term. */
  readonly phase: number;
  readonly local: Performer;
  /** The most concurrent jobs of a step kind, on all workers together. */
  readonly limits: Readonly<Record<string, number>>;
  readonly onEvent: (event: RunEvent) => void;
  /** What the workers of the run report of the service. */
  readonly outages: Pick<SharedOutages, 'hear' | 'lapse'>;
  /** Default: nothing is remembered outside the record. */
  readonly claims?: OrderClaims | undefined;
  /** True if only this host can read what the order needs. */
  readonly isHere?: ((order: JobOrder) => boolean) | undefined;
  /** Called when a creation turned out to be paid after its order had ended. */
  readonly onHealed: (job: string) => void;
}

/** What a coordinator looks at before it orders something of the workers. */
export type Ordering = Pick<EnginePerformerOptions, 'claims' | 'isHere'>;

const localOperations: readonly JobOrder['operation'][] = ['digest', 'await', 'settle'];

/** An order that workers perform. */
interface Issued {
  readonly order: JobOrder;
  readonly journal: OrderJournal;
  readonly end: (outcome: JobOutcome) => void;
  /** A worker has begun it. */
  begun: boolean;
}

export class EnginePerformer implements Performer {
  readonly #o: EnginePerformerOptions;
  /** Orders in the queue or at a worker, by the key in the database. */
  readonly #issued = new Map<string, Issued>();
  /** By step kind. */
  readonly #limiters: ReadonlyMap<string, LimitFunction>;
  readonly #over = Promise.withResolvers<void>();
  #listener: PerformerListener | undefined;
  #isOver = false;
  #aborted = false;

  constructor(options: EnginePerformerOptions) {
    this.#o = options;
    this.#limiters = new Map(
      Object.entries(options.limits).map(([kind, limit]) => [kind, pLimit(limit)]),
    );
    options.coordinator.close(undefined);
  }

  begin(listener: PerformerListener): void {
    this.#listener = listener;
    void this.#follow(listener);
  }

  end(): void {
    this.#isOver = true;
    this.#over.resolve();
  }

  perform(order: JobOrder, journal: OrderJournal): Promise<JobOutcome> {
    const { local, isHere, coordinator } = this.#o;
    if (localOperations.includes(order.operation) || isHere?.(order) === true)
      return local.perform(order, journal);
    // What was heard is in the ledger, where the price in the order comes from: `#hear` hands it over at once.
    const seen = coordinator.folded;
    const limiter = this.#limiters.get(order.kind);
    const issue = () => this.#issue(order, journal, seen);
    return limiter === undefined ? issue() : limiter(issue);
  }

  /** Takes what has been recorded into account, as long as the run goes on. */
  async #follow({ fail }: PerformerListener): Promise<void> {
    const { coordinator } = this.#o;
    try {
      while (!this.#isOver) {
        this.#hear(coordinator.hear());
        await Promise.race([coordinator.news, this.#over.promise]);
      }
    } catch (error) {
      fail(error);
    }
  }

  close(why: string): void {
    this.#o.coordinator.close(why);
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#o.local.abort();
    void this.#takeBack();
  }

  /** Resolves when the order has ended. */
  async #issue(order: JobOrder, journal: OrderJournal, seen: number): Promise<JobOutcome> {
    const { coordinator, phase, claims } = this.#o;
    if (this.#aborted) return stopped;
    if (order.operation === 'create' && claims?.claim(order) === false)
      return { is: 'withheld', why: paidElsewhere };
    const { epoch } = coordinator.orderStore;
    const key = `${epoch}.${phase}.${order.key}`;
    const { promise, resolve } = Promise.withResolvers<JobOutcome>();
    this.#issued.set(key, { order, journal, end: resolve, begun: false });
    coordinator.issue({ order: { ...order, key }, epoch, seen });
    return await promise;
  }

  #hear({ records, lost }: Heard): void {
    for (const record of records) this.#hearOne(record);
    this.#o.outages.lapse();
    for (const key of lost) {
      const why = 'workers died again and again while they performed it';
      this.#ended(key, failed(why, 'order'));
    }
  }

  #hearOne(record: EngineRecord): void {
    const { coordinator, onEvent } = this.#o;
    if (record.by === coordinator.orderStore.writer) return;
    const issued = this.#issued.get(record.key);
    switch (record.is) {
      case 'event': {
        const { event, at } = record;
        begin(issued);
        if (event.event === 'intent') this.#o.claims?.begun(event.name);
        if (issued === undefined) this.#listener?.recorded(event, at);
        else issued.journal.recorded(event, at);
        if (issued === undefined && event.event === 'created') this.#o.onHealed(event.job);
        return;
      }
      case 'begun':
        return begin(issued);
      case 'ended': {
        begin(issued);
        const outcome = readOutcome(record.outcome);
        // An order says that it begins an attempt before it ends.
        if (issued?.order.operation === 'create') this.#o.claims?.withdraw(issued.order.name);
        const why = 'a worker reported its end in a form that this version cannot read';
        return this.#ended(record.key, outcome.ok ? outcome.value : failed(why, 'order'));
      }
      case 'told':
        return this.#o.outages.hear(record.by, record.told);
      case 'refused':
        return onEvent({ type: 'warning', message: refusedText(record) });
    }
  }

  #ended(key: string, outcome: JobOutcome): void {
    const issued = this.#issued.get(key);
    if (issued === undefined) return;
    this.#issued.delete(key);
    issued.end(outcome);
  }

  /** Until every order has ended: the workers are asked to end what they perform, and the rest is taken out of the queue. */
  async #takeBack(): Promise<void> {
    const { coordinator } = this.#o;
    const { orderStore, patience } = coordinator;
    const { clock, quit } = patience;
    try {
      await retryWhileAway(patience, () => orderStore.stop());
      while (this.#issued.size > 0 && !quit.aborted) {
        await coordinator.holdsTerm();
        const taken = await retryWhileAway(patience, () => orderStore.takeQueued());
        for (const key of taken) this.#ended(key, stopped);
        await clock.sleep(200, quit);
      }
    } catch (error) {
      this.#listener?.fail(error);
    }
  }
}

/** The first record of an order says that it was begun: most orders end so soon that no record says only that. */
function begin(issued: Issued | undefined): void {
  if (issued === undefined || issued.begun) return;
  issued.begun = true;
  issued.journal.begun();
}

function refusedText({ event, by }: Extract<EngineRecord, { readonly is: 'refused' }>): string {
  if (event.event === 'created')
    return (
      `${by} reports that the service created project ${event.project} for a task that is not waiting for it: ` +
      'look at it in the hub; it may have been charged'
    );
  return `${by} reports "${event.event}" for a task that is not waiting for it`;
}
