// What plan says about the reasons of tasks, and `plan --explain`.
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Planned, type PlanOptions, plan } from '../../src/features/plan/plan.ts';
import { explanationText } from '../../src/features/plan/plan-text.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LocalService } from '../../src/service/start.ts';
import { envOf, photo, Rig, service } from '../rig.ts';

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

async function painted() {
  const rig = new Rig(pipeline);
  for (const [index, name] of ['a', 'b', 'c'].entries())
    rig.write(`photos/${name}.png`, await photo(index + 1));
  const started = await service();
  await rig.run(started);
  return { rig, started };
}

async function planOf(rig: Rig, at: LocalService, options: PlanOptions = {}): Promise<Planned> {
  const loaded = await loadPipeline(rig.file);
  const planned = await plan(loaded, { env: envOf(at), ...options });
  return planned;
}

test('a plan says why each task runs, --explain what has changed since, and a plan without work that there is nothing to do', async () => {
  const { rig, started } = await painted();
  expect(await planOf(rig, started)).toMatchObject({ hasWork: false, reasons: [] });
  const idle = await planOf(rig, started, { explain: 'paint:c.png' });
  expect(idle.explanation).toMatchObject({
    action: 'reuse',
    why: 'same content and parameters as before',
  });
  await expect(planOf(rig, started, { explain: 'paint:z.png' })).rejects.toThrow('no such task');

  rig.write('pipeline.yaml', pipeline.replace('a red door', 'a blue door'));
  const changed = await planOf(rig, started, { explain: 'paint:b.png' });
  expect(changed.reasons).toMatchObject([
    { step: 'paint', what: 'changed style.prompt', tasks: 3 },
  ]);
  expect(changed.explanation?.changes).toEqual([
    { is: 'value', field: 'style.prompt', before: 'a red door', after: 'a blue door' },
  ]);
  rig.write('pipeline.yaml', pipeline);

  rig.write('photos/a.png', await photo(7));
  rig.write('photos/d.png', await photo(8));
  rmSync(rig.path('out/b.png'));
  const { reasons, itemsToDo, forecast, explanation } = await planOf(rig, started, {
    explain: 'paint:a.png',
  });
  expect(reasons).toContainEqual({
    step: 'paint',
    because: 'new',
    tasks: 1,
    examples: ['paint:d.png'],
  });
  expect(reasons).toContainEqual({
    ...{ step: 'paint', because: 'changed', what: 'changed file in assets.image_file_path' },
    ...{ tasks: 1, examples: ['paint:a.png'] },
  });
  expect(reasons).toContainEqual({
    ...{ step: 'save', because: 'again', what: 'its file is gone' },
    ...{ tasks: 1, examples: ['save:b.png'] },
  });
  expect(itemsToDo).toBe(2);
  expect(forecast).toMatchObject({ limit: 'items', fromHistory: true });
  if (explanation === undefined) throw new Error('there is no explanation');
  expect(explanation).toMatchObject({
    ...{ task: 'paint:a.png', action: 'begin', earlier: { state: 'complete' } },
    changes: [{ is: 'file', field: 'assets.image_file_path', file: 'photos/a.png' }],
  });
  const text = explanationText(explanation);
  expect(text).toContain('photos/a.png  sha256 ');
  expect(text).toContain('Everything else is the same.');
  expect(text).toMatch(/since project \S+ of \d{4}-\d\d-\d\d, which cost \d+ credits/);

  // Without a record of what the last project was made of.
  rmSync(rig.path('.shotlist/paint.state.jsonl.manifests.jsonl'));
  const blind = await planOf(rig, started, { explain: 'paint:a.png' });
  if (blind.explanation === undefined) throw new Error('there is no explanation');
  expect(blind.explanation.changes).toBeUndefined();
  expect(explanationText(blind.explanation)).toContain('What has changed since is not known');
});
