// What is on disk before a job goes on, and that a creation is checked again before its intent and before it is sent.
import { describe, expect, test } from 'vitest';
import { GroupCommit } from '../../../src/runner/run/group-commit.ts';
import type { CreateOrder } from '../../../src/runner/run/jobs/job.ts';
import type { Notice } from '../../../src/runner/run/jobs/ports.ts';
import {
  attachOrder,
  createdOf,
  createOrder,
  doubtOf,
  intentOf,
  Parts,
  settledOf,
  type Terms,
  uploadOrder,
} from './parts.ts';

class Scene extends Parts {
  readonly commit: GroupCommit;

  constructor(terms: Terms = {}) {
    super(terms);
    this.commit = new GroupCommit(this);
  }

  create(key: string, reserve = 10, item = this.item(key)): CreateOrder {
    const order = createOrder(key, reserve);
    this.budget.reserve(item, order);
    this.inFlight.start({ itemRun: item, step: this.#swap(item) }, order.fingerprint, order);
    return order;
  }

  #swap(item: ReturnType<Parts['item']>) {
    return item.step('swap') ?? this.step('swap');
  }

  take(...notices: readonly Notice[]): boolean {
    return this.commit.take(notices);
  }

  intends(order: CreateOrder): boolean {
    return this.take({ is: 'event', key: order.key, event: intentOf(order, 0), durable: true });
  }

  answers(order: CreateOrder, credits: number): boolean {
    const event = createdOf(order, credits);
    return this.take({ is: 'event', key: order.key, event, durable: true });
  }
}

const dear = { because: 'failures', why: 'too much went wrong' } as const;

describe('a job', () => {
  test('goes on when what it said is on disk, and not before', async () => {
    const scene = new Scene();
    const order = scene.create('j1');
    scene.intends(order);
    expect(scene.events).toContain('intent');
    expect(scene.runner.proceeded).toEqual([]);
    await scene.file.synced();
    expect(scene.runner.proceeded).toEqual(['j1']);
  });

  test('that said something which needs not be on disk goes on at once', () => {
    const scene = new Scene();
    const order = uploadOrder('j1');
    scene.inFlight.start({ itemRun: scene.item('a'), step: scene.step('photo') }, undefined, order);
    const { fingerprint: job, task, kind } = order;
    const event = { event: 'supplied', job, task, kind, result: {} } as const;
    expect(scene.take({ is: 'event', key: 'j1', event, durable: false })).toBe(false);
    expect(scene.runner.proceeded).toEqual(['j1']);
    expect(scene.events).toContain('supplied');
    expect(scene.file.syncing).toBe(0);
  });

  test('does not go on when the disk fails: the run ends with that', async () => {
    const scene = new Scene();
    scene.intends(scene.create('j1'));
    await scene.file.synced(new Error('ENOSPC'));
    expect(scene.runner.proceeded).toEqual([]);
    await expect(scene.runner.next()).rejects.toThrow('ENOSPC');
  });

  test('shares a sync with all that were heard with it', async () => {
    const scene = new Scene();
    const orders = ['j1', 'j2', 'j3'].map((key) => scene.create(key));
    scene.take(
      ...orders.map(
        (order): Notice => ({ is: 'event', key: order.key, event: intentOf(order), durable: true }),
      ),
    );
    await scene.file.synced();
    expect(scene.runner.proceeded).toEqual(['j1', 'j2', 'j3']);
  });
});

describe('an event that another process has recorded', () => {
  const at = '2026-11-23T10:00:00.000Z';

  test('is folded and counted, and neither written again nor answered', () => {
    const scene = new Scene();
    const order = scene.create('j1');
    scene.take({ is: 'recorded', key: 'j1', event: intentOf(order), at });
    const written = scene.file.lines.length;
    const event = createdOf(order, 12);
    expect(scene.take({ is: 'recorded', key: 'j1', event, at })).toBe(true);
    expect(scene.ledger.job(order.fingerprint)).toMatchObject({ state: 'created', at });
    expect(scene.budget.chargedFor('j1')).toBe(12);
    expect(scene.file.lines).toHaveLength(written);
    expect([scene.runner.proceeded, scene.file.syncing]).toEqual([[], 0]);
  });

  test('about a job that was given up is folded all the same', () => {
    const scene = new Scene();
    const order = createOrder('j9', 10);
    scene.take({ is: 'recorded', key: undefined, event: intentOf(order), at });
    expect(scene.ledger.job(order.fingerprint)?.state).toBe('intended');
  });
});

describe('a creation', () => {
  test('is recorded with what it is expected to cost now', () => {
    const scene = new Scene();
    scene.intends(scene.create('j1', 25));
    expect(scene.ledger.account.reserved).toBe(25);
  });

  test('is not recorded when there is no money for it any more', () => {
    const scene = new Scene();
    const order = scene.create('j1');
    scene.budget.close(dear);
    scene.intends(order);
    expect(scene.events).not.toContain('intent');
    expect(scene.runner.declined.get('j1')).toBe(dear.why);
  });

  test('is not sent when there is no money for it once its intent is on disk, and that is on record', async () => {
    const scene = new Scene();
    const order = scene.create('j1');
    scene.intends(order);
    scene.budget.close(dear);
    await scene.file.synced();
    expect(scene.runner.proceeded).toEqual([]);
    expect(scene.runner.declined.get('j1')).toBe(dear.why);
    expect(scene.ledger.job(order.fingerprint)).toMatchObject({
      state: 'failed',
      error: { code: 'withheld', message: dear.why },
    });
    expect(scene.ledger.account.reserved).toBe(0);
  });

  test('is held back when another of its kind was charged more while its intent was being written', async () => {
    const scene = new Scene({ total: 40 });
    const [known, one, other] = [scene.create('j1'), scene.create('j2'), scene.create('j3')];
    scene.intends(known);
    await scene.file.synced();
    scene.answers(known, 10);
    scene.intends(one);
    scene.intends(other);
    await scene.file.synced();
    expect(scene.runner.proceeded).toEqual(['j1', 'j1', 'j2', 'j3']);
    // 20 for one of them: what is still to be sent again may come to 20 as well.
    scene.answers(one, 20);
    scene.take({ is: 'ask', key: 'j3' });
    expect(scene.runner.declined.get('j3')).toContain('the budget of 40 credits is reached');
    expect(scene.ledger.job(other.fingerprint)?.state).toBe('failed');
  });

  test('that was surely not taken is sent again only with money for it', () => {
    const scene = new Scene();
    const order = scene.create('j1');
    scene.intends(order);
    scene.take({ is: 'ask', key: 'j1' });
    expect(scene.runner.proceeded).toEqual(['j1']);
    scene.budget.close(dear);
    scene.take({ is: 'ask', key: 'j1' });
    expect(scene.runner.proceeded).toEqual(['j1']);
    expect(scene.runner.declined.get('j1')).toBe(dear.why);
    expect(scene.ledger.job(order.fingerprint)?.error?.code).toBe('withheld');
  });

  test('whose answer is there, or never comes, is news to tasks that wait; an intent is not', () => {
    const scene = new Scene();
    const [one, other] = [scene.create('j1'), scene.create('j2')];
    expect(scene.intends(one)).toBe(false);
    expect(scene.intends(other)).toBe(false);
    expect(scene.answers(one, 10)).toBe(true);
    expect(scene.take({ is: 'event', key: 'j2', event: doubtOf(other), durable: true })).toBe(true);
  });

  test('that the service took shows that its step is not wrong as such', () => {
    const scene = new Scene();
    const order = scene.create('j1');
    scene.intends(order);
    scene.answers(order, 10);
    const step = scene.step('swap');
    for (let n = 0; n < 5; n++) scene.stepBreaker.count(step, { code: 'refused', why: '' });
    expect(scene.stepBreaker.against(step)).toBeUndefined();
  });
});

describe('a charge that is not as expected', () => {
  test('is told once for each height, with its project', () => {
    const scene = new Scene();
    for (const [key, credits] of [
      ['j1', 15],
      ['j2', 15],
      ['j3', 10],
      ['j4', 20],
    ] as const) {
      const order = createOrder(key);
      const item = scene.item(key);
      scene.budget.reserve(item, order);
      scene.inFlight.start({ itemRun: item, step: scene.step('swap') }, order.fingerprint, order);
      scene.take({ is: 'event', key, event: intentOf(order), durable: true });
      scene.answers(order, credits);
    }
    // What was learned from the first raises what is set aside for the others.
    expect(scene.warnings()).toEqual([
      'swap:j1: project p-j1 was charged 15 credits where 10 were expected; later estimates are raised',
    ]);
  });

  test('is told when the service adds to it in the end', () => {
    const scene = new Scene();
    const order = scene.create('j1');
    scene.intends(order);
    scene.answers(order, 10);
    scene.take({ is: 'event', key: 'j1', event: settledOf(order, 14), durable: false });
    expect(scene.warnings()).toEqual([
      'swap:j1: the service added 4 credits to what it had charged for project p-j1',
    ]);
  });

  test('is no news when it is a refund', () => {
    const scene = new Scene();
    const order = scene.create('j1');
    scene.intends(order);
    scene.answers(order, 10);
    scene.take({ is: 'event', key: 'j1', event: settledOf(order, 0), durable: false });
    expect(scene.warnings()).toEqual([]);
  });
});

describe('a bug in a job', () => {
  const bug = { code: 'abc', what: 'TypeError: x', stack: '' };

  test('with its intent on record leaves its creation in doubt', () => {
    const scene = new Scene();
    const order = scene.create('j1');
    scene.intends(order);
    expect(scene.commit.afterBug('j1', bug)).toMatchObject({ is: 'ended', ending: 'doubt' });
    expect(scene.ledger.job(order.fingerprint)?.state).toBe('doubt');
    expect(scene.told).toMatchObject([{ type: 'bug', task: 'swap:j1' }]);
  });

  test('before its intent fails its task', () => {
    const scene = new Scene();
    scene.create('j1');
    expect(scene.commit.afterBug('j1', bug)).toMatchObject({ ending: 'failed', code: 'bug' });
  });

  test('after it was paid leaves its result to the next run', () => {
    const scene = new Scene();
    const order = scene.create('j1');
    scene.intends(order);
    scene.answers(order, 10);
    expect(scene.commit.afterBug('j1', bug)).toMatchObject({ ending: 'pending' });
  });

  test('while an earlier run’s project is waited for leaves it paid', () => {
    const first = createOrder('j1');
    const scene = new Scene({ before: [intentOf(first), createdOf(first)] });
    const order = { ...attachOrder('j1'), fingerprint: first.fingerprint };
    const waiter = { itemRun: scene.item('a'), step: scene.step('swap') };
    scene.inFlight.start(waiter, order.fingerprint, order);
    expect(scene.commit.afterBug('j1', bug)).toMatchObject({ ending: 'pending' });
  });
});

describe('nothing is said', () => {
  test('of a charge without an expectation', () => {
    const scene = new Scene();
    const order = scene.create('j1', 0);
    scene.intends(order);
    scene.answers(order, 10);
    expect(scene.warnings()).toEqual([]);
  });

  test('of a final charge that is the first, or less', () => {
    for (const credits of [10, 4]) {
      const scene = new Scene();
      const order = scene.create('j1');
      scene.intends(order);
      scene.answers(order, 10);
      const event = settledOf(order, credits);
      scene.take({ is: 'event', key: 'j1', event, durable: false });
      expect(scene.warnings()).toEqual([]);
    }
  });
});

test('an intent for which there is no money any more is not written', () => {
  const scene = new Scene({ total: 100 });
  const order = scene.create('j1');
  scene.budget.close(dear);
  const before = scene.events;
  expect(scene.intends(order)).toBe(false);
  expect(scene.events).toEqual(before);
  expect(scene.runner.declined.get('j1')).toBe(dear.why);
});
