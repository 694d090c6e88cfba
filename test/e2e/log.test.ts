// The log of a run is for people: a run is not held up by it, and never ends because of it.
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
