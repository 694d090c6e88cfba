// A budget, its ledger, and a service that charges as it likes: what a run does with them, a step at a time.
import { digestOf } from '../../../src/contract/base/digest.ts';
import { Ledger } from '../../../src/runner/journal/ledger.ts';
import type { Happened } from '../../../src/runner/journal/line.ts';
import { notTaken } from '../../../src/runner/journal/settled.ts';
import { Budget } from '../../../src/runner/run/budget.ts';
import { ItemRun } from '../../../src/runner/run/item-run.ts';
import type { CreateOrder } from '../../../src/runner/run/jobs/job.ts';
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
interface Trip {
  readonly order: CreateOrder;
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
  readonly trips: Trip[] = [];
  readonly #itemRuns = [0, 1, 2].map(
    () => new ItemRun({ steps: [], item: undefined, shared: undefined, outside: () => 'done' }),
  );
  /** What was held for all that was open when the last creation was sent. */
  #held = new Map<Trip, number>();
  #keys = 0;

  constructor(total: number | undefined, perItem: number | undefined) {
    this.#write({ event: 'run', run: 1 });
    const { ledger } = this;
    const journal = {
      ledger,
      get account() {
        return ledger.account;
      },
    };
    this.budget = new Budget({ journal, total, perItem });
  }

  /** What the service has taken, net. */
  get taken(): number {
    return this.trips.reduce((sum, trip) => sum + trip.taken, 0);
  }

  takenFor(item: number): number {
    return this.trips.reduce((sum, trip) => sum + (trip.item === item ? trip.taken : 0), 0);
  }

  /** By how much the service took more than was held when the last creation was sent, for all that was open then. */
  get unforeseen(): number {
    let sum = 0;
    for (const [{ taken }, held] of this.#held) sum += Math.max(0, taken - held);
    return sum;
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
    this.trips.push({ order, item, stage: 'reserved', held: grant.reserve, taken: 0 });
  }

  /** The intent is written, or there is no money for it any more. */
  begin(trip: Trip): void {
    const grant = this.budget.recheck(trip.order.key);
    if (!grant.ok) return this.#complete(trip);
    const { fingerprint: job, task, kind, attempt, name, expectation } = trip.order;
    const { measure } = expectation;
    trip.held = grant.value;
    trip.stage = 'unsent';
    const reserve = trip.held;
    this.#tell(trip, { event: 'intent', job, task, kind, attempt, name, reserve, measure });
  }

  /** Sent, unless there is no money for it any more: the service takes what it likes. */
  send(trip: Trip, charge: number): void {
    if (!this.budget.recheck(trip.order.key).ok) return this.refuse(trip);
    trip.stage = 'unheard';
    this.#held = new Map(
      this.trips.flatMap((one) => (one.stage === 'over' ? [] : [[one, one.held]])),
    );
    trip.taken = charge;
  }

  answer(trip: Trip): void {
    const { fingerprint: job, key } = trip.order;
    trip.stage = 'heard';
    trip.held = trip.taken;
    this.#tell(trip, { event: 'created', job, project: key, credits: trip.taken });
  }

  /** The answer never comes. It stays open for ever: nobody knows what it came to. */
  lose(trip: Trip): void {
    const { fingerprint: job } = trip.order;
    trip.stage = 'lost';
    this.#tell(trip, { event: 'doubt', job, why: 'lost' });
    this.budget.release(trip.order.key);
  }

  refuse(trip: Trip): void {
    const { fingerprint: job } = trip.order;
    trip.taken = 0;
    this.#tell(trip, notTaken(job, { code: 'x', message: 'x' }));
    this.#complete(trip);
  }

  /** The project is over: its final charge, nothing when it failed. */
  finish(trip: Trip, charge: number): void {
    const { fingerprint: job } = trip.order;
    trip.taken = charge;
    const status = charge === 0 ? 'error' : 'complete';
    this.#tell(trip, { event: 'settled', job, status, credits: charge });
    this.#complete(trip);
  }

  #complete(trip: Trip): void {
    this.budget.release(trip.order.key);
    trip.stage = 'over';
  }

  #tell(trip: Trip, event: Happened): void {
    this.#write(event);
    this.budget.record(trip.order.key, event);
  }

  #write(event: Happened): void {
    const line = { seq: this.ledger.seq + 1, ...event, at: '2026-11-21T12:00:00.000Z' };
    const folded = this.ledger.apply({ type: 'event', line });
    if (!folded.ok) throw new Error(folded.error);
  }
}
