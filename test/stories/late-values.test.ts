// A value that only the run knows: the plan says so and prices it with its bound; the run sends the real value, pays no more
// than was planned, and the next run is free. The length of a real sound: test/e2e/late-values.test.ts.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const pipeline = (
  top = '',
  length = 'steps.clip.duration',
  more = '',
): string => `pipeline: same-length
${top}steps:
  clip:
    uses: text-to-video
    with: { model: ltx-2.3, resolution: 480p, end_seconds: 4, style: { prompt: a small harbour at dawn } }
  sky: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: a sky } } }
  moving:
    uses: image-to-video
    ${more}with:
      model: ltx-2.3
      resolution: 480p
      end_seconds: "\${{ ${length} }}"
      assets: { image_file_path: "\${{ steps.sky.url }}" }
`;

test('a clip as long as another: the plan names the value, and the run sends it', async () => {
  const world = new World(pipeline());
  const { plan } = await world.plan();
  expect(plan.late).toMatchObject([{ step: 'moving', field: 'end_seconds', from: 'clip' }]);
  const told = await world.run();
  expect(told.outcome).toBe('done');
  expect(told.charged).toBeGreaterThan(0);
  expect(told.charged).toBeLessThanOrEqual(plan.credits);
  expect(world.service.projectOf('moving').body['end_seconds']).toBe(4);
  expect((await world.run()).charged).toBe(0);
  const after = (await world.plan()).plan;
  expect([after.credits, after.late ?? []]).toEqual([0, []]);
});

test('a value that an input limits is priced with the input, and costs no more', async () => {
  const inputs = 'inputs: { longest: { type: number, default: 3 } }\n';
  const world = new World(pipeline(inputs, 'math.least(steps.clip.duration, inputs.longest)'));
  const { plan } = await world.plan();
  expect((await world.run()).charged).toBe(plan.credits);
  expect(world.service.projectOf('moving').body['end_seconds']).toBe(3);
});

test('with a budget below the bound, plan and run refuse nothing that estimate: allows', async () => {
  const world = new World(
    pipeline('budget: { credits: 300 }\n', 'steps.clip.duration', 'estimate: 120\n    '),
  );
  expect((await world.plan()).plan.late).toMatchObject([{ step: 'moving', from: 'clip' }]);
  expect((await world.run()).outcome).toBe('done');
});

test('a text of which only the run knows how long it is has no price', async () => {
  const world = new World(
    `pipeline: speech
steps:
  up: { uses: upload, with: { file: a.png } }
  find: { uses: face-detect, with: { target_file_path: "\${{ steps.up.file_path }}" } }
  say: { uses: ai-voice-generator, with: { style: { prompt: "\${{ size(steps.find.faces) }} faces", voice_name: Elon } } }
`,
    { 'a.png': 'faces=1' },
  );
  expect((await world.plan()).plan).toMatchObject({ credits: 0, unpriced: 1 });
});

test('a delete waits for a download of which only the run knows whether it is wanted', async () => {
  const world = new World(
    `pipeline: faces
steps:
  up: { uses: upload, with: { file: a.png } }
  find: { uses: face-detect, with: { target_file_path: "\${{ steps.up.file_path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.up.file_path }}" } } }
  save: { uses: download, if: size(steps.find.faces) > 0, with: { of: colour, to: a.png } }
  tidy: { uses: delete, with: { of: colour } }
`,
    { 'a.png': 'faces=0' },
  );
  const { plan } = await world.plan();
  expect(plan.rows.find(({ step }) => step === 'tidy')?.tasks).toEqual({ maybe: 1 });
  expect((await world.run()).endings).toMatchObject({ save: 'skipped', tidy: 'failed' });
});

test('what shares a request with a task of which only the run knows is planned as that is', async () => {
  const world = new World(
    `pipeline: faces
items: { values: [{ key: a }, { key: b }, { key: c }] }
steps:
  up: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  find: { uses: face-detect, with: { target_file_path: "\${{ steps.up.file_path }}" } }
  colour: { uses: photo-colorizer, if: size(steps.find.faces) > 0, with: { assets: { image_file_path: "\${{ steps.up.file_path }}" } } }
  plain: { uses: photo-colorizer, needs: [find], with: { assets: { image_file_path: "\${{ steps.up.file_path }}" } } }
  head: { uses: head-swap, for_each: "\${{ steps.find.faces }}", with: { assets: { head_file_path: "\${{ each.path }}", body_file_path: "\${{ each.path }}" } } }
`,
    { 'a.png': 'faces=1', 'b.png': 'faces=1', 'c.png': 'faces=3' },
  );
  const rowOf = async (name: string) =>
    (await world.plan()).plan.rows.find(({ step }) => step === name);
  expect((await rowOf('colour'))?.tasks).toEqual({ maybe: 3 });
  expect((await rowOf('plain'))?.tasks).toEqual({ maybe: 3 });
  await world.run();
  expect(await rowOf('head')).toMatchObject({ times: { least: 1, most: 3 }, tasks: { reuse: 5 } });
});
