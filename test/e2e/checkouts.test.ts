// Rehearsals in folders that lost something or were moved. Clones of hosted work: test/stories/checkouts.test.ts.
import { cpSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { photoPipeline, photoRig, Rig } from '../rig.ts';
import { longTest } from '../sweep.ts';

longTest(
  'a checkout without its memory, such as a rehearsal after somebody removed the cache, has absent outputs elsewhere',
  async () => {
    const rig = await photoRig(1);
    const rehearse = ['run', 'pipeline.yaml', '--rehearse'];
    expect((await rig.command(rehearse)).code).toBe(0);
    rmSync(rig.privatePath('hashes.db'));
    rmSync(rig.path('.shotlist/rehearsal/photos/out'), { recursive: true });
    const again = await rig.command(rehearse);
    expect(again.stdout).toContain('1 file is elsewhere');
    expect(again.code).toBe(0);
  },
);

longTest(
  'a rehearsal in a folder that was moved uses its results, and says that its service is gone',
  async () => {
    const rig = await photoRig(1);
    const run = ['run', 'pipeline.yaml', '--rehearse'];
    expect((await rig.command(run)).code).toBe(0);
    const moved = new Rig(photoPipeline);
    cpSync(rig.folder, moved.folder, { recursive: true });
    const again = await moved.command(run);
    expect(again.stdout).toContain('6 reused');
    expect(again.stderr).toContain(`to start it over, remove ${moved.path('.shotlist')}`);
    rmSync(moved.path('.shotlist/rehearsal/photos'), { recursive: true });
    expect(await moved.command(run)).toMatchObject({ code: 0, stderr: '' });
  },
);
