// status shows what the run that holds the lock says of itself, and reads the state file if nobody holds it.
import { describe, expect, onTestFinished, test } from 'vitest';
import { type StatusReport, status } from '../../src/features/status/status.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import type { LiveFacts } from '../../src/views/live/live-facts.ts';
import { ended, envOf, Rig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';

const pipeline = `pipeline: codes
items: { values: [{ key: one }, { key: two }, { key: three }] }
limits: { items: 1 }
output: out
steps:
  make:
    uses: ai-qr-code-generator
    with: { content: "\${{ item.key }}", style: { art_style: plain } }
  save: { uses: download, with: { of: make, to: "\${{ item.key }}.png" } }
`;

/** Renders for an hour. */
const slowly = { speed: 0.01 } as const;

/** A run that renders until it is stopped. */
async function rendering(): Promise<{ readonly rig: Rig; readonly stop: () => Promise<void> }> {
  const [local, rig] = [await service(slowly), new Rig(pipeline)];
  const stopper = new AbortController();
  const running = rig.run(local, { signal: stopper.signal });
  const stop = async (): Promise<void> => {
    stopper.abort();
    await running;
  };
  onTestFinished(stop);
  await until('a code is made', async () => (await factsOf(rig)).live?.atWork.length === 1);
  return { rig, stop };
}

/** Empty where there is no state file yet. */
async function factsOf(rig: Rig): Promise<Partial<StatusReport>> {
  const loaded = await loadPipeline(rig.file);
  const found = await resultOf(() => status(loaded, { hosted: true }));
  return found.ok ? found.value : {};
}

describe('status during a run', () => {
  test('shows what runs, what is queued and what is at work, and no key and no address', async () => {
    const { rig, stop } = await rendering();
    const { stderr, code } = await rig.command(['status', 'pipeline.yaml']);
    expect([stderr, code]).toEqual(['', 0]);
    const { live } = await factsOf(rig);
    expect(live?.rehearsal).toBe(false);
    expect(JSON.stringify(live)).not.toMatch(/https?:|API_KEY|127\.0/);
    await stop();
    expect(rig.files('.shotlist').filter((file) => file.includes('.live'))).toEqual([]);
    const after = await factsOf(rig);
    expect([after.live, after.running]).toEqual([undefined, undefined]);
  });
});

longTest('after kill -9, status reads the state file, whatever the live file says', async () => {
  const [local, rig] = [await service(slowly), new Rig(pipeline)];
  const child = rig.start(['run', 'pipeline.yaml'], envOf(local));
  // It works before its first line is in the state file.
  await until('the run answers and is recorded', async () => {
    const { live, runs } = await factsOf(rig);
    return live?.stage.is === 'working' && runs === 1;
  });
  child.kill('SIGKILL');
  await ended(child);
  expect(rig.files('.shotlist')).toContain('codes.state.jsonl.live.json');
  const after = await factsOf(rig);
  expect([after.live, after.running, after.runs]).toEqual([undefined, undefined, 1]);
});

test('what a run says of itself at its end is what its summary says', async () => {
  const faults = [
    { fault: 'job-error', on: 'ai-qr-code-generator', code: 'bad_input', count: 1 },
    { fault: 'reset', on: 'POST /v1/ai-qr-code-generator', when: 'before', count: 1 },
  ] as const;
  const [local, rig] = [await service({ faults: { faults } }), new Rig(pipeline)];
  const facts: (() => LiveFacts)[] = [];
  for (const problems of [2, 1]) {
    const { summary } = await rig.run(local, { onLive: (live) => void facts.push(live) });
    const { items, steps, charged, stage } = facts.at(-1)?.() ?? {};
    const { done, reused, failed, doubt, blocked } = summary.tasks;
    expect(failed + doubt).toBe(problems);
    const { done: finished, skipped } = summary.items;
    expect(items).toEqual({ total: 3, done: finished, skipped, failed, doubt, open: 0 });
    expect(charged).toBe(summary.credits.charged - summary.credits.refunded);
    expect(stage).toEqual({ is: 'working' });
    const sum = (of: 'done' | 'failed' | 'doubt' | 'notRun' | 'running' | 'queued') =>
      steps?.reduce((all, step) => all + step[of], 0);
    expect([sum('done'), sum('failed'), sum('doubt')]).toEqual([done + reused, failed, doubt]);
    expect([sum('notRun'), sum('running'), sum('queued')]).toEqual([blocked, 0, 0]);
  }
});
