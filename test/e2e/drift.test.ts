// A project that ends while nobody looks, and what refresh makes of it. What else drifts: test/transcripts/drift.txt.
import { expect, test } from 'vitest';
import { refresh } from '../../src/features/drift/refresh.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { envOf, photoPipeline, photoRig, type Rig, service } from '../rig.ts';
import { Client } from '../service/client.ts';

const stateFile = 'photos.state.jsonl';
const kept = photoPipeline.replace(/ {2}tidy.*\n/, '');
const impatient = kept.replace('uses: face-swap-photo', 'uses: face-swap-photo\n    timeout: 1ms');

function projectOf(rig: Rig, task: string): string {
  const line = rig
    .read(stateFile)
    .split('\n')
    .find((text) => text.includes(`"${task}"`) && text.includes('"project"'));
  const project = /"project":"([^"]+)"/.exec(line ?? '')?.[1];
  if (project === undefined) throw new Error(`${task} has no project`);
  return project;
}

test('a project that is complete by now: the next run fetches it', async () => {
  const local = await service({ speed: 40 });
  const rig = await photoRig(1, impatient);
  await rig.run(local);
  for (let done = false; !done; ) {
    const { body } = await new Client(local).ask(
      'GET',
      `/v1/image-projects/${projectOf(rig, 'swap:p1.png')}`,
    );
    done = body['status'] === 'complete';
  }
  const { changes } = await refresh(await loadPipeline(rig.file), { env: envOf(local) });
  expect(changes).toMatchObject([{ tasks: ['swap:p1.png'], what: 'complete' }]);
  rig.write('pipeline.yaml', kept);
  expect((await rig.run(local)).summary).toMatchObject({
    outcome: 'done',
    credits: { charged: 0 },
  });
});
