// The log of a run is for people: a run is not held up by it, and never ends because of it.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksIn } from '../examples.ts';
import { bill, envOf, photoRig, service } from '../rig.ts';
import { canMount, smallDisk } from '../small-disk.ts';

test('a log that cannot be opened is refused before anything is sent', async () => {
  const local = await service();
  const rig = await photoRig(1);
  const args = ['run', 'pipeline.yaml', '--log', 'photos'];
  const { code, stderr } = await rig.command(args, envOf(local));
  expect(stderr).toContain('the log photos is a folder');
  expect(code).toBe(2);
  expect(Object.keys(local.requests())).toEqual([]);
});

test.skipIf(!canMount)(
  'a log that cannot be written any more is given up with a warning, and the run goes on',
  async () => {
    const local = await service();
    const rig = await photoRig(2);
    const disk = smallDisk(1 << 16);
    disk.fill();
    const log = join(disk.folder, 'run.log');
    const args = ['run', 'pipeline.yaml', '--log', log];
    const { code, stdout, stderr } = await rig.command(args, envOf(local));
    expect(stderr).toBe(
      `warning: the log ${log} could not be written: the disk is full; the run continues without it\n`,
    );
    expect(stdout).toContain('Done.');
    expect(code).toBe(0);
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
  },
);

test('every line of a log has the run, and where there are any the item, the task and the project', async () => {
  const local = await service();
  const rig = await photoRig(1);
  const args = ['run', 'pipeline.yaml', '--log', 'run.log'];
  expect(await rig.command(args, envOf(local))).toMatchObject({ code: 0 });
  await rig.command(args, envOf(local));
  const lines = rig
    .read('run.log')
    .trimEnd()
    .split('\n')
    .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
  const project = /"project":"([^"]+)"/.exec(rig.read('photos.state.jsonl'))?.[1];
  const swap = lines.find(({ msg, task }) => msg === 'task' && task === 'swap:p1.png');
  expect(swap).toMatchObject({ msg: 'task', item: 'p1.png', project, ending: 'done' });
  const save = lines.find(({ msg, task }) => msg === 'task' && task === 'save:p1.png');
  expect(save).toMatchObject({ project });
  expect(lines.find(({ task }) => task === 'actor')).not.toHaveProperty('item');
  const begins = lines.flatMap(({ msg, run }) => (msg === 'started' ? [run] : []));
  expect(new Set(begins).size).toBe(2);
  const second = lines.findLastIndex(({ msg }) => msg === 'started');
  for (const [index, { time, run }] of lines.entries()) {
    expect(run).toBe(begins[index < second ? 0 : 1]);
    expect(Date.parse(`${time}`)).toBeGreaterThanOrEqual(Date.parse(`${run}`));
  }
});

test.skipIf(spawnSync('jq', ['--version']).status !== 0)(
  'the lines for jq in the documentation find an item, what failed, and every ending',
  async () => {
    const broken = { fault: 'job-error', code: 'no_source_face', count: 1 } as const;
    const local = await service({ faults: { faults: [broken] } });
    const rig = await photoRig(2);
    await rig.command(['run', 'pipeline.yaml', '--log', 'run.log'], envOf(local));
    const lines = blocksIn('docs/monitoring.md', 'sh').flatMap(({ text }) => text.split('\n'));
    const [item, failed, endings] = lines
      .filter((line) => line.startsWith('jq '))
      .map((line) => line.replace('IMG_0412.jpg', 'p1.png'))
      .map((line) => execFileSync('sh', ['-c', line], { cwd: rig.folder, encoding: 'utf8' }));
    expect(item).toMatch(/^{.*"item":"p1\.png"/);
    expect(item).not.toContain('p2.png');
    expect(failed?.trimEnd().split('\n')).toHaveLength(1);
    expect(failed).toContain('no_source_face');
    expect(endings).toMatch(/^\S+Z {2}swap:p\d\.png {2}failed$/m);
    expect(endings).toMatch(/^\S+Z {2}save:p\d\.png {2}(done|blocked)$/m);
  },
);
