// How much may go wrong before a run buys nothing more.
import { describe, expect, test } from 'vitest';
import type { FailureLimits } from '../../../src/language/pipeline.ts';
import type { ItemRun } from '../../../src/run/item-run.ts';
import { FailurePolicy } from '../../../src/run/task-endings.ts';
import { createdOf, createOrder, intentOf, Parts, settledOf } from './parts.ts';

function scene(failureLimits: FailureLimits, total = 10) {
  const parts = new Parts();
  const policy = new FailurePolicy(failureLimits, total, parts.budget);
  let items = 0;
  const next = (): ItemRun => {
    items += 1;
    return parts.item(`i${items}`);
  };
  /** An item for which credits are charged. */
  const paying = (key: string, credits: number, final = credits): ItemRun => {
    const itemRun = next();
    const order = createOrder(key, credits);
    parts.budget.reserve(itemRun, order);
    for (const event of [intentOf(order), createdOf(order, credits), settledOf(order, final)])
      parts.budget.record(key, event);
    parts.budget.release(key);
    return itemRun;
  };
  return { parts, policy, next, paying };
}

describe('failed items', () => {
  test('end the buying when there are more than allowed, and say so', () => {
    const { parts, policy, next } = scene({ items: 1 });
    policy.failed(next());
    expect(parts.budget.closed).toBeUndefined();
    policy.failed(next());
    expect(parts.budget.closed).toEqual({
      because: 'failures',
      why: '2 items failed, and on_failure or max_failures allows 1',
    });
  });

  test('are counted once, however many of their tasks fail', () => {
    const { parts, policy, next } = scene({ items: 1 });
    const item = next();
    policy.failed(item);
    policy.failed(item);
    expect(parts.budget.closed).toBeUndefined();
  });

  test('are compared with a share of all items of the run', () => {
    const { parts, policy, next } = scene({ share: 0.2 }, 10);
    policy.failed(next());
    policy.failed(next());
    expect(parts.budget.closed).toBeUndefined();
    policy.failed(next());
    expect(parts.budget.closed?.why).toBe('3 items of 10 failed, and max_failures allows 20%');
  });

  test('are no reason to stop where nothing is said about them', () => {
    const { parts, policy, next } = scene({});
    for (let n = 0; n < 10; n++) {
      const item = next();
      policy.failed(item);
      policy.over(item);
    }
    expect(parts.budget.closed).toBeUndefined();
  });
});

describe('credits that went to failed items', () => {
  test('end the buying when they are more than allowed, together', () => {
    const { parts, policy, paying } = scene({ credits: 20 });
    for (const key of ['a', 'b', 'c']) {
      expect(parts.budget.closed).toBeUndefined();
      const item = paying(key, 10);
      policy.failed(item);
      policy.over(item);
    }
    expect(parts.budget.closed).toEqual({
      because: 'failures',
      why: '30 credits went to items that failed, and 20 may',
    });
  });

  test('do not count what an item that went well was charged, nor what was refunded', () => {
    const { parts, policy, paying } = scene({ credits: 20 });
    policy.over(paying('a', 100));
    const refunded = paying('b', 100, 0);
    policy.failed(refunded);
    policy.over(refunded);
    expect(parts.budget.closed).toBeUndefined();
  });

  test('count an item once', () => {
    const { parts, policy, paying } = scene({ credits: 20 });
    const item = paying('a', 15);
    policy.failed(item);
    policy.over(item);
    policy.over(item);
    expect(parts.budget.closed).toBeUndefined();
  });
});
