// The caps alone, in any order of things: what a run may spend, whatever the service charges up to what was set aside.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { Redactor } from '../../src/base/redactor.ts';
import { calendarCaps } from '../../src/core/calendar-budget.ts';
import { Journal } from '../../src/core/journal.ts';
import { type Need, Spending } from '../../src/core/spending.ts';
import { Ledger } from '../../src/model/record/ledger.ts';
import { FakeClock } from '../files/places.ts';
import { partOf } from '../sweep.ts';
import { pipelineOf } from '../tables/plan-world.ts';

const orders = [
  { of: 'speech a', listed: 10 },
  { of: 'speech b', listed: 10 },
  { of: 'picture a', listed: 25 },
];

interface Act {
  readonly what: 'want' | 'move' | 'close';
  readonly order: number;
  readonly item: number;
  readonly which: number;
  readonly luck: number;
  /** The charge, as a share of what is set aside. */
  readonly share: number;
}

const acts = (most: number): fc.Arbitrary<readonly Act[]> =>
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
      share: fc.integer({ min: 0, max: most }).map((tenths) => tenths / 10),
    }),
    { minLength: 20, maxLength: 150 },
  );

/** A creation on its way. `taken`: credits that the service has taken for it. */
interface Creation {
  readonly job: string;
  readonly name: string;
  readonly item: string;
  readonly reserve: number;
  stage: 'intended' | 'created' | 'lost' | 'over';
  taken: number;
}

/** What a run does with its caps, a step at a time. */
class Model {
  readonly ledger = new Ledger();
  readonly creations: Creation[] = [];
  readonly spending: Spending;
  readonly #journal: Journal;
  /** What the plan says of each item, which the run asks for one by one. */
  readonly #needs = new Map<string, Need[]>();
  #next = 0;

  constructor(run: number, perItem: number | undefined) {
    const clock = new FakeClock(Date.parse('2026-11-21T12:00:00Z'));
    const file = { append: () => undefined, sync: async () => undefined };
    this.#journal = new Journal({ ledger: this.ledger, file, clock, redactor: new Redactor([]) });
    this.#journal.begin();
    const calendar = calendarCaps(
      pipelineOf('pipeline: p\nsteps: { up: { uses: upload, with: { file: a.png } } }'),
    );
    this.spending = new Spending({
      ledger: this.ledger,
      run: () => this.#journal.run,
      caps: { run, perItem, calendar },
      ...{ needs: this.#needs, begun: new Set(), now: () => clock.now(), isPlan: false },
    });
  }

  want(order: (typeof orders)[number], item: string): void {
    const job = digestOf({ next: this.#next++ });
    const measure = { of: order.of, amount: order.listed };
    const needs = this.#needs.get(item) ?? [];
    this.#needs.set(item, [...needs, { fingerprint: job, credits: order.listed, measure }]);
    const reserve = this.spending.draw(item, job, { credits: order.listed, measure });
    if (typeof reserve !== 'number') return;
    const name = `n${this.#next}`;
    this.#journal.note({
      ...{ job, is: 'intent', kind: 'photo-colorizer', task: `t:${item}`, attempt: name },
      ...{ reserve, measure, forgets: [] },
    });
    const creation: Creation = { job, name, item, reserve, stage: 'intended', taken: 0 };
    this.creations.push(creation);
    // What others were charged meanwhile may leave no room for it.
    if (this.spending.stillFits(job) !== true) this.#refuse(creation);
  }

  move(creation: Creation, luck: number, share: number): void {
    const { job, name: attempt, reserve } = creation;
    const read = '2026-11-21T12:00:00.000Z';
    if (creation.stage === 'intended') {
      if (luck === 1) return this.#refuse(creation);
      creation.taken = Math.floor(reserve * share);
      if (luck === 0) {
        creation.stage = 'lost';
        return this.#journal.note({
          job,
          is: 'doubt',
          attempt,
          fault: { code: 'x', message: 'x' },
        });
      }
      creation.stage = 'created';
      const charge = { credits: creation.taken, read };
      return this.#journal.note({ job, is: 'created', attempt, project: attempt, charge });
    }
    const charge = { credits: luck < 3 ? 0 : creation.taken, read };
    creation.taken = charge.credits;
    creation.stage = 'over';
    if (luck < 3)
      this.#journal.note({
        job,
        is: 'failed',
        attempt,
        charge,
        fault: { code: 'x', message: 'x' },
      });
    else this.#journal.note({ job, is: 'complete', attempt, charge, result: { downloads: 1 } });
    this.spending.over(job);
  }

  #refuse(creation: Creation): void {
    const { job, name: attempt } = creation;
    creation.stage = 'over';
    creation.taken = 0;
    this.#journal.note({ job, is: 'refused', attempt, fault: { code: 'x', message: 'x' } });
    this.spending.over(job);
  }

  get taken(): number {
    return this.creations.reduce((sum, { taken }) => sum + taken, 0);
  }

  takenFor(item: string): number {
    return this.creations.reduce((sum, one) => sum + (one.item === item ? one.taken : 0), 0);
  }

  perform({ what, order: at, item, which, luck, share }: Act): void {
    if (what === 'close') return this.spending.close({ because: 'failures', why: 'too much' });
    if (what === 'want') {
      const { closed } = this.spending;
      const before = this.creations.length;
      const order = orders[at];
      if (order !== undefined) this.want(order, `i${item}`);
      if (closed !== undefined) expect(this.creations).toHaveLength(before);
      return;
    }
    const open = this.creations.filter(({ stage }) => stage === 'intended' || stage === 'created');
    const creation = open[which % open.length];
    if (creation !== undefined) this.move(creation, luck, share);
  }
}

const caps = fc.record({
  budget: fc.integer({ min: 0, max: 300 }),
  perItem: fc.option(fc.integer({ min: 5, max: 120 }), { nil: undefined }),
});
const numRuns = partOf(400);
const chosen = { seed: 20261129, numRuns };

test('whatever happens in whatever order, neither the budget nor an item’s is passed where charges are at most what was set aside', () => {
  let [bought, reached, most] = [0, 0, 0];
  const property = fc.property(caps, acts(10), ({ budget, perItem }, list) => {
    const model = new Model(budget, perItem);
    for (const act of list) {
      model.perform(act);
      expect(model.taken).toBeLessThanOrEqual(budget);
      for (const item of ['i0', 'i1', 'i2']) {
        if (perItem === undefined) continue;
        expect(model.takenFor(item)).toBeLessThanOrEqual(perItem);
        if (model.takenFor(item) + 10 > perItem) most += 1;
      }
    }
    const { charged, reserved } = model.ledger.totals();
    bought += model.creations.length;
    if (charged + reserved + 10 > budget) reached += 1;
  });
  fc.assert(property, chosen);
  // They did buy, and did come near.
  expect(bought).toBeGreaterThan(2 * numRuns);
  expect(reached).toBeGreaterThan(numRuns / 10);
  expect(most).toBeGreaterThan(numRuns / 10);
});

test('where charges are above it, the budget is passed by no more than what was not foreseen of what was sent', () => {
  let passed = 0;
  const property = fc.property(caps, acts(20), ({ budget }, list) => {
    const model = new Model(budget, undefined);
    for (const act of list) {
      model.perform(act);
      const unforeseen = model.creations.reduce(
        (sum, { taken, reserve }) => sum + Math.max(0, taken - reserve),
        0,
      );
      expect(model.taken).toBeLessThanOrEqual(budget + unforeseen);
      if (model.taken > budget) passed += 1;
    }
  });
  fc.assert(property, chosen);
  expect(passed).toBeGreaterThan(numRuns / 20);
});
