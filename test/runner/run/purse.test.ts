// The purse and the ledger alone, in any order of things: what a budget promises, and what it cannot.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { committed } from '../../../src/runner/journal/ledger.ts';
import { Till, type Wanted } from './till.ts';

const orders: readonly Omit<Wanted, 'item'>[] = [
  { kind: 'speech', setting: 'a', listed: 10 },
  { kind: 'speech', setting: 'b', listed: 10 },
  { kind: 'picture', setting: 'a', listed: 25 },
  { kind: 'free so far', setting: 'a', listed: 0 },
];

interface Act {
  /** Something new is wanted, or something on its way moves on. */
  readonly what: 'want' | 'move';
  readonly order: number;
  readonly item: number;
  readonly which: number;
  /** What becomes of it. */
  readonly luck: number;
  /** The charge, as a share of what is expected. */
  readonly share: number;
}

const acts = (share: fc.Arbitrary<number>): fc.Arbitrary<readonly Act[]> =>
  fc.array(
    fc.record<Act>({
      what: fc.constantFrom('want', 'move', 'move', 'move'),
      order: fc.nat(orders.length - 1),
      item: fc.nat(2),
      which: fc.nat(99),
      luck: fc.nat(9),
      share,
    }),
    { minLength: 20, maxLength: 250 },
  );

/** `listed`: charges follow the price list, not what is set aside. */
function perform(till: Till, act: Act, listed: boolean): void {
  const { what, order: number, item, which, luck, share } = act;
  const order = orders[number];
  if (what === 'want') {
    if (order !== undefined) till.want({ ...order, item });
    return;
  }
  const open = till.trips.filter(({ stage }) => stage !== 'over' && stage !== 'lost');
  const trip = open[which % open.length];
  if (trip === undefined) return;
  const base = listed ? trip.order.expectation.measure.amount : trip.held;
  switch (trip.stage) {
    case 'promised':
      return till.begin(trip);
    case 'unsent':
      return till.send(trip, Math.floor(base * share));
    case 'unheard':
      if (luck === 0) return till.lose(trip);
      return luck === 1 ? till.refuse(trip) : till.answer(trip);
    case 'heard':
      return till.finish(trip, luck < 3 ? 0 : Math.floor(base * share));
    case 'lost':
    case 'over':
      return;
  }
}

const caps = fc.record({
  budget: fc.integer({ min: 0, max: 300 }),
  perItem: fc.option(fc.integer({ min: 5, max: 120 }), { nil: undefined }),
});

const chosen = { seed: 20261121, numRuns: 400 } as const;

describe('whatever happens in whatever order', () => {
  test('with charges at or below what was set aside, neither the budget nor an item’s is ever passed', () => {
    let [bought, reached] = [0, 0];
    const share = fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10);
    const property = fc.property(caps, acts(share), ({ budget, perItem }, list) => {
      const till = new Till(budget, perItem);
      for (const act of list) {
        perform(till, act, false);
        expect(till.taken).toBeLessThanOrEqual(committed(till.ledger.account));
        expect(committed(till.ledger.account)).toBeLessThanOrEqual(budget);
        for (const item of [0, 1, 2])
          expect(till.takenFor(item)).toBeLessThanOrEqual(perItem ?? budget);
      }
      bought += till.trips.length;
      if (committed(till.ledger.account) + 10 > budget) reached += 1;
    });
    fc.assert(property, chosen);
    // They did buy, and did come near.
    expect(bought).toBeGreaterThan(1000);
    expect(reached).toBeGreaterThan(50);
  });

  test('with charges above it, the budget is passed by no more than what was not foreseen when the last one was sent', () => {
    let passed = 0;
    const share = fc.integer({ min: 5, max: 20 }).map((tenths) => tenths / 10);
    const property = fc.property(caps, acts(share), ({ budget, perItem }, list) => {
      const till = new Till(budget, perItem);
      for (const act of list) {
        perform(till, act, true);
        expect(till.taken).toBeLessThanOrEqual(budget + till.unforeseen);
        if (till.taken > budget) passed += 1;
      }
    });
    fc.assert(property, chosen);
    expect(passed).toBeGreaterThan(20);
  });
});

describe('a creation that is about to be sent', () => {
  const speech = { kind: 'speech', setting: 'a', listed: 10, item: 0 } as const;
  const picture = { kind: 'picture', setting: 'a', listed: 25, item: 1 } as const;

  /** One of each kind is bought at its price, then another of each is recorded. */
  function bothRecorded(budget: number | undefined, perItem?: number) {
    const till = new Till(budget, perItem);
    for (const wanted of [speech, picture]) {
      till.want(wanted);
      const trip = till.trips.at(-1);
      if (trip === undefined) throw new Error('it was not allowed');
      till.begin(trip);
      till.send(trip, wanted.listed);
      till.answer(trip);
      till.finish(trip, wanted.listed);
    }
    till.want(speech);
    till.want(picture);
    const [one, other] = till.trips.slice(-2);
    if (one === undefined || other === undefined || one === other) throw new Error('not allowed');
    till.begin(one);
    till.begin(other);
    return { till, one, other };
  }

  test('is held back when another of its own kind, or of any, was charged more than was set aside', () => {
    const { till, one, other } = bothRecorded(70);
    till.send(one, 20);
    till.answer(one);
    // 35 are charged, 20 more just now, and 25 would come: 80.
    till.send(other, 25);
    expect(other.stage).toBe('over');
    expect(till.taken).toBe(55);
  });

  test('goes when all of it fits', () => {
    const { till, one, other } = bothRecorded(80);
    till.send(one, 20);
    till.answer(one);
    till.send(other, 25);
    expect(till.taken).toBe(80);
  });

  test('is held back when what is charged may come to more in the end, as others did', () => {
    const till = new Till(40, undefined);
    const buy = (charge: number, final?: number): void => {
      till.want(speech);
      const trip = till.trips.at(-1);
      if (trip === undefined || trip.stage !== 'promised') return;
      till.begin(trip);
      till.send(trip, charge);
      till.answer(trip);
      if (final !== undefined) till.finish(trip, final);
    };
    buy(10, 15);
    buy(10);
    // 15 are charged, 10 more that may become 15, and the next may come to 15 too.
    buy(10);
    expect(till.trips).toHaveLength(2);
  });

  test('is held back when its item may cost more by now than it may', () => {
    const till = new Till(undefined, 24);
    const recorded = (item: number) => {
      till.want({ ...speech, item });
      const trip = till.trips.at(-1);
      if (trip === undefined) throw new Error('it was not allowed');
      till.begin(trip);
      return trip;
    };
    const known = recorded(1);
    till.send(known, 10);
    till.answer(known);
    const [one, other] = [recorded(0), recorded(0)];
    till.send(one, 14);
    till.answer(one);
    till.send(other, 14);
    expect([other.stage, till.takenFor(0)]).toEqual(['over', 14]);
  });

  test('goes alone while nothing of its kind, or with its settings, has been charged', () => {
    const till = new Till(1000, undefined);
    const wanted = (setting: string) => {
      till.want({ ...speech, setting });
      till.want({ ...speech, setting });
      return till.trips.length;
    };
    expect(wanted('a')).toBe(1);
    const [first] = till.trips;
    if (first === undefined) throw new Error('it was not allowed');
    till.begin(first);
    expect(wanted('b')).toBe(1);
    till.send(first, 10);
    till.answer(first);
    expect(wanted('a')).toBe(3);
    expect(wanted('b')).toBe(4);
  });

  test('counts what is in doubt at what it is now known to cost', () => {
    const { till, one, other } = bothRecorded(106);
    till.send(one, 18);
    till.lose(one);
    till.send(other, 25);
    till.answer(other);
    till.finish(other, 25);
    till.want(speech);
    const dearer = till.trips.at(-1);
    if (dearer === undefined) throw new Error('it was not allowed');
    till.begin(dearer);
    till.send(dearer, 18);
    till.answer(dearer);
    till.finish(dearer, 18);
    // 78 are charged. With the doubt at the 10 that are set aside for it another would fit, with the 18 it costs not.
    till.want(speech);
    expect(till.trips).toHaveLength(5);
    expect(till.purse.closed).toMatchObject({ because: 'budget' });
  });
});
