// A budget, its ledger, and a service that charges as it likes: what a run does with them, a step at a time.
import { digestOf } from '../../../src/contract/base/digest.ts';
import { Ledger } from '../../../src/runner/journal/ledger.ts';
import type { NewEvent } from '../../../src/runner/journal/line.ts';
import { notTaken } from '../../../src/runner/journal/settled.ts';
import { Budget } from '../../../src/runner/run/budget.ts';
import { ItemRun } from '../../../src/runner/run/item-run.ts';
import type { AttachOrder, CreateOrder } from '../../../src/runner/run/jobs/job.ts';
import { fingerprintFrom } from '../../../src/runner/task/fingerprint.ts';

export interface Wanted {
  readonly kind: string;
  /** Settings that the price list does not tell apart. */
  readonly setting: string;
  readonly listed: number;
  /** Which item it is for. */
  readonly item: number;
}

/** A creation on its way. */
interface Creation {
  readonly order: CreateOrder | AttachOrder;
  readonly item: number;
  /** `unsent`: its intent is written. `unheard`: the service has charged it, and its answer is on the way. */
  stage: 'reserved' | 'unsent' | 'unheard' | 'heard' | 'lost' | 'over';
  /** Credits that the ledger holds for it: its reserve, then its charge. */
  held: number;
  /** Credits that the service has taken for it. */
  taken: number;
}

export class BudgetModel {
  readonly ledger = new Ledger();
  readonly budget: Budget;
  readonly creations: Creation[] = [];
  readonly #itemRuns = [0, 1, 2].map(
    () => new ItemRun({ steps: [], item: undefined, shared: undefined, outside: () => 'done' }),
  );
  /** What was held for all that was open when the last creation was sent. */
  #held = new Map<Creation, number>();
  #keys = 0;

  /** `earlier`: credits of a project that an earlier run has paid and this one waits for, by item; 0: none. */
  constructor(
    total: number | undefined,
    perItem: number | undefined,
    earlier: readonly number[] = [],
  ) {
    this.#write({ event: 'run', run: 1 });
    const paid = earlier.flatMap((credits, item) =>
      credits === 0 ? [] : [this.#paidBefore(item, credits)],
    );
    this.#write({ event: 'ended' });
    this.#write({ event: 'run', run: 2 });
    const { ledger } = this;
    const journal = {
      ledger,
      get account() {
        return ledger.account;
      },
    };
    this.budget = new Budget({ journal, total, perItem });
    for (const { item, order } of paid) {
      const itemRun = this.#itemRuns[item];
      if (itemRun === undefined) throw new Error('no item');
      this.budget.reserve(itemRun, order);
    }
  }

  /** What the service has taken in this run, net. */
  get taken(): number {
    return this.creations.reduce(
      (sum, { order, taken }) => sum + (order.operation === 'create' ? taken : 0),
      0,
    );
  }

  takenFor(item: number): number {
    return this.creations.reduce(
      (sum, creation) => sum + (creation.item === item ? creation.taken : 0),
      0,
    );
  }

  /** By how much the service took more than was held when the last creation was sent, for all that was open then. */
  get unforeseen(): number {
    let sum = 0;
    for (const [{ taken }, held] of this.#held) sum += Math.max(0, taken - held);
    return sum;
  }

  /** A project of the first run: its order waits for it in the second. */
  #paidBefore(item: number, credits: number): Pick<Creation, 'item' | 'order'> {
    const key = `earlier${item}`;
    const common = { key, task: key, kind: 'speech', attempts: 1, timeoutMs: 0 };
    const fingerprint = fingerprintFrom(digestOf({ key }));
    const order = { ...common, fingerprint, project: key, settled: false, since: 0, credits };
    const { task, kind } = common;
    this.#write({
      event: 'intent',
      job: fingerprint,
      task,
      kind,
      attempt: 1,
      name: key,
      reserve: credits,
    });
    this.#write({ event: 'created', job: fingerprint, project: key, credits });
    const attached = { item, order: { ...order, operation: 'attach' } } as const;
    this.creations.push({ ...attached, stage: 'heard', held: credits, taken: credits });
    return attached;
  }

  want({ kind, setting, listed, item }: Wanted): void {
    const itemRun = this.#itemRuns[item];
    if (itemRun === undefined) throw new Error('no item');
    const measure = { of: `${kind} ${setting}`, amount: Math.max(1, listed) };
    const expectation = { kind, measure, why: '', otherwise: listed };
    const grant = this.budget.ask(itemRun, expectation);
    if (!grant.granted) return;
    this.#keys += 1;
    const key = `j${this.#keys}`;
    const order: CreateOrder = {
      ...{
        operation: 'create',
        key,
        task: key,
        kind,
        attempts: 1,
        body: {},
        name: key,
        attempt: 1,
      },
      ...{ fingerprint: fingerprintFrom(digestOf({ key })), timeoutMs: 0 },
      ...{ reserve: grant.reserve, expectation },
    };
    this.budget.reserve(itemRun, order);
    this.creations.push({ order, item, stage: 'reserved', held: grant.reserve, taken: 0 });
  }

  /** The intent is written, or there is no money for it any more. */
  begin(creation: Creation): void {
    const grant = this.budget.recheck(creation.order.key);
    if (!grant.ok) return this.#complete(creation);
    if (creation.order.operation !== 'create') throw new Error('it was begun by an earlier run');
    const { fingerprint: job, task, kind, attempt, name, expectation } = creation.order;
    const { measure } = expectation;
    creation.held = grant.value;
    creation.stage = 'unsent';
    const reserve = creation.held;
    this.#tell(creation, { event: 'intent', job, task, kind, attempt, name, reserve, measure });
  }

  /** Sent, unless there is no money for it any more: the service takes what it likes. */
  send(creation: Creation, charge: number): void {
    if (!this.budget.recheck(creation.order.key).ok) return this.refuse(creation);
    creation.stage = 'unheard';
    this.#held = new Map(
      this.creations.flatMap((one) => (one.stage === 'over' ? [] : [[one, one.held]])),
    );
    creation.taken = charge;
  }

  answer(creation: Creation): void {
    const { fingerprint: job, key } = creation.order;
    creation.stage = 'heard';
    creation.held = creation.taken;
    this.#tell(creation, { event: 'created', job, project: key, credits: creation.taken });
  }

  /** The answer never comes. It stays open for ever: nobody knows what it came to. */
  lose(creation: Creation): void {
    const { fingerprint: job } = creation.order;
    creation.stage = 'lost';
    this.#tell(creation, { event: 'doubt', job, why: 'lost' });
    this.budget.release(creation.order.key);
  }

  refuse(creation: Creation): void {
    const { fingerprint: job } = creation.order;
    creation.taken = 0;
    this.#tell(creation, notTaken(job, { code: 'x', message: 'x' }));
    this.#complete(creation);
  }

  /** The project is over: its final charge, nothing when it failed. */
  finish(creation: Creation, charge: number): void {
    const { fingerprint: job } = creation.order;
    creation.taken = charge;
    const status = charge === 0 ? 'error' : 'complete';
    this.#tell(creation, { event: 'settled', job, status, credits: charge });
    this.#complete(creation);
  }

  #complete(creation: Creation): void {
    this.budget.release(creation.order.key);
    creation.stage = 'over';
  }

  #tell(creation: Creation, event: NewEvent): void {
    this.#write(event);
    this.budget.record(creation.order.key, event);
  }

  #write(event: NewEvent): void {
    const line = { seq: this.ledger.seq + 1, ...event, at: '2026-11-21T12:00:00.000Z' };
    const folded = this.ledger.apply({ type: 'event', line });
    if (!folded.ok) throw new Error(folded.error);
  }
}
