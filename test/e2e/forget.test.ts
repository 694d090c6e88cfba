// A task that is forgotten, and whose second result has other bytes. What else may be forgotten: test/transcripts/forget.txt.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { plan } from '../../src/features/plan/plan.ts';
import { status } from '../../src/features/status/status.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { bill, envOf, photoPipeline, photoRig, type Rig, service, type Told } from '../rig.ts';
import { unlike } from './taken.ts';

const stateFile = 'photos.state.jsonl';
const kept = photoPipeline.replace(/ {2}tidy.*\n/, '');

/** The tasks for which something was done. */
const doneIn = ({ events }: Told): readonly string[] =>
  events.flatMap((h) => (h.type === 'task' && h.ending === 'done' ? [h.task] : [])).sort();

/** The line of the job that serves a task, by its step kind. */
function jobOf(rig: Rig, kind: string, task: string): Readonly<Record<string, unknown>> {
  for (const line of rig.read(stateFile).split('\n')) {
    if (!line.startsWith('{"job":')) continue;
    const job: { kind: string; tasks: readonly string[] } = JSON.parse(line);
    if (job.kind === kind && job.tasks.includes(task)) return job;
  }
  throw new Error(`there is no ${kind} job of ${task}`);
}

test('a task that is forgotten: it is made and paid for again, its first attempt stays on the books, and its first file is kept', async () => {
  const local = await service();
  const rig = await photoRig(2, kept);
  // The pictures of the local service are the same each time.
  const internals = unlike();
  await rig.run(local, {}, internals);
  const { project, name } = jobOf(rig, 'face-swap-photo', 'swap:p1.png');
  const first = readFileSync(rig.path('out/p1.png'));
  const said = await rig.command(['forget', 'pipeline.yaml', 'swap:p1.png']);
  expect(said).toMatchObject({ code: 0, stderr: '' });
  const loaded = await loadPipeline(rig.file);
  expect((await plan(loaded, { env: envOf(local) })).plan.credits).toBe(10);
  expect((await status(loaded, { hosted: true })).credits.charged).toBe(20);

  const told = await rig.run(local, {}, internals);
  expect(told.summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
  expect(doneIn(told)).toEqual(['save:p1.png', 'swap:p1.png']);
  const second = jobOf(rig, 'face-swap-photo', 'swap:p1.png');
  expect(second).toMatchObject({
    state: 'complete',
    credits: 10,
    past: [{ name, project, credits: 10 }],
  });
  expect(second['project']).not.toBe(project);
  expect(bill(local.ledger())).toEqual(
    new Map([
      ['p1', 20],
      ['p2', 10],
    ]),
  );
  expect((await status(loaded, { hosted: true })).credits.charged).toBe(30);
  expect(readFileSync(rig.path('out/p1.png')).equals(first)).toBe(false);
  const aside = rig.files('.shotlist/kept').map((file) => rig.path(`.shotlist/kept/${file}`));
  expect(aside.map((path) => readFileSync(path).equals(first))).toEqual([true]);

  const state = rig.read(stateFile);
  expect((await rig.run(local)).summary).toMatchObject({ credits: { charged: 0 } });
  expect(rig.read(stateFile)).toBe(state);
});
