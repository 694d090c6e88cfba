// `run --detach-after`: a run that leaves the projects that still render, and is picked up anywhere the state file is.
import { cpSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import type { RunInternals, RunOptions } from '../../src/features/run/run.ts';
import { bill, envOf, Rig, service } from '../rig.ts';
import { type Clockwork, clockwork } from '../service/clockwork.ts';

const clips = (more = ''): string => `pipeline: clips
${more}items: { values: [a, b, c, d, e, f] }
output: out
steps:
  clip: { uses: text-to-video, with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, style: { prompt: "\${{ item.value }}" } } }
  save: { uses: download, with: { of: clip, to: "\${{ item.key }}.\${{ result.ext }}" } }
`;

const afterMs = 300_000;

/** The time to leave comes as soon as so many projects render. */
function leavingAfter(projects: number): RunOptions & { readonly internals: RunInternals } {
  const enough = Promise.withResolvers<void>();
  const read = new Set<string>();
  return {
    detachAfterMs: afterMs,
    clock: {
      ...realClock,
      sleep: async (ms, ...signals) => {
        if (ms < afterMs / 2) return await realClock.sleep(ms, ...signals);
        const over = new Promise<void>((resolve) =>
          signals.map((signal) =>
            signal.addEventListener('abort', () => resolve(), { once: true }),
          ),
        );
        await Promise.race([enough.promise, over]);
      },
    },
    internals: {
      api: (api) => ({
        ...api,
        project: async (record, id) => {
          read.add(id);
          if (read.size >= projects) enough.resolve();
          return await api.project(record, id);
        },
      }),
    },
  };
}

/** A service whose time stands still, so that projects render until the test lets time pass. */
async function left(pipeline = clips()) {
  const time = clockwork(Date.now());
  const local = await service({ speed: 'realtime', tier: 'creator', ...time.options });
  const rig = new Rig(pipeline);
  const { internals, ...options } = leavingAfter(3);
  const ran = await rig.run(local, options, internals);
  return { time, local, rig, ran };
}

/** Time passes with every look at a project. */
const passing = (time: Clockwork): RunInternals => ({
  api: (api) => ({
    ...api,
    project: async (record, id) => {
      time.pass(20_000);
      return await api.project(record, id);
    },
  }),
});

describe('a run that is left', () => {
  test('says so, names the time of the next look, and stays open', async () => {
    const { rig, ran, local } = await left();
    expect(ran.summary).toMatchObject({ outcome: 'waiting', tasks: { rendering: 3, failed: 0 } });
    expect(ran.summary.problems).toEqual([]);
    expect(Date.parse(ran.summary.wakeAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(ran.events).toContainEqual({ type: 'generations', most: 3, tier: 'creator' });
    expect(bill(local.ledger()).size).toBe(3);
    const [, run] = rig.read('clips.state.jsonl').split('\n');
    expect(JSON.parse(run ?? '')).toMatchObject({ run: expect.any(String) });
    expect(JSON.parse(run ?? '')).not.toHaveProperty('ended');
  });

  test('is continued by a plain run, from a copy of the pipeline and the state file', async () => {
    const { time, local, rig } = await left();
    const copy = new Rig(clips());
    cpSync(rig.path('clips.state.jsonl'), copy.path('clips.state.jsonl'));
    time.pass(600_000);
    const { summary } = await copy.run(local, {}, passing(time));
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 6 } });
    expect(copy.files('out')).toHaveLength(6);
    expect(local.ledger().filter(({ kind }) => kind === 'charge')).toHaveLength(6);
    expect(copy.read('clips.state.jsonl').match(/^\{"run":/gm)).toHaveLength(1);
  });

  test('keeps its budget: the run that continues it has only the rest', async () => {
    const { time, local, rig } = await left(clips('budget: { credits: 300 }\n'));
    time.pass(600_000);
    const { summary } = await rig.run(local, {}, passing(time));
    expect(summary.outcome).toBe('budget');
    const spent = [...bill(local.ledger()).values()].reduce((sum, credits) => sum + credits, 0);
    expect(spent).toBeLessThanOrEqual(300);
  });
});

test('a time that nothing needs changes nothing', async () => {
  const local = await service();
  const rig = new Rig(clips());
  const ran = await rig.command(['run', 'pipeline.yaml', '--detach-after', '1h'], envOf(local));
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const wrong = await rig.command(['run', 'pipeline.yaml', '--detach-after', 'soon']);
  expect(wrong.code).toBe(2);
});
