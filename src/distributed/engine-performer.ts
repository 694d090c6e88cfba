// The performer of a distributed run: orders go to the queue, and what happens to them comes back as records. What needs this
// process performs here: hashing files that the coordinator looks at, waiting for webhook events, and what the receipts are
// about.
import type { Result } from '../base/result.ts';
import type { JobOrder, JobOutcome } from '../run/jobs/job.ts';
import { failed, paidElsewhere, stopped } from '../run/jobs/outcome.ts';
import type { OrderJournal, Performer, PerformerListener } from '../run/jobs/ports.ts';
import type { RunEvent } from '../run/run-event.ts';
import type { Coordinator, Heard } from './coordinator.ts';
import type { OrderClaims } from './order-claims.ts';
import { insistently } from './patience.ts';
import type { EngineRecord } from './ports.ts';
import type { SharedOutages } from './shared-outages.ts';

export interface EnginePerformerOptions {
  readonly coordinator: Coordinator;
  /** Names the coordinator in its own records. */
  readonly writer: string;
  /** Distinguishes the keys of this performer from those of others in the same term. */
  readonly phase: number;
  readonly local: Performer;
  /** The most concurrent jobs of a step kind, on all workers together. */
  readonly limits: Readonly<Record<string, number>>;
  /** Checks an outcome from the database. */
  readonly read: (value: unknown) => Result<JobOutcome, string>;
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
}

export class EnginePerformer implements Performer {
  readonly #o: EnginePerformerOptions;
  /** Orders in the queue or at a worker, by the key in the database. */
  readonly #issued = new Map<string, Issued>();
  /** Those of them that a worker has begun. */
  readonly #begun = new Set<string>();
  readonly #counts = new Map<string, number>();
  /** Orders that wait for a place of their step kind. */
  readonly #held = new Map<string, Issued[]>();
  readonly #over = Promise.withResolvers<void>();
  #listener: PerformerListener | undefined;
  #isOver = false;
  #aborted = false;

  constructor(options: EnginePerformerOptions) {
    this.#o = options;
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
    const { local, isHere } = this.#o;
    if (localOperations.includes(order.operation) || isHere?.(order) === true)
      return local.perform(order, journal);
    if (this.#aborted) return Promise.resolve(stopped);
    return new Promise((end) => this.#hold({ order, journal, end }));
  }

  #hold(issued: Issued): void {
    const { kind } = issued.order;
    const limit = this.#o.limits[kind];
    if (limit === undefined || (this.#counts.get(kind) ?? 0) < limit) {
      this.#issue(issued);
      return;
    }
    const held = this.#held.get(kind);
    if (held === undefined) this.#held.set(kind, [issued]);
    else held.push(issued);
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
    for (const orders of this.#held.values()) for (const { end } of orders.splice(0)) end(stopped);
    const { orderStore, term } = this.#o.coordinator;
    this.#tell(() => orderStore.stop(term));
    void this.#takeBack();
  }

  /** False: the order is over already. */
  #issue(issued: Issued): boolean {
    const { coordinator, phase, claims } = this.#o;
    const { order, end } = issued;
    if (order.operation === 'create' && claims?.claim(order) === false) {
      end({ is: 'withheld', why: paidElsewhere });
      return false;
    }
    const { epoch } = coordinator.term;
    const key = `${epoch}.${phase}.${order.key}`;
    this.#issued.set(key, issued);
    this.#counts.set(order.kind, (this.#counts.get(order.kind) ?? 0) + 1);
    // What was heard is in the ledger: `#hear` hands it over at once.
    coordinator.issue({ order: { ...order, key }, epoch, seen: coordinator.folded });
    return true;
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
    const { writer, read, onEvent } = this.#o;
    if (record.by === writer) return;
    const issued = this.#issued.get(record.key);
    switch (record.is) {
      case 'event': {
        const { event, at } = record;
        this.#begin(record.key, issued);
        if (event.event === 'intent') this.#o.claims?.begun(event.name);
        if (issued === undefined) this.#listener?.recorded(event, at);
        else issued.journal.recorded(event, at);
        if (issued === undefined && event.event === 'created') this.#o.onHealed(event.job);
        return;
      }
      case 'begun':
        return this.#begin(record.key, issued);
      case 'ended': {
        this.#begin(record.key, issued);
        const outcome = read(record.outcome);
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

  /** The first record of an order says that it was begun: most orders end so soon that no record says only that. */
  #begin(key: string, issued: Issued | undefined): void {
    if (issued === undefined || this.#begun.has(key)) return;
    this.#begun.add(key);
    issued.journal.begun();
  }

  #ended(key: string, outcome: JobOutcome): void {
    const issued = this.#issued.get(key);
    if (issued === undefined) return;
    const { kind } = issued.order;
    this.#issued.delete(key);
    this.#begun.delete(key);
    this.#counts.set(kind, (this.#counts.get(kind) ?? 1) - 1);
    issued.end(outcome);
    const held = this.#held.get(kind);
    for (let next = held?.shift(); next !== undefined; next = held?.shift())
      if (this.#issue(next)) return;
  }

  /** Until every order has ended: workers end what they perform, and the rest is taken out of the queue. */
  async #takeBack(): Promise<void> {
    const { coordinator } = this.#o;
    const { clock, quit } = coordinator.patience;
    try {
      while (this.#issued.size > 0 && !quit.aborted) {
        await coordinator.holdsTerm();
        const taken = await insistently(coordinator.patience, () =>
          coordinator.orderStore.takeQueued(),
        );
        for (const key of taken) this.#ended(key, stopped);
        await clock.sleep(200, quit);
      }
    } catch (error) {
      this.#listener?.fail(error);
    }
  }

  #tell(call: () => Promise<void>): void {
    insistently(this.#o.coordinator.patience, call).catch((error: unknown) =>
      this.#listener?.fail(error),
    );
  }
}

function refusedText({ event, by }: Extract<EngineRecord, { readonly is: 'refused' }>): string {
  if (event.event === 'created')
    return (
      `${by} reports that the service created project ${event.project} for a task that is not waiting for it: ` +
      'look at it in the hub; it may have been charged'
    );
  return `${by} reports "${event.event}" for a task that is not waiting for it`;
}
