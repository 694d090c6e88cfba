// Why a plan does what it does, as codes, and what has changed since. Sentences: test/golden/reasons.txt, test/transcripts/explain.txt.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const pipeline = `pipeline: paint
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  paint:
    uses: ai-image-editor
    with: { style: { prompt: a red door }, assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: paint, to: "\${{ item.name }}" } }
`;

test('a plan says why each task runs, --explain what has changed since, and a plan without work that there is nothing to do', async () => {
  const world = new World(
    pipeline,
    { 'photos/a.png': 'a', 'photos/b.png': 'b', 'photos/c.png': 'c' },
    { disk: 'folder' },
  );
  await world.run();
  const idle = await world.plan({ explain: 'paint:c.png' });
  expect(idle).toMatchObject({ hasWork: false, reasons: [], explanation: { action: 'reuse' } });
  await expect(world.plan({ explain: 'paint:z.png' })).rejects.toThrow(/paint:z\.png/);

  world.edit(pipeline.replace('a red door', 'a blue door'));
  const changed = await world.plan({ explain: 'paint:b.png' });
  expect(changed.reasons).toMatchObject([
    { step: 'paint', what: 'changed style.prompt', tasks: 3 },
  ]);
  expect(changed.explanation?.changes).toMatchObject([
    { field: 'style.prompt', after: 'a blue door' },
  ]);
  // What it was last, and not first.
  for (const colour of ['green', 'white', 'black']) {
    await world.run({ items: { only: 'c.png' } });
    world.edit(pipeline.replace('red', colour));
    const { earlier } = (await world.plan({ explain: 'paint:c.png' })).explanation ?? {};
    expect(earlier?.project).toBe([...world.service.projects.keys()].at(-1));
  }
  world.edit(pipeline);

  world.write('photos/a.png', 'another a');
  world.write('photos/d.png', 'd');
  world.remove('out/b.png');
  const { reasons, itemsToDo, forecast, explanation } = await world.plan({
    explain: 'paint:a.png',
  });
  for (const reason of [
    { step: 'paint', because: 'new', tasks: 1, examples: ['paint:d.png'] },
    {
      ...{ step: 'paint', because: 'changed', what: 'changed file in assets.image_file_path' },
      ...{ tasks: 1, examples: ['paint:a.png'] },
    },
    {
      ...{ step: 'save', because: 'again', what: 'its file is gone' },
      ...{ tasks: 1, examples: ['save:b.png'] },
    },
  ])
    expect(reasons).toContainEqual(reason);
  expect(itemsToDo).toBe(2);
  expect(forecast).toMatchObject({ limit: 'items', fromHistory: true });
  expect(explanation).toMatchObject({
    ...{ task: 'paint:a.png', action: 'begin', earlier: { state: 'complete' } },
    changes: [{ is: 'file', field: 'assets.image_file_path', file: 'photos/a.png' }],
  });
});

test('a take that is not the first changes nothing, and of a request that only the run knows the files are compared', async () => {
  const world = new World(
    `pipeline: faces
items: { values: [{ key: a }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap:
    uses: face-swap-photo
    with:
      assets:
        face_swap_mode: individual-faces
        target_file_path: \${{ steps.photo.file_path }}
        face_mappings: >-
          \${{ steps.faces.faces.map(f, {"original_face": f.path, "new_face": steps.photo.file_path}) }}
  paint: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "a red \${{ item.key }}" } } }
`,
    { 'a.png': 'a faces=1' },
    { disk: 'folder' },
  );
  await world.run();
  await world.reroll(['paint:a']);
  world.edit(readFileSync(world.file, 'utf8').replace('a red', 'a blue'));
  world.write('a.png', 'another a faces=2');
  const { reasons } = await world.plan();
  for (const { step, what } of [
    { step: 'swap', what: 'changed file in assets.target_file_path' },
    { step: 'paint', what: 'changed style.prompt' },
  ])
    expect(reasons).toContainEqual(
      expect.objectContaining({ step, what: expect.stringContaining(what) }),
    );
});
