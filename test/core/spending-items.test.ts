// Items that buy at the same time, each move in any order: no cap is passed by more than the first charge of a kind shows, and
// everybody ends.
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Redactor } from '../../src/base/redactor.ts';
import { Journal } from '../../src/core/journal.ts';
import { type Need, Spending } from '../../src/core/spending.ts';
import { Ledger } from '../../src/model/record/ledger.ts';
import { FakeClock } from '../files/places.ts';
import { partOf } from '../sweep.ts';

const hourMs = 3_600_000;
const began = Date.parse('2026-11-29T12:00:00Z');

/** A kind of order. `price`: what the service charges, which may be more than the list says. */
interface Kind {
  readonly of: string;
  readonly tool: string;
  readonly listed: number;
  readonly price: number;
}

interface Order {
  readonly kind: number;
  /** Items that want the same share one creation. */
  readonly shared: number | undefined;
  readonly fails: boolean;
  /** Time that passes before the service answers. */
  readonly hours: number;
}

interface World {
  /** Whose turn is next, each time. */
  readonly picks: readonly number[];
  readonly excess: readonly number[];
  readonly items: readonly (readonly Order[])[];
  readonly run: number | undefined;
  readonly perItem: number | undefined;
  readonly perDay: number | undefined;
  readonly perMonth: number | undefined;
}

const cap = (min: number, max: number): fc.Arbitrary<number | undefined> =>
  fc.option(fc.integer({ min, max }), { nil: undefined });

const worlds = fc.record<World>({
  picks: fc.array(fc.nat(99), { minLength: 1, maxLength: 80 }),
  excess: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 3, maxLength: 3 }),
  items: fc.array(
    fc.array(
      fc.record<Order>({
        kind: fc.nat(2),
        shared: fc.option(fc.nat(2), { nil: undefined, freq: 4 }),
        fails: fc.nat(5).map((luck) => luck === 0),
        hours: fc.constantFrom(0, 0, 0, 7),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    { minLength: 3, maxLength: 10 },
  ),
  run: cap(40, 300),
  perItem: cap(30, 120),
  perDay: cap(40, 300),
  perMonth: cap(40, 300),
});

/** A creation that was sent, or is about to be. */
interface Creation {
  readonly job: string;
  /** When its intent was written, in epoch milliseconds: the day and the month for which it counts. */
  readonly sentAt: number;
  is: 'intended' | 'sent' | 'withheld';
  /** Charged, or set aside for it. */
  credits: number;
}

/** Buys as a run does: set aside, alone if the price is new, reserve, write, ask again, send, leave. */
class Buyers {
  readonly clock = new FakeClock(began);
  readonly ledger = new Ledger();
  readonly creations: Creation[] = [];
  readonly spending: Spending;
  ended = 0;
  readonly #world: World;
  readonly #kinds: readonly Kind[];
  readonly #journal: Journal;
  readonly #turn: () => Promise<void>;
  readonly #running = new Map<string, Promise<void>>();

  constructor(world: World, turn: () => Promise<void>) {
    const { run, perItem, perDay, perMonth, excess } = world;
    this.#world = world;
    this.#turn = turn;
    this.#kinds = [
      { of: 'speech a', tool: 'speech', listed: 10, price: 10 + (excess[0] ?? 0) },
      { of: 'speech b', tool: 'speech', listed: 10, price: 10 + (excess[1] ?? 0) },
      { of: 'picture', tool: 'picture', listed: 25, price: 25 + (excess[2] ?? 0) },
    ];
    const { clock, ledger } = this;
    const file = { append: () => undefined, sync: async () => undefined };
    this.#journal = new Journal({ ledger, file, clock, redactor: new Redactor([]) });
    this.#journal.begin();
    this.spending = new Spending({
      ledger,
      run: () => this.#journal.run,
      caps: { run, perItem, calendar: { perDay, perMonth, timeZone: 'UTC' } },
      needs: new Map(world.items.map((orders, item) => [`i${item}`, this.#needsOf(orders, item)])),
      begun: new Set(),
      now: () => clock.now(),
      isPlan: false,
    });
    this.spending.settled();
  }

  #needsOf(orders: readonly Order[], item: number): Need[] {
    return orders.map((order, at) => {
      const { of, listed } = this.#kindOf(order);
      const measure = { of, amount: 1 };
      return { fingerprint: this.#jobOf(order, item, at), credits: listed, measure };
    });
  }

  #kindOf({ kind, shared }: Order): Kind {
    const found = this.#kinds[shared ?? kind];
    if (found === undefined) throw new Error('there is no such kind');
    return found;
  }

  #jobOf({ shared }: Order, item: number, at: number): string {
    const number = shared ?? 100 + item * 10 + at;
    return number.toString(16).padStart(64, '0');
  }

  async item(item: number): Promise<void> {
    const orders = this.#world.items[item] ?? [];
    const name = `i${item}`;
    const admitted = await this.spending.admit(name);
    for (const [at, order] of admitted === true ? orders.entries() : []) {
      const job = this.#jobOf(order, item, at);
      const running = this.#running.get(job) ?? this.#buy(name, job, order);
      this.#running.set(job, running);
      await running;
    }
    this.spending.leave(name);
    this.ended += 1;
  }

  async #buy(item: string, job: string, order: Order): Promise<void> {
    for (;;) {
      const tried = await this.#try(item, job, order);
      if (tried === undefined) return;
      await tried.comesBack;
    }
  }

  async #try(
    item: string,
    job: string,
    order: Order,
  ): Promise<{ comesBack: Promise<void> } | undefined> {
    const { spending, clock } = this;
    const kind = this.#kindOf(order);
    const measure = { of: kind.of, amount: 1 };
    const first = await spending.first(kind.tool, measure);
    try {
      await this.#turn();
      const reserve = spending.draw(item, job, { credits: kind.listed, measure });
      if (reserve instanceof Promise) return { comesBack: reserve };
      if (typeof reserve !== 'number') return undefined;
      const attempt = `n${this.creations.length}`;
      this.#journal.note({
        job,
        is: 'intent',
        kind: 'photo-colorizer',
        task: `t:${item}`,
        attempt,
        reserve,
        measure,
        forgets: [],
      });
      const sentAt = clock.now();
      const creation: Creation = { job, sentAt, credits: reserve, is: 'intended' };
      this.creations.push(creation);
      await this.#turn();
      const fits = spending.stillFits(job);
      if (fits !== true) {
        this.#journal.note({ job, is: 'refused', attempt, fault });
        creation.is = 'withheld';
        creation.credits = 0;
        return fits instanceof Promise ? { comesBack: fits } : undefined;
      }
      creation.is = 'sent';
      this.#assertFits();
      await this.#turn();
      clock.pass(order.hours * hourMs);
      const charge = { credits: kind.price, read: new Date(clock.now()).toISOString() };
      this.#journal.note({ job, is: 'created', attempt, project: attempt, charge });
      creation.credits = kind.price;
      first.over();
      await this.#turn();
      if (order.fails) {
        const refunded = { ...charge, credits: 0 };
        this.#journal.note({ job, is: 'failed', attempt, charge: refunded, fault });
        creation.credits = 0;
      } else this.#journal.note({ job, is: 'complete', attempt, charge, result: { downloads: 1 } });
      return undefined;
    } finally {
      first.over();
      spending.over(job);
    }
  }

  /** What is charged or held, of creations for which it is true. */
  sum(counts: (creation: Creation) => boolean = () => true): number {
    return this.creations.reduce((sum, one) => sum + (counts(one) ? one.credits : 0), 0);
  }

  sumOf(per: 'day' | 'month', at: number): number {
    return this.sum(({ sentAt }) => nameOf(per, sentAt) === nameOf(per, at));
  }

  /** Whenever something is sent, all that is charged or held is within each cap. */
  #assertFits(): void {
    const { run = Infinity, perDay = Infinity, perMonth = Infinity } = this.#world;
    const now = this.clock.now();
    expect(this.sum()).toBeLessThanOrEqual(run);
    expect(this.sumOf('day', now)).toBeLessThanOrEqual(perDay);
    expect(this.sumOf('month', now)).toBeLessThanOrEqual(perMonth);
  }

  /** After each answer: at most what the first charge of each kind shows is above a cap. */
  assertWithin(): void {
    const {
      run = Infinity,
      perItem = Infinity,
      perDay = Infinity,
      perMonth = Infinity,
    } = this.#world;
    const unforeseen = this.#kinds.reduce((sum, { price, listed }) => sum + price - listed, 0);
    expect(this.sum()).toBeLessThanOrEqual(run + unforeseen);
    for (const { sentAt } of this.creations) {
      expect(this.sumOf('day', sentAt)).toBeLessThanOrEqual(perDay + unforeseen);
      expect(this.sumOf('month', sentAt)).toBeLessThanOrEqual(perMonth + unforeseen);
    }
    this.#world.items.forEach((orders, item) => {
      const own = orders.flatMap((order, at) =>
        order.shared === undefined ? [this.#jobOf(order, item, at)] : [],
      );
      expect(this.sum(({ job }) => own.includes(job))).toBeLessThanOrEqual(perItem + unforeseen);
    });
  }
}

const fault = { code: 'x', message: 'x' };

const nameOf = (per: 'day' | 'month', moment: number): string =>
  new Date(moment).toISOString().slice(0, per === 'day' ? 10 : 7);

/** Everything waits for its turn here, and the picks say whose it is. */
class Turns {
  readonly #waiting: (() => void)[] = [];

  take(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Until nobody waits for a turn. */
  async run(picks: readonly number[]): Promise<void> {
    for (let at = 0; ; at += 1) {
      await setImmediate();
      const pick = picks[at % picks.length] ?? 0;
      const [next] = this.#waiting.splice(pick % this.#waiting.length, 1);
      if (next === undefined) return;
      next();
    }
  }
}

/** The first of three is refunded while the others are about to be sent: the price that it has shown still counts. */
const refunded: World = {
  picks: [0],
  excess: [31, 0, 0],
  items: [true, false, false].map((fails) => [{ kind: 0, shared: undefined, fails, hours: 0 }]),
  run: 40,
  perItem: undefined,
  perDay: undefined,
  perMonth: undefined,
};

const numRuns = partOf(200);

test('whatever items buy at the same time, no cap is passed by more than what the first charge of each kind shows, and everybody ends', async () => {
  const seen = { sent: 0, withheld: 0, day: 0, month: 0 };
  const property = fc.asyncProperty(worlds, async (world) => {
    const turns = new Turns();
    const buyers = new Buyers(world, () => turns.take());
    const all = Promise.all(world.items.map((_, item) => buyers.item(item)));
    await Promise.race([all, turns.run(world.picks)]);
    expect(buyers.ended).toBe(world.items.length);
    await all;
    buyers.assertWithin();
    const { creations, spending } = buyers;
    for (const { is } of creations) if (is !== 'intended') seen[is] += 1;
    const limit = spending.end?.limit?.of;
    if (limit === 'day' || limit === 'month') seen[limit] += 1;
  });
  await fc.assert(property, { seed: 20261130, numRuns, examples: [[refunded]] });
  // They did buy, and met each cap.
  expect(seen.sent).toBeGreaterThan(2 * numRuns);
  expect(seen.withheld).toBeGreaterThan(numRuns / 50);
  expect(Math.min(seen.day, seen.month)).toBeGreaterThan(numRuns / 10);
});
