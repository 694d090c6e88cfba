// The slots of the local service: a job whose end cannot be recorded is not forgotten.
import { expect, test } from 'vitest';
import { openScheduler, type ScheduledJob } from '../../../src/service/jobs/scheduler.ts';
import { clockwork } from '../clockwork.ts';

test('a failed job is recorded as soon as the disk has room again', async () => {
  const clock = clockwork();
  const scheduler = openScheduler({ now: clock.now, after: clock.options.after }, 1);
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  const refusals = [full, full];
  const recorded = Promise.withResolvers<number>();
  const next = Promise.withResolvers<void>();
  const job: ScheduledJob = {
    id: 'one',
    waitMs: 0,
    workMs: 0,
    begin: () => Promise.reject(full),
    work: async () => async () => undefined,
    isWanted: () => true,
    async onFailure() {
      const refusal = refusals.pop();
      if (refusal !== undefined) throw refusal;
      recorded.resolve(clock.now());
    },
  };
  const began = clock.now();
  scheduler.submit(job);
  scheduler.submit({ ...job, id: 'two', begin: async () => next.resolve() });
  for (const _ of refusals.slice()) {
    await clock.until(() => true);
    clock.tick();
  }
  expect(await recorded.promise).toBe(began + 2_000);
  await next.promise;
  await scheduler.close();
});
