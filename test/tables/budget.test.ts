// The budget and the ledger alone, in any order of things: what a budget promises, and what it cannot.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { daysIn } from '../../src/language/schedule.ts';
import { committed } from '../../src/model/ledger.ts';
import { partOf } from '../sweep.ts';
import { BudgetModel, type Wanted } from './budget-model.ts';

const orders: readonly Omit<Wanted, 'item'>[] = [
  { kind: 'speech', setting: 'a', listed: 10 },
  { kind: 'speech', setting: 'b', listed: 10 },
  { kind: 'picture', setting: 'a', listed: 25 },
  { kind: 'free so far', setting: 'a', listed: 0 },
];

interface Act {
  /** Something new is wanted, something on its way moves on, or nothing more may be bought. */
  readonly what: 'want' | 'move' | 'close';
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
      what: fc.oneof(
        { weight: 150, arbitrary: fc.constantFrom('want', 'move', 'move', 'move') },
        { weight: 1, arbitrary: fc.constant('close' as const) },
      ),
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
  if (what === 'close') return model.budget.close({ because: 'failures', why: 'too much' });
  if (what === 'want') {
    const { closed } = model.budget;
    const before = model.creations.length;
    if (order !== undefined) model.want({ ...order, item });
    if (closed !== undefined) expect(model.creations).toHaveLength(before);
    return;
  }
  const open = model.creations.filter(({ stage }) => stage !== 'over' && stage !== 'lost');
  const creation = open[which % open.length];
  if (creation === undefined) return;
  const base =
    listed && creation.order.operation === 'create'
      ? creation.order.expectation.measure.amount
      : creation.held;
  switch (creation.stage) {
    case 'reserved':
      return model.begin(creation);
    case 'unsent':
      return model.send(creation, Math.floor(base * share));
    case 'unheard':
      if (luck === 0) return model.lose(creation);
      return luck === 1 ? model.refuse(creation) : model.answer(creation);
    case 'heard':
      return model.finish(creation, luck < 3 ? 0 : Math.floor(base * share));
    case 'lost':
    case 'over':
      return;
  }
}

const caps = fc.record({
  budget: fc.integer({ min: 0, max: 300 }),
  perItem: fc.option(fc.integer({ min: 5, max: 120 }), { nil: undefined }),
  /** What an earlier run has paid for each item. */
  earlier: fc.array(fc.constantFrom(0, 0, 5, 10), { minLength: 3, maxLength: 3 }),
});

const numRuns = partOf(400);
const chosen = { seed: 20261121, numRuns };

describe('whatever happens in whatever order', () => {
  test('with charges at or below what was set aside, neither the budget nor an item’s is ever passed', () => {
    let [bought, reached, exactly] = [0, 0, 0];
    const share = fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10);
    const property = fc.property(caps, acts(share), ({ budget, perItem, earlier }, list) => {
      const model = new BudgetModel(budget, perItem, { earlier });
      for (const act of list) {
        perform(model, act, false);
        expect(model.taken).toBeLessThanOrEqual(committed(model.ledger.account));
        expect(committed(model.ledger.account)).toBeLessThanOrEqual(budget);
        for (const [item, paid] of earlier.entries()) {
          const most = perItem === undefined ? budget + paid : Math.max(perItem, paid);
          expect(model.takenFor(item)).toBeLessThanOrEqual(most);
          if (perItem !== undefined && model.takenFor(item) === perItem) exactly += 1;
        }
      }
      bought += model.creations.length;
      if (committed(model.ledger.account) + 10 > budget) reached += 1;
    });
    fc.assert(property, chosen);
    // They did buy, and did come near.
    expect(bought).toBeGreaterThan(2 * numRuns);
    expect(reached).toBeGreaterThan(numRuns / 10);
    expect(exactly).toBeGreaterThan(numRuns / 10);
  });

  test('with charges above it, the budget is passed by no more than what was not foreseen when the last one was sent', () => {
    let passed = 0;
    const share = fc.integer({ min: 5, max: 20 }).map((tenths) => tenths / 10);
    const property = fc.property(caps, acts(share), ({ budget, perItem, earlier }, list) => {
      const model = new BudgetModel(budget, perItem, { earlier });
      for (const act of list) {
        perform(model, act, true);
        expect(model.taken).toBeLessThanOrEqual(budget + model.unforeseen);
        if (model.taken > budget) passed += 1;
      }
    });
    fc.assert(property, chosen);
    expect(passed).toBeGreaterThan(numRuns / 20);
  });
});

describe('budget.per_day and budget.per_month', () => {
  const timed = fc.record({
    perDay: fc.option(fc.integer({ min: 0, max: 150 }), { nil: undefined }),
    perMonth: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
    budget: fc.option(fc.integer({ min: 100, max: 500 }), { nil: undefined }),
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Kiritimati', 'America/St_Johns'),
    /** Before each act: how many hours pass, and whether another run begins. */
    hours: fc.array(fc.constantFrom(...Array<number>(36).fill(0), 1, 5, 24, 24 * 9), {
      minLength: 40,
      maxLength: 40,
    }),
    runs: fc.array(fc.constantFrom(...Array<boolean>(5).fill(false), true), {
      minLength: 40,
      maxLength: 40,
    }),
  });

  test('what is sent in a day and in a month never comes to more than its cap, whatever runs and restarts', () => {
    let [bought, reached, days] = [0, 0, 0];
    const share = fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10);
    const property = fc.property(timed, acts(share), (terms, list) => {
      const { budget, perDay, perMonth, timeZone, hours, runs } = terms;
      const caps = {
        ...(perDay === undefined ? {} : { perDay }),
        ...(perMonth === undefined ? {} : { perMonth }),
      };
      const model = new BudgetModel(budget, undefined, { ...caps, timeZone });
      for (const [index, act] of list.entries()) {
        model.clock.pass((hours[index % 40] ?? 0) * 3_600_000);
        if (runs[index % 40] === true) model.nextRun();
        perform(model, act, false);
      }
      const sent = new Set(model.creations.flatMap(({ sent }) => sent ?? []));
      const dayOf = daysIn(timeZone);
      for (const day of new Set([...sent].map(dayOf))) {
        const taken = model.takenIn((moment) => dayOf(moment) === day);
        const month = model.takenIn((moment) => dayOf(moment).slice(0, 7) === day.slice(0, 7));
        if (perDay !== undefined) expect(taken).toBeLessThanOrEqual(perDay);
        if (perMonth !== undefined) expect(month).toBeLessThanOrEqual(perMonth);
        if (perDay !== undefined && taken + 10 > perDay) reached += 1;
        days += 1;
      }
      bought += sent.size;
    });
    fc.assert(property, chosen);
    expect(bought).toBeGreaterThan(numRuns);
    expect(reached).toBeGreaterThan(numRuns / 20);
    expect(days).toBeGreaterThan(numRuns / 2);
  });

  const speech = { kind: 'speech', setting: 'a', listed: 10, item: 0 } as const;

  /** Buys one; returns why not, or undefined. */
  function buy(model: BudgetModel): string | undefined {
    const before = model.creations.length;
    model.want(speech);
    const creation = model.creations[before];
    if (creation === undefined) return model.budget.shut?.why;
    model.begin(creation);
    model.send(creation, 10);
    model.answer(creation);
    model.finish(creation, 10);
    return undefined;
  }

  test('the message says which cap is reached, what is spent, and when the next day begins', () => {
    const model = new BudgetModel(500, undefined, {
      ...{ perDay: 20, perMonth: 300, timeZone: 'Europe/Berlin' },
    });
    expect([buy(model), buy(model)]).toEqual([undefined, undefined]);
    expect(buy(model)).toBe(
      'budget.per_day is reached, 20 credits for 2026-11-21: 20 are spent or set aside, this would take 10; ' +
        'the next day begins at 2026-11-22 00:00 Europe/Berlin',
    );
    expect(model.budget.shut).toMatchObject({
      ...{ because: 'budget', until: Date.parse('2026-11-21T23:00:00Z') },
    });
  });

  test('a task that takes more than a whole day’s budget does not wait for the next day', () => {
    const model = new BudgetModel(undefined, undefined, { perDay: 8 });
    expect(buy(model)).toMatch(/this would take 10, which is more than a whole budget$/);
    expect(model.budget.shut).not.toHaveProperty('until');
  });

  test('what was sent yesterday leaves today’s budget alone, also in one run over midnight', () => {
    const model = new BudgetModel(undefined, undefined, { perDay: 20 });
    buy(model);
    buy(model);
    model.nextRun();
    model.clock.pass(12 * 3_600_000 - 1);
    expect(buy(model)).toMatch(/per_day is reached/);
    model.nextRun();
    model.clock.pass(1);
    expect([buy(model), buy(model)]).toEqual([undefined, undefined]);
    model.clock.pass(24 * 3_600_000);
    expect([buy(model), buy(model)]).toEqual([undefined, undefined]);
    expect(buy(model)).toMatch(/per_day is reached, 20 credits for 2026-11-23/);
  });

  test('what is in doubt stays set aside for the day on which it was sent', () => {
    const model = new BudgetModel(undefined, undefined, { perDay: 20 });
    model.want(speech);
    const [creation] = model.creations;
    if (creation === undefined) throw new Error('it was not allowed');
    model.begin(creation);
    model.send(creation, 10);
    model.lose(creation);
    model.nextRun();
    expect(buy(model)).toBeUndefined();
    expect(buy(model)).toMatch(/20 are spent or set aside/);
    model.clock.pass(40 * 24 * 3_600_000);
    expect([buy(model), buy(model)]).toEqual([undefined, undefined]);
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
      const creation = model.creations.at(-1);
      if (creation === undefined) throw new Error('it was not allowed');
      model.begin(creation);
      model.send(creation, wanted.listed);
      model.answer(creation);
      model.finish(creation, wanted.listed);
    }
    model.want(speech);
    model.want(picture);
    const [one, other] = model.creations.slice(-2);
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
      const creation = model.creations.at(-1);
      if (creation === undefined || creation.stage !== 'reserved') return;
      model.begin(creation);
      model.send(creation, charge);
      model.answer(creation);
      if (final !== undefined) model.finish(creation, final);
    };
    buy(10, 15);
    buy(10);
    // 15 are charged, 10 more that may become 15, and the next may come to 15 too.
    buy(10);
    expect(model.creations).toHaveLength(2);
  });

  test('is held back when its item may cost more by now than it may', () => {
    const model = new BudgetModel(undefined, 24);
    const recorded = (item: number) => {
      model.want({ ...speech, item });
      const creation = model.creations.at(-1);
      if (creation === undefined) throw new Error('it was not allowed');
      model.begin(creation);
      return creation;
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
      return model.creations.length;
    };
    expect(wanted('a')).toBe(1);
    const [first] = model.creations;
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
    const dearer = model.creations.at(-1);
    if (dearer === undefined) throw new Error('it was not allowed');
    model.begin(dearer);
    model.send(dearer, 18);
    model.answer(dearer);
    model.finish(dearer, 18);
    // 78 are charged. With the doubt at the 10 that are set aside for it another would fit, with the 18 it costs not.
    model.want(speech);
    expect(model.creations).toHaveLength(5);
    expect(model.budget.shut).toMatchObject({ because: 'budget' });
  });
});
