// What status says by step and by item, from the state file alone.
import { expect, test } from 'vitest';
import { envOf, photoPipeline, photoRig, type Rig, service } from '../rig.ts';

async function oneFailed(): Promise<Rig> {
  const broken = { fault: 'job-error', code: 'no_source_face', count: 1 } as const;
  const local = await service({ faults: { faults: [broken] } });
  const rig = await photoRig(3);
  await rig.run(local);
  await local.close();
  return rig;
}

const line = (text: string, start: RegExp): string =>
  text.split('\n').find((one) => start.test(one)) ?? '';

test('status counts the tasks of each step, and names what is not recorded', async () => {
  const rig = await oneFailed();
  const { stdout, stderr, code } = await rig.command(['status', 'pipeline.yaml']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(line(stdout, /step .*uses/)).toMatch(/done +failed +not reached$/);
  expect(line(stdout, /^ {2}swap /)).toMatch(/face-swap-photo +2 +1$/);
  expect(line(stdout, /^ {2}save /)).toMatch(/download +2 +1$/);
  expect(line(stdout, /^ {2}actor /)).toMatch(/upload +1$/);
  // As ever: jobs by kind, the credits, and the failure with what to do.
  expect(stdout).toContain('1 failed');
  expect(stdout).toContain('failed: swap:p');
});

test('status lists items with what is not done, and bounds the list', async () => {
  const rig = await oneFailed();
  const all = await rig.command(['status', 'pipeline.yaml', '--items']);
  expect(all.stdout).toContain('Items: 3 of 3.');
  expect(line(all.stdout, /failed/)).toMatch(
    /p\d\.png +failed +swap \(project .*no_source_face.*→ use a/,
  );
  expect(all.stdout.match(/^ {2}p\d\.png +done$/gm)).toHaveLength(2);
  const some = await rig.command(['status', 'pipeline.yaml', '--items', 'P*.png', '--limit', '2']);
  expect(some.stdout.match(/^ {2}p\d\.png/gm)).toHaveLength(2);
  expect(some.stdout).toContain(
    "and 1 more: shotlist status pipeline.yaml --items 'P*.png' --limit 3",
  );
  const failed = await rig.command(['status', 'pipeline.yaml', '--failed']);
  expect(failed.stdout).toContain('Items: 1 of 3.');
  expect(failed.stdout).not.toContain('done');
});

test('status --json has the tasks of an item with project, credits and reason', async () => {
  const rig = await oneFailed();
  const args = ['status', 'pipeline.yaml', '--failed', '--step', 'swap', '--json'];
  const { stdout } = await rig.command(args);
  expect(JSON.parse(stdout)).toMatchObject({
    steps: expect.arrayContaining([
      { step: 'swap', uses: 'face-swap-photo', tasks: { done: 2, failed: 1 }, unrecorded: {} },
    ]),
    items: {
      ...{ known: 3, matching: 1 },
      shown: [
        {
          ...{ state: 'failed', item: expect.stringMatching(/^p\d\.png$/) },
          tasks: [{ state: 'failed', code: 'no_source_face', credits: 0, step: 'swap' }],
        },
      ],
    },
  });
});

test('status names the steps if none has the name that was asked for', async () => {
  const rig = await oneFailed();
  const { stderr, code } = await rig.command(['status', 'pipeline.yaml', '--step', 'swpa']);
  expect(stderr).toContain('there is no step "swpa"');
  expect(stderr).toContain('swap');
  expect(code).toBe(2);
});

test('status asks an if: again, so that a skipped step is not called open', async () => {
  const local = await service();
  const rig = await photoRig(2, photoPipeline.replace('faces) > 0', 'faces) > 9'));
  await rig.run(local);
  const { stdout } = await rig.command(['status', 'pipeline.yaml', '--json'], envOf(local));
  const unrecorded = { skipped: 2 };
  expect(JSON.parse(stdout).steps.slice(-3)).toMatchObject([
    { step: 'swap', unrecorded },
    { step: 'save', unrecorded },
    { step: 'tidy', unrecorded },
  ]);
});
