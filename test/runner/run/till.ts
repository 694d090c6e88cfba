// A purse, its ledger, and a service that charges as it likes: what a run does with them, a step at a time.
import { digestOf } from '../../../src/contract/base/digest.ts';
import { Ledger } from '../../../src/runner/journal/ledger.ts';
import type { Happened } from '../../../src/runner/journal/line.ts';
import { notTaken } from '../../../src/runner/journal/settled.ts';
import type { Flight } from '../../../src/runner/run/flights.ts';
import type { CreateOrder } from '../../../src/runner/run/jobs/job.ts';
import { Purse } from '../../../src/runner/run/purse.ts';
import { Work } from '../../../src/runner/run/work.ts';
import { fingerprintFrom } from '../../../src/runner/task/fingerprint.ts';
import { pipelineOf } from '../plan/world.ts';

const [step] = pipelineOf(
  'pipeline: p\nsteps:\n  it: { uses: ai-voice-generator, with: { style: { prompt: a, voice_name: b } } }\n',
).steps;
if (step === undefined) throw new Error('no step');
const theStep = step;

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
  readonly flight: Flight;
  readonly order: CreateOrder;
  readonly item: number;
  /** `unsent`: its intent is written. `unheard`: the service has charged it, and its answer is on the way. */
  stage: 'promised' | 'unsent' | 'unheard' | 'heard' | 'lost' | 'over';
  /** Credits that the ledger holds for it: its reserve, then its charge. */
  held: number;
  /** Credits that the service has taken for it. */
  taken: number;
}

export class Till {
  readonly ledger = new Ledger();
  readonly purse: Purse;
  readonly trips: Trip[] = [];
  readonly #works = [0, 1, 2].map(
    () => new Work({ steps: [], item: undefined, shared: undefined, outside: () => 'done' }),
  );
  /** What was held for all that was open when the last creation was sent. */
  #held = new Map<Trip, number>();
  #keys = 0;

  constructor(budget: number | undefined, perItem: number | undefined) {
    this.#write({ event: 'run', run: 1 });
    const { ledger } = this;
    const journal = {
      ledger,
      get account() {
        return ledger.account;
      },
    };
    this.purse = new Purse({ journal, budget, perItem });
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
    const work = this.#works[item];
    if (work === undefined) throw new Error('no item');
    const measure = { of: `${kind} ${setting}`, amount: Math.max(1, listed) };
    const expectation = { kind, measure, why: '', otherwise: listed };
    const leave = this.purse.ask(work, expectation);
    if (!leave.may) return;
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
      ...{ reserve: leave.reserve, expectation },
    };
    const about = { work, step: theStep, fingerprint: order.fingerprint, order };
    const flight: Flight = { ...about, followers: [], before: 0, charged: 0 };
    this.purse.promise(work, order);
    this.trips.push({ flight, order, item, stage: 'promised', held: leave.reserve, taken: 0 });
  }

  /** The intent is written, or there is no money for it any more. */
  begin(trip: Trip): void {
    const leave = this.purse.recheck(trip.order.key);
    if (!leave.may) return this.#land(trip);
    const { fingerprint: job, task, kind, attempt, name, expectation } = trip.order;
    const { measure } = expectation;
    trip.held = leave.reserve;
    trip.stage = 'unsent';
    const reserve = trip.held;
    this.#tell(trip, { event: 'intent', job, task, kind, attempt, name, reserve, measure });
  }

  /** Sent, unless there is no money for it any more: the service takes what it likes. */
  send(trip: Trip, charge: number): void {
    if (!this.purse.recheck(trip.order.key).may) return this.refuse(trip);
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
    this.purse.settle(trip.flight);
  }

  refuse(trip: Trip): void {
    const { fingerprint: job } = trip.order;
    trip.taken = 0;
    this.#tell(trip, notTaken(job, { code: 'x', message: 'x' }));
    this.#land(trip);
  }

  /** The project is over: its final charge, nothing when it failed. */
  finish(trip: Trip, charge: number): void {
    const { fingerprint: job } = trip.order;
    trip.taken = charge;
    const status = charge === 0 ? 'error' : 'complete';
    this.#tell(trip, { event: 'settled', job, status, credits: charge });
    this.#land(trip);
  }

  #land(trip: Trip): void {
    this.purse.settle(trip.flight);
    trip.stage = 'over';
  }

  #tell(trip: Trip, event: Happened): void {
    this.#write(event);
    this.purse.hear(trip.flight, event);
  }

  #write(event: Happened): void {
    const line = { seq: this.ledger.seq + 1, ...event, at: '2026-11-21T12:00:00.000Z' };
    const folded = this.ledger.apply({ type: 'event', line });
    if (!folded.ok) throw new Error(folded.error);
  }
}
