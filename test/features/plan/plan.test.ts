// A plan and a run refuse for the same reasons, with the same problem.
import { expect, test } from 'vitest';
import { plan, UnrunnablePlan } from '../../../src/features/plan/plan.ts';
import { run } from '../../../src/features/run/run.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { resultOf } from '../../../src/language/load/refusal.ts';
import { photo, Rig } from '../../rig.ts';

const upload = 'up: { uses: upload, with: { file: a.png } }';
const rehearse = { rehearse: true, rehearsalPictures: 'plain' } as const;

async function loaded(text: string) {
  const rig = new Rig(text);
  rig.write('a.png', await photo(1));
  const result = await loadPipeline(rig.file);
  return result;
}

test.each([
  ['a file that is not there', 'up: { uses: upload, with: { file: missing.png } }', 'missing.png'],
  [
    'a price that is not known',
    `${upload}\n  act: { uses: character-replace, with: { end_seconds: 1, assets: { video_file_path: "https://x.example/a.mp4", image_file_path: "https://x.example/a.png" } } }`,
    'not known',
  ],
])('%s', async (_, steps, words) => {
  const pipeline = await loaded(`pipeline: p\nsteps:\n  ${steps}\n`);
  const refused: unknown = await plan(pipeline, rehearse).catch((error: unknown) => error);
  const ran = await resultOf(() => run(pipeline, rehearse));
  if (!(refused instanceof UnrunnablePlan) || ran.ok) throw new Error('nothing was refused');
  expect(refused.problem).toEqual(ran.error);
  expect(refused.message).toContain(words);
  expect(refused.planned.plan.rows.length).toBeGreaterThan(0);
});

test('a pipeline that did not come from loadPipeline is a bug of the program', async () => {
  const { file, name, text, warnings } = await loaded(`pipeline: p\nsteps:\n  ${upload}\n`);
  await expect(plan({ file, name, text, warnings }, rehearse)).rejects.toThrow('loadPipeline()');
});

test('the first event of a run says whether it is a rehearsal, and where its files are', async () => {
  const pipeline = await loaded(`pipeline: p\nsteps:\n  ${upload}\n`);
  const events: unknown[] = [];
  await run(pipeline, { ...rehearse, onEvent: (event) => void events.push(event) });
  expect(events[0]).toEqual({
    type: 'started',
    rehearsal: true,
    state: expect.stringMatching(/state\.jsonl$/),
    output: expect.stringMatching(/out$/),
  });
});
