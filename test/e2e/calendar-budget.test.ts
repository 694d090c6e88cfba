// budget.per_day and budget.per_month over several runs: what each buys, what plan says, and when it goes on.
import { expect, test } from 'vitest';
import { plan } from '../../src/features/plan/plan.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { budgetLeftText } from '../../src/views/calendar-text.ts';
import { FakeClock } from '../files/places.ts';
import { envOf, service } from '../rig.ts';
import { ledgerSums, spendingRig } from './spending.ts';

const zone = 'schedule: { cron: "0 9 * * *", time_zone: Europe/Berlin }';

test('runs of one day share its budget, and the next day has its own', async () => {
  const local = await service({ credits: 100_000 });
  const rig = spendingRig({ items: 10, more: `budget: { per_day: 40, per_month: 70 }\n${zone}` });
  const clock = new FakeClock(Date.parse('2026-08-05T10:00:00Z'));

  const first = await rig.run(local, { clock });
  expect(ledgerSums(local)).toMatchObject({ net: 40 });
  expect(first.summary).toMatchObject({
    outcome: 'budget',
    resumesAt: '2026-08-05T22:00:00.000Z',
    stopped: expect.stringContaining('the next day begins at 2026-08-06 00:00 Europe/Berlin'),
  });

  const again = await rig.run(local, { clock });
  expect(again.summary).toMatchObject({ outcome: 'budget', credits: { charged: 0 } });

  clock.pass(12 * 3_600_000);
  const next = await rig.run(local, { clock });
  expect(ledgerSums(local)).toMatchObject({ net: 70 });
  expect(next.summary).toMatchObject({
    outcome: 'budget',
    resumesAt: '2026-08-31T22:00:00.000Z',
    stopped: expect.stringContaining('budget.per_month is reached, 70 credits for 2026-08'),
  });
  expect(next.events).toContainEqual({
    type: 'warning',
    message: expect.stringMatching(/^budget.per_month: 30 of 70 credits are left for 2026-08\. /),
  });

  clock.pass(27 * 24 * 3_600_000);
  const last = await rig.run(local, { clock });
  expect(last.summary).toMatchObject({ outcome: 'done' });
  expect(last.summary.resumesAt).toBeUndefined();
  expect(ledgerSums(local)).toMatchObject({ net: 100 });
});

test('a clock that is set back spends no budget of a day again, and a line says what counts', async () => {
  const local = await service({ credits: 100_000 });
  const rig = spendingRig({ items: 10, more: 'budget: { per_day: 40 }' });
  const at = (time: string): FakeClock => new FakeClock(Date.parse(time));
  await rig.run(local, { clock: at('2026-08-05T10:00:00Z'), items: { limit: 3 } });

  const back = () => rig.run(local, { clock: at('2026-08-04T09:00:00Z') });
  const first = await back();
  expect(first.summary).toMatchObject({ outcome: 'budget', credits: { charged: 10 } });
  expect(first.events).toContainEqual({
    type: 'warning',
    message:
      'the clock says 2026-08-04 09:00, and the record has a run of 2026-08-05 10:00 UTC: ' +
      'budget.per_day still counts for 2026-08-05',
  });
  // What was spent by the wrong clock counts for the day of the record, too.
  expect((await back()).summary).toMatchObject({ outcome: 'budget', credits: { charged: 0 } });
  const right = await rig.run(local, { clock: at('2026-08-05T11:00:00Z') });
  expect(right.summary).toMatchObject({ outcome: 'budget', credits: { charged: 0 } });
  expect(ledgerSums(local)).toMatchObject({ net: 40 });

  const next = await rig.run(local, { clock: at('2026-08-06T10:00:00Z') });
  expect(next.summary).toMatchObject({ outcome: 'budget', credits: { charged: 40 } });
  expect(next.events.filter(({ type }) => type === 'warning')).toHaveLength(1);
});

test('plan says what is left of the day, and where a run will stop', async () => {
  const local = await service({ credits: 100_000 });
  const rig = spendingRig({ items: 10, more: `budget: { per_day: 40 }\n${zone}` });
  const clock = new FakeClock(Date.parse('2026-08-05T10:00:00Z'));
  await rig.run(local, { clock, items: { limit: 3 } });
  const loaded = await loadPipeline(rig.file);
  const { calendar, plan: rest } = await plan(loaded, { clock, env: envOf(local) });
  expect(calendar.map((limit) => budgetLeftText(limit, rest.credits))).toEqual([
    'budget.per_day: 10 of 40 credits are left for 2026-08-05. The plan may take 70, so a run stops when the 10 are ' +
      'spent; the next day begins at 2026-08-06 00:00 Europe/Berlin.',
  ]);
  expect(calendar.map((limit) => budgetLeftText(limit, 10))).toEqual([
    'budget.per_day: 10 of 40 credits are left for 2026-08-05.',
  ]);
});

test('plan --json has the budget of the month, and a task without a price is refused, as with any budget', async () => {
  const local = await service();
  const steps = `  clip:
    uses: text-to-video
    with: { end_seconds: 5, model: minimax-h3, resolution: 720p, style: { prompt: "\${{ item.value }}" } }
`;
  const rig = spendingRig({ items: 1, more: 'budget: { per_month: 40 }', steps });
  const { stdout } = await rig.command(['plan', 'pipeline.yaml', '--json'], envOf(local));
  expect(JSON.parse(stdout)).toMatchObject({
    calendar: [{ per: 'month', most: 40, spent: 0, left: 40, timeZone: 'UTC' }],
    problems: [{ message: expect.stringMatching(/^there is a budget, and the price of "clip"/) }],
  });
});

test('a day that has nothing left for the only item, which was begun, ends the run as a budget does', async () => {
  const local = await service({ credits: 100_000 });
  const say = (step: string, more: string): string =>
    `  ${step}:\n    uses: ai-voice-generator\n    needs: [${more}]\n` +
    `    with: { style: { prompt: "\${{ item.value }} ${step}", voice_name: Elon } }\n`;
  const rig = spendingRig({
    ...{ items: 1, more: 'budget: { per_day: 12 }' },
    steps: say('one', '') + say('two', 'one'),
  });
  const clock = new FakeClock(Date.parse('2026-08-05T10:00:00Z'));
  await rig.run(local, { clock, only: ['one'] });
  const { summary } = await rig.run(local, { clock });
  expect(summary).toMatchObject({
    ...{ outcome: 'budget', stoppedBy: 'budget', cap: { name: 'budget.per_day' } },
    resumesAt: '2026-08-06T00:00:00.000Z',
  });
});
