// Who still uses a project that a delete would remove.
import { expect, test } from 'vitest';
import type { ItemRun } from '../../../src/run/item-run.ts';
import { ProjectUsers } from '../../../src/run/project-users.ts';
import { createdOf, createOrder, intentOf, Parts, settledOf } from './parts.ts';

test('a delete waits while any item in progress, or its own, still uses the project', () => {
  const parts = new Parts();
  const [one, two] = [parts.item('a'), parts.item('b')];
  const open = new Set([one, two]);
  const users = new ProjectUsers(open);
  const order = createOrder('job');
  const { fingerprint: job } = order;
  parts.journal.append([intentOf(order), createdOf(order), settledOf(order)]);
  const tidy = parts.step('tidy');
  const asks = (item: ItemRun) => users.isStillUsed(item, tidy, job);
  expect([asks(one), users.hasProject(two)]).toEqual([false, false]);
  two.setOutputs(parts.step('swap'), job, parts.ledger.job(job), {});
  users.add(two, parts.step('swap'), job);
  expect([asks(one), users.hasProject(two)]).toEqual([true, true]);
  expect(users.isStillUsed(one, parts.step('save'), job)).toBe(false);
  expect(users.isStillUsed(one, tidy, createOrder('other').fingerprint)).toBe(false);
  users.over(two);
  expect([asks(one), users.hasProject(two)]).toEqual([false, false]);
  // Its own item run counts although it is not in progress.
  expect(asks(two)).toBe(true);
  two.end('save', 'done');
  expect(asks(two)).toBe(false);
});
