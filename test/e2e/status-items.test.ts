// What status says of a step whose if: is false, from the state file alone.
import { expect, test } from 'vitest';
import { envOf, photoPipeline, photoRig, service } from '../rig.ts';

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
