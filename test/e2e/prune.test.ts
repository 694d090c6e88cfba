// prune: what earlier runs left and nothing needs is listed and removed after a yes, and nothing that somebody may want.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { envOf, type Ended, photo, photoPipeline, photoRig, type Rig, service } from '../rig.ts';

const untidy = photoPipeline.replace(/ {2}tidy:.*\n/, '');
const state = 'photos.state.jsonl';

test('smoke', async () => {
  const local = await service();
  const rig = await photoRig(3, untidy);
  await rig.run(local);
  rmSync(rig.path('photos/p3.png'));
  const plan = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  console.log(plan.stdout, plan.stderr);
  const list = await rig.command(['prune', 'pipeline.yaml'], envOf(local));
  console.log(list.stdout, list.stderr, list.code);
  const yes = await rig.command(['prune', 'pipeline.yaml', '--yes'], envOf(local));
  console.log(yes.stdout, yes.stderr, yes.code);
  console.log(rig.files('out'), rig.read(state).slice(0, 20000).split('\n').filter((l) => l.includes('p3')));
  const again = await rig.command(['prune', 'pipeline.yaml', '--json'], envOf(local));
  console.log(again.stdout, again.stderr, again.code);
});
