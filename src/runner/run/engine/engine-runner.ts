// The runner of a distributed run: orders go to the queue, and what happens to them comes back as records. What needs this
// process performs here: hashing files that the coordinator looks at, waiting for webhook events, and what the receipts are
// about.
import type { Result } from '../../../contract/base/result.ts';
import type { RunEvent } from '../../report/run-event.ts';
import type { JobOrder, JobOutcome } from '../jobs/job.ts';
import { failed, paidElsewhere, stopped } from '../jobs/outcome.ts';
import type { Notice, Runner } from '../jobs/ports.ts';
import type { Coordinator, Heard } from './coordinator.ts';
import type { OrderClaims } from './order-claims.ts';
import { insistently } from './patience.ts';
import type { EngineRecord } from './ports.ts';
import type { SharedOutages } from './shared-outages.ts';

export interface EngineRunnerOptions {
  readonly coordinator: Coordinator;
  /** Names the coordinator in its own records. */
  readonly writer: string;
  /** Distinguishes the keys of this runner from those of others in the same term. */
  readonly phase: number;
  readonly local: Runner;
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
export type Ordering = Pick<EngineRunnerOptions, 'claims' | 'isHere'>;

const localOperations: readonly JobOrder['operation'][] = ['digest', 'await', 'settle'];

export class EngineRunner implements Runner {
  readonly #o: EngineRunnerOptions;
  /** Orders in the queue or at a worker, by the key in the database. */
  readonly #issued = new Map<string, JobOrder>();
  /** Those of them that a worker has begun. */
  readonly #begun = new Set<string>();
  readonly #counts = new Map<string, number>();
  /** Orders that wait for a place of their step kind. */
  readonly #held = new Map<string, JobOrder[]>();
  readonly #notices: Notice[] = [];
  /** The number of the last record that the loop has taken into account, and that of the last one it was given. */
  #handled: number;
  #given: number;
  #local: Promise<readonly Notice[]> | undefined;
  #nudge = Promise.withResolvers<void>();
  #failure: { readonly error: unknown } | undefined;
  #aborted = false;

  constructor(options: EngineRunnerOptions) {
    this.#o = options;
    const { coordinator } = options;
    this.#handled = coordinator.folded;
    this.#given = coordinator.folded;
    coordinator.close(undefined);
  }

  start(order: JobOrder): void {
    const { local, isHere } = this.#o;
    if (localOperations.includes(order.operation) || isHere?.(order) === true)
      return local.start(order);
    if (this.#aborted) return this.#end(order.key, stopped);
    const limit = this.#o.limits[order.kind];
    if (limit !== undefined && (this.#counts.get(order.kind) ?? 0) >= limit) {
      const held = this.#held.get(order.kind);
      if (held === undefined) this.#held.set(order.kind, [order]);
      else held.push(order);
      return;
    }
    this.#issue(order);
  }

  async next(): Promise<readonly Notice[]> {
    const { coordinator, local } = this.#o;
    // The loop asks for the next notices when it has dealt with the last ones.
    this.#handled = this.#given;
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      this.#hear(coordinator.hear());
      if (this.#notices.length > 0) break;
      this.#nudge = Promise.withResolvers();
      this.#local ??= local.next();
      const here = await Promise.race([coordinator.news, this.#local, this.#nudge.promise]);
      if (here === undefined) continue;
      this.#local = undefined;
      this.#notices.push(...here);
    }
    this.#given = coordinator.folded;
    return this.#notices.splice(0);
  }

  proceed(key: string): void {
    this.#o.local.proceed(key);
  }

  decline(key: string, why: string): void {
    this.#o.local.decline(key, why);
  }

  close(why: string): void {
    this.#o.coordinator.close(why);
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#o.local.abort();
    for (const orders of this.#held.values())
      for (const { key } of orders.splice(0)) this.#end(key, stopped);
    const { desk, term } = this.#o.coordinator;
    this.#tell(() => desk.stop(term));
    void this.#takeBack();
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#nudge.resolve();
  }

  /** False: the order is over already. */
  #issue(order: JobOrder): boolean {
    const { coordinator, phase, claims } = this.#o;
    if (order.operation === 'create' && claims?.claim(order) === false) {
      this.#end(order.key, { is: 'withheld', why: paidElsewhere });
      return false;
    }
    const { epoch } = coordinator.term;
    const key = `${epoch}.${phase}.${order.key}`;
    this.#issued.set(key, order);
    this.#counts.set(order.kind, (this.#counts.get(order.kind) ?? 0) + 1);
    coordinator.issue({ order: { ...order, key }, epoch, seen: this.#handled });
    return true;
  }

  #hear({ records, lost }: Heard): void {
    for (const record of records) this.#hearOne(record);
    this.#o.outages.lapse();
    for (const key of lost) {
      const why = 'workers died again and again while they performed it';
      this.#over(key, failed(why, 'order'));
    }
  }

  #hearOne(record: EngineRecord): void {
    const { writer, read, onEvent } = this.#o;
    if (record.by === writer) return;
    const order = this.#issued.get(record.key);
    switch (record.is) {
      case 'event': {
        const { event, at } = record;
        this.#begin(record.key, order);
        if (event.event === 'intent') this.#o.claims?.begun(event.name);
        this.#notices.push({ is: 'recorded', key: order?.key, event, at });
        if (order === undefined && event.event === 'created') this.#o.onHealed(event.job);
        return;
      }
      case 'begun':
        return this.#begin(record.key, order);
      case 'ended': {
        this.#begin(record.key, order);
        const outcome = read(record.outcome);
        // An order says that it begins an attempt before it ends.
        if (order?.operation === 'create') this.#o.claims?.withdraw(order.name);
        const why = 'a worker reported its end in a form that this version cannot read';
        return this.#over(record.key, outcome.ok ? outcome.value : failed(why, 'order'));
      }
      case 'told':
        return this.#o.outages.hear(record.by, record.told);
      case 'refused':
        return onEvent({ type: 'warning', message: refusedText(record) });
    }
  }

  /** The first record of an order says that it was begun: most orders end so soon that no record says only that. */
  #begin(issuedKey: string, order: JobOrder | undefined): void {
    if (order === undefined || this.#begun.has(issuedKey)) return;
    this.#begun.add(issuedKey);
    this.#notices.push({ is: 'begun', key: order.key });
  }

  #over(issuedKey: string, outcome: JobOutcome): void {
    const order = this.#issued.get(issuedKey);
    if (order === undefined) return;
    this.#issued.delete(issuedKey);
    this.#begun.delete(issuedKey);
    const count = (this.#counts.get(order.kind) ?? 1) - 1;
    this.#counts.set(order.kind, count);
    this.#end(order.key, outcome);
    const held = this.#held.get(order.kind);
    for (let next = held?.shift(); next !== undefined; next = held?.shift())
      if (this.#issue(next)) return;
  }

  #end(key: string, outcome: JobOutcome): void {
    this.#notices.push({ is: 'ended', key, outcome });
    this.#nudge.resolve();
  }

  /** Until every order has ended: workers end what they perform, and the rest is taken out of the queue. */
  async #takeBack(): Promise<void> {
    const { coordinator } = this.#o;
    const { clock, quit } = coordinator.patience;
    try {
      while (this.#issued.size > 0 && !quit.aborted) {
        await coordinator.holdsTerm();
        const taken = await insistently(coordinator.patience, () => coordinator.desk.takeQueued());
        for (const key of taken) this.#over(key, stopped);
        await clock.sleep(200, quit);
      }
    } catch (error) {
      this.fail(error);
    }
  }

  #tell(call: () => Promise<void>): void {
    insistently(this.#o.coordinator.patience, call).catch((error: unknown) => this.fail(error));
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
