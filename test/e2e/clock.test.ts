// A laptop wakes up, a time server corrects the hour: durations are measured by a clock that nobody can set.
import { expect, test } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import type { Clock } from '../../src/core/ports.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import { bill, photoPipeline, photoRig, service } from '../rig.ts';

const year = 365 * 86_400_000;

/** Short enough that a jump of the wall clock would end every wait, if a wait looked at it. */
const timed = photoPipeline.replace(
  '    with:\n      name:',
  '    timeout: 1h\n    with:\n      name:',
);

/** After every look at a project the wall clock shows another year: this one, the next, the last. */
function jumping(): { readonly clock: Clock; readonly internals: RunInternals; jumps(): number } {
  let jumps = 0;
  const clock: Clock = {
    ...realClock,
    now: () => realClock.now() + (((jumps + 1) % 3) - 1) * year,
  };
  const internals: RunInternals = {
    api: (api) => ({
      ...api,
      async project(record, id) {
        const read = await api.project(record, id);
        jumps += 1;
        return read;
      },
    }),
  };
  return { clock, internals, jumps: () => jumps };
}

test('the wall clock jumps a year ahead and back in the middle of a run: it ends well, charged once', async () => {
  const local = await service({ speed: 40 });
  const rig = await photoRig(4, timed);
  const { clock, internals, jumps } = jumping();
  const ran = await rig.run(local, { clock }, internals);
  expect(jumps()).toBeGreaterThan(4);
  expect(ran.summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
  expect(ran.summary.elapsedMs).toBeLessThan(year / 2);
  expect(ran.summary.elapsedMs).toBeGreaterThan(0);
  expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10, 10]);
  expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', tasks: { done: 0 } });
  expect(bill(local.ledger()).size).toBe(4);
});
