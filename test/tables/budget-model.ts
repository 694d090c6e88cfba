// A budget, its ledger, and a service that charges as it likes: what a run does with them, a step at a time.
import { digestOf } from '../../src/base/digest.ts';
import { fingerprintFrom } from '../../src/model/fingerprint.ts';
import { Ledger } from '../../src/model/ledger.ts';
import type { NewEvent } from '../../src/model/line.ts';
import { notTaken } from '../../src/model/settled.ts';
import { Budget, type BudgetOptions } from '../../src/run/budget.ts';
import { ItemRun } from '../../src/run/item-run.ts';
import type { AttachOrder, CreateOrder } from '../../src/run/jobs/job.ts';
import { FakeClock } from '../files/places.ts';

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
  order: CreateOrder | AttachOrder;
  readonly item: number;
  /** `unsent`: its intent is written. `unheard`: the service has charged it, and its answer is on the way. */
  stage: 'reserved' | 'unsent' | 'unheard' | 'heard' | 'lost' | 'over';
  /** Credits that the ledger holds for it: its reserve, then its charge. */
  held: number;
  /** Credits that the service has taken for it. */
  taken: number;
  /** When it was sent: epoch milliseconds. */
  sent?: number;
}

export interface ModelTerms {
  /** Credits of a project that an earlier run has paid and this one waits for, by item; 0: none. */
  readonly earlier?: readonly number[];
  readonly perDay?: number;
  readonly perMonth?: number;
  readonly timeZone?: string;
}

export class BudgetModel {
  readonly ledger = new Ledger();
  readonly clock = new FakeClock(Date.parse('2026-11-21T12:00:00Z'));
  readonly creations: Creation[] = [];
  readonly #itemRuns = [0, 1, 2].map(() => new ItemRun({ steps: [], item: undefined }));
  readonly #caps: Omit<BudgetOptions, 'ledger'>;
  #budget: Budget;
  /** What was held for all that was open when the last creation was sent. */
  #held = new Map<Creation, number>();
  #keys = 0;
  #run = 1;

  constructor(
    total: number | undefined,
    perItem: number | undefined,
    { earlier = [], perDay, perMonth, timeZone = 'UTC' }: ModelTerms = {},
  ) {
    const { clock } = this;
    this.#caps = { total, perItem, calendar: { perDay, perMonth, timeZone }, clock };
    this.#write({ event: 'run', run: 1, id: '0001' });
    for (const [item, credits] of earlier.entries())
      if (credits !== 0) this.#paidBefore(item, credits);
    this.#budget = this.#nextBudget();
  }

  get budget(): Budget {
    return this.#budget;
  }

  /** The run ends and another begins, which waits for all that is paid; unless an answer is on its way. */
  nextRun(): void {
    const unknown: readonly Creation['stage'][] = ['reserved', 'unsent', 'unheard'];
    if (this.creations.some(({ stage }) => unknown.includes(stage))) return;
    this.#budget = this.#nextBudget();
  }

  #nextBudget(): Budget {
    const { ledger } = this;
    this.#write({ event: 'ended' });
    this.#run += 1;
    // The clock stands still.
    this.#write({ event: 'run', run: this.#run, id: `${this.#run}`.padStart(4, '0') });
    const budget = new Budget({ ...this.#caps, ledger });
    for (const creation of this.creations) {
      if (creation.stage !== 'heard') continue;
      const { key, task, kind, attempts, timeoutMs, fingerprint } = creation.order;
      const paid = { project: key, settled: false, since: 0, credits: creation.held };
      const itemRun = this.#itemRuns[creation.item];
      if (itemRun === undefined) throw new Error('no item');
      creation.order = {
        ...{ operation: 'attach', key, task, kind, attempts, timeoutMs, fingerprint, ...paid },
      };
      budget.reserve(itemRun, creation.order);
    }
    return budget;
  }

  /** What the service has taken for creations that were sent in this time, net. */
  takenIn(is: (sent: number) => boolean): number {
    return this.creations.reduce(
      (sum, { sent, taken }) => sum + (sent !== undefined && is(sent) ? taken : 0),
      0,
    );
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

  /** A project of the first run. */
  #paidBefore(item: number, credits: number): void {
    const key = `earlier${item}`;
    const common = { key, task: key, kind: 'speech', attempts: 1, timeoutMs: 0 };
    const fingerprint = fingerprintFrom(digestOf({ key }));
    const order: AttachOrder = {
      ...{ ...common, operation: 'attach', fingerprint, project: key, settled: false, since: 0 },
      credits,
    };
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
    this.creations.push({ order, item, stage: 'heard', held: credits, taken: credits });
  }

  want({ kind, setting, listed, item }: Wanted): void {
    const itemRun = this.#itemRuns[item];
    if (itemRun === undefined) throw new Error('no item');
    const measure = { of: `${kind} ${setting}`, amount: Math.max(1, listed) };
    const expectation = { kind, measure, why: '', otherwise: listed };
    const grant = this.budget.ask(itemRun, 'x', expectation);
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
    creation.sent = this.clock.now();
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
    const line = {
      ...event,
      at: new Date(this.clock.now()).toISOString(),
    };
    const folded = this.ledger.apply(line);
    if (!folded.ok) throw new Error(folded.error);
  }
}
