// What status says while a run is going on.
import { expect, test } from 'vitest';
import { takeLock } from '../../src/state/lock/lock.ts';
import { photoRig, service } from '../rig.ts';

test('status says that a run is going on, and takes nothing that was sent for a doubt', async () => {
  const rig = await photoRig(0);
  const job = 'a'.repeat(64);
  const at = '2026-08-05T10:00:00.000Z';
  const lines = [
    { shotlist: 3, pipeline: 'photos', service: 'rehearsal' },
    { seq: 1, event: 'run', run: 1, at },
    {
      ...{ seq: 2, event: 'intent', job, task: 'swap:a', kind: 'face-swap-photo' },
      ...{ attempt: 1, name: 'a #1', reserve: 10, at },
    },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  rig.write('photos.state.jsonl', `${text}{"seq":3,"eve`);
  const lock = await takeLock(rig.path('.shotlist/photos.state.jsonl.lock'), Date.now());
  if (!lock.ok) throw new Error(lock.error);
  const facts = async () => {
    const { code, stdout } = await rig.command(['status', 'pipeline.yaml', '--json']);
    return { code, ...JSON.parse(stdout) };
  };
  expect(await facts()).toMatchObject({
    code: 0,
    running: expect.stringContaining(`${process.pid}`),
    credits: { reserved: 10 },
    doubts: [],
  });
  await lock.value.release();
  expect(await facts()).toMatchObject({ code: 4, doubts: [{ tasks: ['swap:a'] }] });
});

test('a photo that failed is no failure any more once its step is skipped, and other skipped tasks leave no line', async () => {
  const broken = { fault: 'job-error', code: 'no_source_face', count: 1 } as const;
  const local = await service({ faults: { faults: [broken] } });
  const rig = await photoRig(2);
  expect((await rig.run(local)).summary.tasks).toMatchObject({ failed: 1 });
  rig.write('pipeline.yaml', rig.read('pipeline.yaml').replace('> 0', '> 9'));
  const { summary } = await rig.run(local);
  expect(summary).toMatchObject({ outcome: 'done', tasks: { skipped: 6 } });
  const lines = rig.read('photos.state.jsonl').split('\n');
  expect(lines.filter((line) => line.includes('"state":"skipped"'))).toHaveLength(1);
  const { stdout, code } = await rig.command(['status', 'pipeline.yaml', '--hosted', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ failures: [] });
});
