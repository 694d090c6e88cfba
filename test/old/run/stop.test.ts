// Why a run ends early.
import { expect, test } from 'vitest';
import type { Closed } from '../../../src/run/budget.ts';
import { type Halted, Stop } from '../../../src/run/stop.ts';
import { Parts } from './parts.ts';

const nothing = {
  ...{ interrupted: false, unauthorized: false, money: false, machine: false, outage: false },
  ...{ left: false, why: undefined, by: undefined, until: undefined },
};

test.each<readonly [Closed | undefined, object]>([
  [undefined, {}],
  [
    { because: 'budget', why: 'b' },
    { money: true, why: 'b' },
  ],
  [
    { because: 'credits', why: 'c' },
    { money: true, why: 'c' },
  ],
  [
    { because: 'machine', why: 'm' },
    { machine: true, why: 'm' },
  ],
  [
    { because: 'budget', why: 'day', until: 5 },
    { money: true, why: 'day', until: 5 },
  ],
  [{ because: 'left', why: 'l' }, { why: 'l' }],
  [{ because: 'failures', why: 'f' }, { why: 'f' }],
  [{ because: 'saving', why: 's' }, { why: 's' }],
])('a run that was closed by %j stopped for that', (closed, expected) => {
  const { onEvent } = new Parts();
  const performer = { abort: () => undefined };
  expect(new Stop(performer, onEvent).stopped(closed, true)).toEqual({
    ...{ ...nothing, by: closed?.because, ...expected },
  });
});

test.each<readonly [Halted['what'], object]>([
  ['interrupt', { interrupted: true }],
  ['unauthorized', { unauthorized: true }],
  ['machine', { machine: true }],
  ['outage', { outage: true }],
  ['left', { left: true }],
])('a run that was halted by %s stops once, and says why', (what, expected) => {
  const parts = new Parts();
  let aborted = false;
  const abort = (): void => {
    aborted = true;
  };
  const stop = new Stop({ abort }, parts.onEvent);
  expect(stop.isHalted).toBe(false);
  stop.halt({ what, why: 'first' });
  stop.halt({ what: 'interrupt', why: 'second' });
  expect([stop.isHalted, aborted]).toEqual([true, true]);
  expect(parts.told).toEqual([{ type: 'stopping', why: 'first' }]);
  expect(stop.stopped(undefined, true)).toEqual({
    ...{ ...nothing, ...expected, why: 'first', by: what },
  });
  expect(stop.stopped({ because: 'budget', why: 'b' }, true)).toMatchObject({
    ...{ money: true, why: 'first' },
  });
});

test('a run that was left, and had not admitted every item, goes on later', () => {
  const { onEvent } = new Parts();
  const performer = { abort: () => undefined };
  const stop = new Stop(performer, onEvent);
  const left = { because: 'left', why: 'l' } as const;
  expect([stop.stopped(left, true).left, stop.stopped(left, false).left]).toEqual([false, true]);
  expect(stop.isLeft).toBe(false);
  stop.halt({ what: 'left', why: 'overdue' });
  expect(stop.isLeft).toBe(true);
});
