// A tool step whose result nobody downloads: warned of before it is paid, and told as it is afterwards.
import { expect, test } from 'vitest';
import { envOf, Rig, service } from '../rig.ts';

const picture = (more = ''): string => `pipeline: lonely
output: out
steps:
  picture: { uses: ai-image-generator,${more} with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: a lighthouse } } }
`;

test('is warned of by plan and run, is told by status, and counts as finished', async () => {
  const local = await service();
  const rig = new Rig(picture());
  const planned = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
  expect(planned.stderr).toContain('warning SL601: step "picture": no step downloads its result');
  const ran = await rig.command(['run', 'pipeline.yaml'], envOf(local));
  expect(ran.stderr).toContain('warning SL601: step "picture": no step downloads its result');
  expect(ran.stdout).toContain('1 of 1 finished');
  expect(ran.stdout).toContain('5 charged');
  const status = await rig.command(['status', 'pipeline.yaml'], envOf(local));
  expect(status.stdout).toContain('paid, kept at the service: no step downloads it: picture');
  expect(status.stdout).not.toContain('The next run fetches');
});

test('is not warned of where keep: remote says that it is meant', async () => {
  const local = await service();
  const rig = new Rig(picture(' keep: remote,'));
  const ran = await rig.command(['run', 'pipeline.yaml'], envOf(local));
  expect(ran.stderr).not.toContain('warning');
  const status = await rig.command(['status', 'pipeline.yaml'], envOf(local));
  expect(status.stdout).toContain('paid, kept at the service: picture');
  const again = await rig.command(['run', 'pipeline.yaml'], envOf(local));
  expect(again.stdout).toContain('0 charged');
});
