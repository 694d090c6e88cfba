// A rehearsal's state file is repaired by the command. Hosted ones: test/stories/repair-records.test.ts.
import { expect, test } from 'vitest';
import { photoRig } from '../rig.ts';

test('a rehearsal’s state file is repaired with no service set', async () => {
  const rig = await photoRig(1);
  await rig.command(['run', 'pipeline.yaml']);
  const file = '.shotlist/rehearsal/photos/state.jsonl';
  const [, ...lines] = rig.read(file).split('\n');
  rig.write(file, ['{ no header', ...lines].join('\n'));
  const damaged = rig.read(file);
  expect((await rig.command(['run', 'pipeline.yaml'])).code).toBe(2);
  const { code, stdout } = await rig.command(['repair', 'pipeline.yaml', '--write']);
  expect(code).toBe(1);
  expect(stdout).toContain('line 1');
  expect(rig.read(`${file}.damaged`)).toBe(damaged);
  const again = await rig.command(['run', 'pipeline.yaml', '--json']);
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    ...{ type: 'ended', summary: { credits: { charged: 0 } } },
  });
});
