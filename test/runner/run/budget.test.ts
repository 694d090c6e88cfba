// The budget and the ledger alone, in any order of things: what a budget promises, and what it cannot.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { committed } from '../../../src/runner/journal/ledger.ts';
import { BudgetModel, type Wanted } from './budget-model.ts';

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
function perform(model: BudgetModel, act: Act, listed: boolean): void {
  const { what, order: number, item, which, luck, share } = act;
  const order = orders[number];
  if (what === 'want') {
    if (order !== undefined) model.want({ ...order, item });
    return;
  }
  const open = model.trips.filter(({ stage }) => stage !== 'over' && stage !== 'lost');
  const trip = open[which % open.length];
  if (trip === undefined) return;
  const base = listed ? trip.order.expectation.measure.amount : trip.held;
  switch (trip.stage) {
    case 'reserved':
      return model.begin(trip);
    case 'unsent':
      return model.send(trip, Math.floor(base * share));
    case 'unheard':
      if (luck === 0) return model.lose(trip);
      return luck === 1 ? model.refuse(trip) : model.answer(trip);
    case 'heard':
      return model.finish(trip, luck < 3 ? 0 : Math.floor(base * share));
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
      const model = new BudgetModel(budget, perItem);
      for (const act of list) {
        perform(model, act, false);
        expect(model.taken).toBeLessThanOrEqual(committed(model.ledger.account));
        expect(committed(model.ledger.account)).toBeLessThanOrEqual(budget);
        for (const item of [0, 1, 2])
          expect(model.takenFor(item)).toBeLessThanOrEqual(perItem ?? budget);
      }
      bought += model.trips.length;
      if (committed(model.ledger.account) + 10 > budget) reached += 1;
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
      const model = new BudgetModel(budget, perItem);
      for (const act of list) {
        perform(model, act, true);
        expect(model.taken).toBeLessThanOrEqual(budget + model.unforeseen);
        if (model.taken > budget) passed += 1;
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
    const model = new BudgetModel(budget, perItem);
    for (const wanted of [speech, picture]) {
      model.want(wanted);
      const trip = model.trips.at(-1);
      if (trip === undefined) throw new Error('it was not allowed');
      model.begin(trip);
      model.send(trip, wanted.listed);
      model.answer(trip);
      model.finish(trip, wanted.listed);
    }
    model.want(speech);
    model.want(picture);
    const [one, other] = model.trips.slice(-2);
    if (one === undefined || other === undefined || one === other) throw new Error('not allowed');
    model.begin(one);
    model.begin(other);
    return { model, one, other };
  }

  test('is held back when another of its own kind, or of any, was charged more than was set aside', () => {
    const { model, one, other } = bothRecorded(70);
    model.send(one, 20);
    model.answer(one);
    // 35 are charged, 20 more just now, and 25 would come: 80.
    model.send(other, 25);
    expect(other.stage).toBe('over');
    expect(model.taken).toBe(55);
  });

  test('goes when all of it fits', () => {
    const { model, one, other } = bothRecorded(80);
    model.send(one, 20);
    model.answer(one);
    model.send(other, 25);
    expect(model.taken).toBe(80);
  });

  test('is held back when what is charged may come to more in the end, as others did', () => {
    const model = new BudgetModel(40, undefined);
    const buy = (charge: number, final?: number): void => {
      model.want(speech);
      const trip = model.trips.at(-1);
      if (trip === undefined || trip.stage !== 'reserved') return;
      model.begin(trip);
      model.send(trip, charge);
      model.answer(trip);
      if (final !== undefined) model.finish(trip, final);
    };
    buy(10, 15);
    buy(10);
    // 15 are charged, 10 more that may become 15, and the next may come to 15 too.
    buy(10);
    expect(model.trips).toHaveLength(2);
  });

  test('is held back when its item may cost more by now than it may', () => {
    const model = new BudgetModel(undefined, 24);
    const recorded = (item: number) => {
      model.want({ ...speech, item });
      const trip = model.trips.at(-1);
      if (trip === undefined) throw new Error('it was not allowed');
      model.begin(trip);
      return trip;
    };
    const known = recorded(1);
    model.send(known, 10);
    model.answer(known);
    const [one, other] = [recorded(0), recorded(0)];
    model.send(one, 14);
    model.answer(one);
    model.send(other, 14);
    expect([other.stage, model.takenFor(0)]).toEqual(['over', 14]);
  });

  test('goes alone while nothing of its kind, or with its settings, has been charged', () => {
    const model = new BudgetModel(1000, undefined);
    const wanted = (setting: string) => {
      model.want({ ...speech, setting });
      model.want({ ...speech, setting });
      return model.trips.length;
    };
    expect(wanted('a')).toBe(1);
    const [first] = model.trips;
    if (first === undefined) throw new Error('it was not allowed');
    model.begin(first);
    expect(wanted('b')).toBe(1);
    model.send(first, 10);
    model.answer(first);
    expect(wanted('a')).toBe(3);
    expect(wanted('b')).toBe(4);
  });

  test('counts what is in doubt at what it is now known to cost', () => {
    const { model, one, other } = bothRecorded(106);
    model.send(one, 18);
    model.lose(one);
    model.send(other, 25);
    model.answer(other);
    model.finish(other, 25);
    model.want(speech);
    const dearer = model.trips.at(-1);
    if (dearer === undefined) throw new Error('it was not allowed');
    model.begin(dearer);
    model.send(dearer, 18);
    model.answer(dearer);
    model.finish(dearer, 18);
    // 78 are charged. With the doubt at the 10 that are set aside for it another would fit, with the 18 it costs not.
    model.want(speech);
    expect(model.trips).toHaveLength(5);
    expect(model.budget.closed).toMatchObject({ because: 'budget' });
  });
});
