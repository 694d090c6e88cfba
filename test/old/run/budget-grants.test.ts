// What the budget grants, one question at a time: exact limits, earlier runs, and what closes it.
import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../../src/model/line.ts';
import { notTaken } from '../../../src/model/settled.ts';
import type { Grant } from '../../../src/run/budget.ts';
import type { ItemRun } from '../../../src/run/item-run.ts';
import type { CreateOrder } from '../../../src/run/jobs/job.ts';
import {
  attachOrder,
  awaitOrder,
  createdOf,
  createOrder,
  doubtOf,
  intentOf,
  Parts,
  settledOf,
  type Terms,
} from './parts.ts';

const refusedOf = (order: CreateOrder): NewEvent =>
  notTaken(order.fingerprint, { code: 'refused', message: 'no' });

class Scene extends Parts {
  readonly a = this.item('a');
  readonly b = this.item('b');

  constructor(terms: Terms = {}) {
    super(terms);
    this.journal.append([{ event: 'failed', task: 'x', why: 'so that there is a run' }]);
  }

  ask(item: ItemRun = this.a, price = 10): Grant {
    return this.budget.ask(item, 'x', createOrder('x', price).expectation);
  }

  /** One more creation for an item, up to and including these events. */
  create(
    key: string,
    item: ItemRun,
    ...upTo: readonly ('intent' | 'created' | 'settled' | 'doubt' | 'refused')[]
  ): CreateOrder {
    const order = createOrder(key);
    this.budget.reserve(item, order);
    for (const word of upTo) {
      if (word === 'intent') this.say(order, intentOf(order));
      if (word === 'created') this.say(order, createdOf(order));
      if (word === 'settled') this.say(order, settledOf(order));
      if (word === 'doubt') this.say(order, doubtOf(order));
      if (word === 'refused') this.say(order, refusedOf(order));
    }
    return order;
  }

  say({ key }: { readonly key: string }, ...events: readonly NewEvent[]): void {
    for (const event of events) {
      this.journal.append([event]);
      this.budget.record(key, event);
    }
  }
}

const granted = { granted: true, reserve: 10 };
const waits = { granted: false, instead: { action: 'wait' } };
const later = { granted: false, instead: { action: 'end', ending: 'pending' } };

describe('the budget of a run', () => {
  test('is spent to the last credit, and no further', () => {
    const scene = new Scene({ total: 20 });
    scene.create('j1', scene.a, 'intent', 'created', 'settled');
    scene.budget.release('j1');
    expect(scene.ask()).toEqual(granted);
    scene.create('j2', scene.b, 'intent', 'created', 'settled');
    scene.budget.release('j2');
    expect(scene.ask()).toMatchObject(later);
    expect(scene.budget.shut).toMatchObject({
      because: 'budget',
      limit: { of: 'run', most: 20, spent: 20 },
      why: 'the budget of 20 credits is reached: 20 are spent or set aside, this would take 10',
    });
  });

  test('counts what is reserved and not sent', () => {
    const scene = new Scene({ total: 29 });
    scene.create('j1', scene.a, 'intent', 'created', 'settled');
    scene.budget.release('j1');
    scene.create('j2', scene.b);
    expect(scene.ask()).toEqual(waits);
    expect(scene.budget.shut).toBeUndefined();
  });

  test('is free again for what was reserved and never used', () => {
    const scene = new Scene({ total: 29 });
    scene.create('j1', scene.a, 'intent', 'created', 'settled');
    scene.budget.release('j1');
    scene.create('j2', scene.b);
    scene.budget.release('j2');
    expect(scene.ask()).toEqual(granted);
  });

  test('is free again for what the service did not take', () => {
    const scene = new Scene({ total: 29 });
    scene.create('j1', scene.a, 'intent', 'created', 'settled');
    scene.create('j2', scene.b, 'intent', 'refused');
    expect(scene.ask()).toEqual(granted);
  });

  test('is waited for while a charge may still be refunded, and closed once none may', () => {
    const scene = new Scene({ total: 10 });
    const order = scene.create('j1', scene.a, 'intent', 'created');
    expect(scene.ask(scene.b)).toEqual(waits);
    scene.say(order, settledOf(order));
    expect(scene.ask(scene.b)).toEqual(waits);
    scene.budget.release('j1');
    expect(scene.ask(scene.b)).toMatchObject(later);
  });

  test('is waited for while a project of an earlier run may still be refunded', () => {
    const first = createOrder('j1');
    const scene = new Scene({ total: 10, before: [intentOf(first), createdOf(first)] });
    const order = { ...attachOrder('j1'), fingerprint: first.fingerprint };
    scene.budget.reserve(scene.a, order);
    expect(scene.ask(scene.b)).toEqual(waits);
    scene.say(order, settledOf(first, 0));
    scene.budget.release('j1');
    expect(scene.ask(scene.b)).toEqual(granted);
  });

  test('is not waited for with a project that is settled: it is only read again', () => {
    const first = createOrder('j1');
    const before = [intentOf(first), createdOf(first), settledOf(first)];
    const scene = new Scene({ total: 10, before });
    scene.budget.reserve(scene.a, {
      ...attachOrder('j1', 10, true),
      fingerprint: first.fingerprint,
    });
    expect(scene.ask(scene.b)).toMatchObject(later);
  });

  test('keeps what is in doubt set aside, also when its job is over', () => {
    const scene = new Scene({ total: 15 });
    scene.create('j1', scene.a, 'intent', 'doubt');
    scene.budget.release('j1');
    expect(scene.ask(scene.b)).toMatchObject(later);
  });

  test('needs a price, and without a budget none is needed', () => {
    const unpriced = { kind: 'k', measure: { of: 'k', amount: 1 }, why: 'no price is published' };
    for (const terms of [{ total: 100 }, { perItem: 100 }]) {
      const { budget, a } = new Scene(terms);
      expect(budget.ask(a, 'x', unpriced)).toEqual({
        granted: false,
        instead: {
          ...{ action: 'end', ending: 'failed' },
          why: 'a budget needs the price of every task, and this one is not known: no price is published',
        },
      });
    }
    const { budget, a } = new Scene();
    expect(budget.ask(a, 'x', unpriced)).toEqual({ granted: true, reserve: 0 });
  });

  test('lets the first of its kind go alone, and only where credits are capped', () => {
    for (const [terms, answer] of [
      [{}, granted],
      [{ total: 100 }, waits],
      [{ perItem: 100 }, waits],
    ] as const) {
      const scene = new Scene(terms);
      const order = scene.create('j1', scene.a);
      expect(scene.ask(scene.b)).toEqual(answer);
      scene.say(order, intentOf(order));
      expect(scene.ask(scene.b)).toEqual(answer);
      scene.say(order, createdOf(order));
      expect(scene.ask(scene.b)).toEqual(granted);
    }
  });

  test('does not let others wait for a first answer that never comes', () => {
    const scene = new Scene({ total: 100 });
    scene.create('j1', scene.a, 'intent', 'doubt');
    expect(scene.ask(scene.b)).toEqual(granted);
  });
});

describe('the budget of an item', () => {
  const learned = (perItem: number, before: readonly NewEvent[] = []): Scene => {
    const scene = new Scene({ perItem, before });
    scene.create('j0', scene.item('other'), 'intent', 'created', 'settled');
    scene.budget.release('j0');
    return scene;
  };

  test('is spent to the last credit, and no further; other items have their own', () => {
    const scene = learned(20);
    scene.create('j1', scene.a, 'intent', 'created', 'settled');
    scene.budget.release('j1');
    expect(scene.ask()).toEqual(granted);
    scene.create('j2', scene.a);
    expect(scene.ask()).toMatchObject({
      instead: {
        ending: 'pending',
        why: 'its item has a budget of 20 credits: 20 are spent or set aside, this would take 10',
      },
    });
    expect(scene.ask(scene.b)).toEqual(granted);
    expect(scene.budget.shut).toBeUndefined();
  });

  test('is free again for what was not taken, not used, or refunded', () => {
    const scene = learned(10);
    scene.create('j1', scene.a, 'intent', 'refused');
    expect(scene.ask()).toEqual(granted);
    scene.create('j2', scene.a);
    scene.budget.release('j2');
    expect(scene.ask()).toEqual(granted);
    const order = scene.create('j3', scene.a, 'intent', 'created');
    expect(scene.ask()).toMatchObject(later);
    scene.say(order, settledOf(order, 0));
    expect(scene.ask()).toEqual(granted);
  });

  test('counts what an earlier run was charged and this one reuses', () => {
    const scene = learned(19);
    scene.budget.carryOver(scene.a, 10);
    expect(scene.ask()).toMatchObject(later);
    expect(scene.ask(scene.b)).toEqual(granted);
  });

  test('counts a project of an earlier run that is waited for, and what the service adds to it or gives back', () => {
    for (const [final, answer] of [
      [0, granted],
      [9, granted],
      [10, later],
      [15, later],
    ] as const) {
      const first = createOrder('j1');
      const scene = learned(19, [intentOf(first), createdOf(first)]);
      const order = { ...attachOrder('j1'), fingerprint: first.fingerprint };
      scene.budget.reserve(scene.a, order);
      expect(scene.ask()).toMatchObject(later);
      scene.say(order, settledOf(first, final));
      scene.budget.release('j1');
      const { budget, a } = scene;
      const expectation = { kind: 'z', measure: { of: 'z', amount: 1 }, why: '', otherwise: 10 };
      expect(budget.ask(a, 'x', expectation)).toMatchObject(answer);
    }
  });

  test('does not count a project that another state file paid for, nor what is given back for it', () => {
    const scene = learned(19);
    const order = { ...attachOrder('j1'), adopted: true } as const;
    scene.budget.reserve(scene.a, order);
    expect(scene.ask()).toEqual(granted);
    expect(scene.budget.record('j1', settledOf(createOrder('j1'), 0))).toBe(0);
    expect(scene.budget.release('j1')).toBe(0);
  });

  test('counts a doubt of this run, also when its job is over', () => {
    const scene = learned(19);
    scene.create('j1', scene.a, 'intent', 'doubt');
    scene.budget.release('j1');
    expect(scene.ask()).toMatchObject(later);
  });

  test('counts a doubt of an earlier run, while an event is waited for and when none has come', () => {
    const scene = learned(19);
    scene.budget.reserve(scene.a, awaitOrder('j1'));
    expect(scene.ask()).toMatchObject(later);
    scene.budget.release('j1');
    expect(scene.ask()).toMatchObject(later);
  });

  test('counts a doubt of an earlier run at its charge once an event names that', () => {
    const first = createOrder('j1');
    const scene = learned(14, [intentOf(first), doubtOf(first)]);
    const order = { ...awaitOrder('j1'), fingerprint: first.fingerprint };
    scene.budget.reserve(scene.a, order);
    scene.say(order, createdOf(first, 4));
    scene.say(order, settledOf(first, 4));
    expect(scene.budget.release('j1')).toBe(4);
    expect(scene.ask()).toEqual(granted);
    scene.create('j2', scene.a);
    expect(scene.ask(scene.a, 1)).toMatchObject(later);
  });
});

describe('a creation that is checked again', () => {
  test('goes on with what it is expected to cost now, until that is in the ledger', () => {
    const scene = new Scene();
    const [one, other] = [scene.create('j1', scene.a), scene.create('j2', scene.b, 'intent')];
    scene.create('j3', scene.item('c'));
    scene.say(one, intentOf(one), createdOf(one, 25));
    expect(scene.budget.recheck('j3')).toEqual({ ok: true, value: 25 });
    expect(scene.budget.recheck(other.key)).toEqual({ ok: true, value: 10 });
  });

  test('is granted to the last credit', () => {
    const scene = new Scene({ total: 10, perItem: 10 });
    scene.create('j1', scene.a);
    expect(scene.budget.recheck('j1')).toEqual({ ok: true, value: 10 });
  });

  test('is held back when prices rose beyond what its item may cost', () => {
    const scene = new Scene({ perItem: 20 });
    const known = scene.create('j1', scene.b);
    scene.create('j2', scene.a);
    scene.say(known, intentOf(known), createdOf(known, 21));
    expect(scene.budget.recheck('j2')).toEqual({
      ok: false,
      error: 'its item has a budget of 20 credits: prices rose to 21 while it waited',
    });
  });

  test('goes on when others have used up the budget, and not when something else ends the buying', () => {
    const why = 'x';
    for (const because of ['budget', 'credits', 'machine', 'failures', 'saving'] as const) {
      const scene = new Scene();
      scene.create('j1', scene.a);
      scene.budget.close({ because, why });
      expect(scene.budget.recheck('j1').ok).toBe(because === 'budget');
    }
  });

  test('for which nothing was reserved is a bug', () => {
    expect(() => new Scene().budget.recheck('j9')).toThrow('bug: nothing was reserved for j9');
  });
});

describe('a budget that is closed', () => {
  test('grants nothing, for the first reason', () => {
    const { budget, a } = new Scene();
    budget.close({ because: 'failures', why: 'first' });
    budget.close({ because: 'machine', why: 'second' });
    expect(budget.ask(a, 'x', createOrder('x').expectation)).toEqual({
      granted: false,
      instead: { action: 'end', ending: 'pending', why: 'first', held: { by: 'run' } },
    });
  });

  test('only while something is saved first may still be closed for the machine, and for nothing else', () => {
    const { budget } = new Scene();
    budget.close({ because: 'saving', why: 'saved first' });
    budget.close({ because: 'failures', why: 'too much' });
    expect(budget.shut?.because).toBe('saving');
    budget.close({ because: 'machine', why: 'disk' });
    expect(budget.shut?.because).toBe('machine');
  });
});

describe('what this run was charged', () => {
  test('for a job is its charge, and no refund of an earlier run’s', () => {
    const first = createOrder('j1');
    const scene = new Scene({ before: [intentOf(first), createdOf(first)] });
    const order = { ...attachOrder('j1'), fingerprint: first.fingerprint };
    scene.budget.reserve(scene.a, order);
    expect(scene.budget.chargedFor('j1')).toBe(10);
    scene.say(order, settledOf(first, 0));
    expect(scene.budget.release('j1')).toBe(0);
    expect(scene.budget.writeOff(scene.a)).toBe(0);
  });

  test('for a job of this run is what it came to in the end', () => {
    const scene = new Scene();
    const order = scene.create('j1', scene.a, 'intent', 'created');
    scene.say(order, settledOf(order, 7));
    expect(scene.budget.release('j1')).toBe(7);
    expect(scene.budget.writeOff(scene.a)).toBe(7);
    expect(scene.budget.writeOff(scene.b)).toBe(7);
  });

  test('adds up over the items that failed, with what the service added to an earlier run’s', () => {
    const first = createOrder('j1');
    const scene = new Scene({ before: [intentOf(first), createdOf(first)] });
    const order = { ...attachOrder('j1'), fingerprint: first.fingerprint };
    scene.budget.reserve(scene.a, order);
    scene.say(order, settledOf(first, 13));
    scene.create('j2', scene.b, 'intent', 'created', 'settled');
    expect(scene.budget.writeOff(scene.a)).toBe(3);
    expect(scene.budget.writeOff(scene.b)).toBe(13);
  });

  test('is nothing for a job that pays nothing', () => {
    expect(new Scene().budget.release('j9')).toBe(0);
  });
});

test('what is set aside for a creation is told until it is answered', () => {
  const scene = new Scene();
  const order = scene.create('j1', scene.a);
  expect(scene.budget.reserveOf('j1')).toBe(10);
  scene.say(order, intentOf(order));
  expect(scene.budget.reserveOf('j1')).toBe(10);
  scene.say(order, createdOf(order));
  expect(scene.budget.reserveOf('j1')).toBe(0);
  expect(scene.budget.reserveOf('j9')).toBe(0);
});
