// A rehearsal's state file is repaired by the command. Hosted ones: test/stories/repair-records.test.ts.
import { renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { photoRig } from '../rig.ts';

test('a rehearsal’s state file is repaired with no service set', async () => {
  const rig = await photoRig(1);
  await rig.command(['run', 'pipeline.yaml']);
  const file = '.shotlist/rehearsal/photos/state.jsonl';
  const [, ...lines] = rig.read(file).split('\n');
  rig.write(file, lines.join('\n'));
  const { code, stdout } = await rig.command([
    'repair',
    'pipeline.yaml',
    '--write',
    'better.jsonl',
  ]);
  expect(code).toBe(1);
  expect(stdout).toContain('line 1');
  renameSync(rig.path('better.jsonl'), rig.path(file));
  const again = await rig.command(['run', 'pipeline.yaml']);
  expect(again.code).toBe(0);
});
