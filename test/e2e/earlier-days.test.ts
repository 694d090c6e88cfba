// Promise 2 over the days: what an earlier due time has paid for comes home in a later run, to the place that it was for.

import { describe, expect, test } from 'vitest';
import { err } from '../../src/base/result.ts';
import { plan } from '../../src/features/plan/plan.ts';
import { resolve } from '../../src/features/resolve/resolve.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import { realClock } from '../../src/run/clock.ts';
import type { FaultRule } from '../../src/service/faults/schema.ts';
import type { LocalService } from '../../src/service/start.ts';
import { bill, envOf, Rig, service } from '../rig.ts';

const daily = `pipeline: daily
output: out
steps:
  picture:
    uses: ai-image-generator
    with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "a postcard for \${{ run.date }} \${{ run.due }}" } }
  save: { uses: download, retry: { attempts: 1 }, with: { of: picture, to: "\${{ run.date }}.png" } }
  tidy: { uses: delete, with: { of: picture } }
`;

const day = (date: number): number => Date.parse(`2026-06-0${date}T07:00:00Z`);
const onDay = (date: number) => ({ ...realClock, now: () => day(date) });

const faulty = (...faults: readonly FaultRule[]): Promise<LocalService> =>
  service({ faults: { faults } });

/** The storage does not have the files of these addresses. */
const losing = (isLost: (address: string) => boolean): RunInternals => ({
  api: (api) => ({
    ...api,
    download: async (address, into) =>
      isLost(address)
        ? err({ reason: 'not-found', status: 404, message: 'there is no file' })
        : await api.download(address, into),
  }),
});

async function loaded(rig: Rig) {
  const found = await loadPipeline(rig.file);
  return found;
}

const deleted = (rig: Rig): number =>
  rig.read('daily.state.jsonl').match(/"deleted"/g)?.length ?? 0;

describe('a download that failed at one due time', () => {
  test('is made at the next one, before anything is bought, and its project is deleted', async () => {
    const [rig, local] = [new Rig(daily), await service()];
    const first = await rig.run(
      local,
      { due: day(1) },
      losing(() => true),
    );
    expect(first.summary).toMatchObject({ outcome: 'failed' });
    const planned = await resultOf(async () =>
      plan(await loaded(rig), { env: envOf(local), clock: onDay(2) }),
    );
    expect(planned.ok && planned.value.warnings.join()).toContain(
      '1 paid result of earlier runs (2026-06-01) is not saved yet',
    );
    const lines: string[] = [];
    const next = await rig.run(
      local,
      { due: day(2) },
      {
        lines: (file) => ({
          append(line) {
            lines.push(line);
            file.append(line);
          },
          sync: () => file.sync(),
        }),
      },
    );
    expect(next.summary).toMatchObject({ outcome: 'done', items: { done: 1 } });
    expect(rig.files('out')).toEqual(['2026-06-01.png', '2026-06-02.png']);
    const events = lines.join('\n');
    expect(events.indexOf('2026-06-01.png')).toBeLessThan(events.indexOf('"event":"intent"'));
    expect(deleted(rig)).toBe(2);
    expect([...bill(local.ledger()).values()]).toEqual([10]);
    expect((await rig.run(local, { due: day(3) })).summary.tasks).toMatchObject({ done: 3 });
  });

  test('is made by a plain run too, and if it fails again the run says so', async () => {
    const [rig, local] = [new Rig(daily), await service()];
    const lost = new Set<string>();
    const first = losing((address) => lost.add(new URL(address).pathname).size > 0);
    await rig.run(local, { clock: onDay(1) }, first);
    const again = losing((address) => lost.has(new URL(address).pathname));
    const limited = await rig.run(local, { clock: onDay(2) }, again);
    expect(limited.summary).toMatchObject({ outcome: 'failed' });
    expect(limited.summary.problems[0]).toMatchObject({
      task: 'save',
      why: expect.stringContaining('of 2026-06-01: '),
    });
    expect(rig.files('out')).toEqual(['2026-06-02.png']);
    const then = await rig.run(local, { clock: onDay(2) });
    expect(then.summary).toMatchObject({ outcome: 'done' });
    expect(rig.files('out')).toEqual(['2026-06-01.png', '2026-06-02.png']);
    const last = await rig.run(local, { clock: onDay(2) });
    expect(last.summary.tasks).toMatchObject({ done: 0, failed: 0 });
  });

  test('is said to be out of reach after the pipeline was changed, and the old file brings it home without a purchase', async () => {
    const [rig, local] = [new Rig(daily), await service()];
    await rig.run(
      local,
      { due: day(1) },
      losing(() => true),
    );
    rig.write('pipeline.yaml', daily.replace('a postcard', 'a letter'));
    const { events } = await rig.run(local, { due: day(2) });
    expect(JSON.stringify(events)).toContain('cannot be fetched, because the pipeline has changed');
    rig.write('pipeline.yaml', daily);
    const { summary } = await rig.run(local, { only: ['save'], clock: onDay(3) });
    expect(summary.credits.charged).toBe(0);
    expect(rig.files('out')).toEqual(['2026-06-01.png', '2026-06-02.png']);
  });
});

test('a doubt that is resolved comes home at the next due time', async () => {
  const lost = { fault: 'reset', on: 'POST /v1/*', when: 'after', count: 1 } as const;
  const [rig, local] = [new Rig(daily), await faulty(lost)];
  expect((await rig.run(local, { due: day(1) })).summary.outcome).toBe('doubt');
  const [project = ''] = local.ledger().flatMap(({ project }) => project ?? []);
  const resolved = await resultOf(async () =>
    resolve(await loaded(rig), 'picture', { how: 'project', project }, { env: envOf(local) }),
  );
  expect(resolved.ok).toBe(true);
  const next = await rig.run(local, { due: day(2) });
  expect(next.summary.outcome).toBe('done');
  expect(rig.files('out')).toEqual(['2026-06-01.png', '2026-06-02.png']);
  expect(deleted(rig)).toBe(2);
});
