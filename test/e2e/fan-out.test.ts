// One step, many results: each element of a list is planned, paid for, saved, resumed and deleted by itself.

import { describe, expect, test } from 'vitest';
import { forget } from '../../src/features/forget/forget.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import { bill, envOf, photo, Rig, service } from '../rig.ts';

const image =
  'img: { uses: ai-image-generator, with: { image_count: 4, model: flux-schnell, resolution: 640px, style: { prompt: a lighthouse } } }';
const up =
  'up: { for_each: "${{ steps.img.downloads }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "${{ each.url }}" } } }';
const save = 'save: { uses: download, with: { of: up, to: "lighthouse-${{ each.index }}.png" } }';

const pipeline = (...steps: readonly string[]): string =>
  ['pipeline: p', 'output: out', 'steps:', ...steps.map((step) => `  ${step}`), ''].join('\n');

const lighthouses = pipeline(
  image,
  up,
  save,
  'tidy: { uses: delete, with: { of: up } }',
  'drop: { uses: delete, with: { of: img, discard: true } }',
);

const perElement = (step: string): readonly string[] => [0, 1, 2, 3].map((n) => `${step}[${n}]`);

describe('four variants', () => {
  test('are upscaled, saved and deleted one by one, once', async () => {
    const rig = new Rig(lighthouses);
    const local = await service();
    const first = await rig.run(local);
    expect(first.summary.tasks).toMatchObject({ done: 14, failed: 0 });
    expect(rig.files('out')).toEqual([0, 1, 2, 3].map((n) => `lighthouse-${n}.png`));
    const bought = bill(local.ledger());
    expect(Object.fromEntries(bought)).toEqual({
      'p img': 20,
      ...Object.fromEntries(perElement('up').map((task) => [`p ${task}`, 25])),
    });
    const again = await rig.run(local);
    expect(again.summary.tasks).toMatchObject({ done: 0, reused: 14 });
    expect(bill(local.ledger())).toEqual(bought);
  });

  test('are planned as four before anything is made, with their price', async () => {
    const rig = new Rig(lighthouses);
    const local = await service();
    const { stdout } = await rig.command(['plan', rig.file], envOf(local));
    expect(stdout).toMatch(/up +ai-image-upscaler +4 +to create, 4 × each +100 credits/);
    expect(stdout).toMatch(/save +download +4 +to fetch, 4 × each/);
    expect(stdout).toContain('At most 120 credits.');
  });

  test('are forgotten one by one', async () => {
    const rig = new Rig(pipeline(image, up, save));
    const local = await service();
    await rig.run(local);
    const loaded = await loadPipeline(rig.file);
    const env = envOf(local);
    const forgotten = await resultOf(() => forget(loaded, { by: 'task', task: 'up[2]' }, { env }));
    expect(forgotten).toMatchObject({ ok: true, value: { tasks: ['up[2]'] } });
    const { events } = await rig.run(local);
    const done = events.flatMap((event) =>
      event.type === 'task' && event.ending === 'done' ? [event.task] : [],
    );
    expect(done).toEqual(['up[2]', 'save[2]']);
  });

  test('are bought only if the budget is enough for all of them', async () => {
    const rig = new Rig(lighthouses);
    const local = await service();
    const { summary } = await rig.run(local, { budget: 75 });
    expect(summary).toMatchObject({ credits: { charged: 0 }, cap: { needed: 120 } });
    await rig.run(local, { budget: 120 });
    expect([...bill(local.ledger()).values()]).toEqual([20, 25, 25, 25, 25]);
  });

  test('count for the budget of their item together', async () => {
    const text = lighthouses
      .replace('steps:', 'items: { values: [{ key: cat }] }\nbudget: { per_item: 75 }\nsteps:')
      .replace('a lighthouse', '"${{ item.key }}"')
      .replace('lighthouse-$', '${{ item.key }}-$');
    const rig = new Rig(text);
    const local = await service();
    const { events } = await rig.run(local);
    const pending = events.flatMap((event) =>
      event.type === 'task' && event.ending === 'pending' ? [event] : [],
    );
    expect(pending.map(({ task }) => task)).toEqual(['img:cat']);
    expect(pending[0]?.why).toContain(
      'a budget of 75 credits: 0 are spent or set aside, this would take 120',
    );
  });
});

test('elements with the same content share one payment', async () => {
  const rig = new Rig(
    pipeline(
      'photo: { uses: upload, with: { file: a.png } }',
      'cut: { for_each: [1, 2], uses: photo-colorizer, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } } }',
      'save: { uses: download, with: { of: cut, to: "${{ each.value }}.png" } }',
      'tidy: { uses: delete, with: { of: cut } }',
    ),
  );
  rig.write('a.png', await photo(1));
  const local = await service();
  const { summary } = await rig.run(local);
  expect(summary.tasks).toMatchObject({ failed: 0, blocked: 0 });
  expect(rig.files('out')).toEqual(['1.png', '2.png']);
  expect(bill(local.ledger()).size).toBe(1);
});

test('a fan-out over what only the run finds is planned without a promise of its number', async () => {
  const rig = new Rig(
    pipeline(
      'photo: { uses: upload, with: { file: a.png } }',
      'faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }',
      'head: { for_each: "${{ steps.faces.faces }}", uses: ai-headshot-generator, with: { assets: { image_file_path: "${{ each.path }}" } } }',
      'save: { uses: download, with: { of: head, to: "head-${{ each.index }}.png" } }',
    ),
  );
  rig.write('a.png', await photo(1));
  const local = await service();
  const { stdout } = await rig.command(['plan', rig.file], envOf(local));
  expect(stdout).toMatch(
    /head +ai-headshot-generator +1 +perhaps, \? × each +\d+ credits for each element/,
  );
  expect(stdout).toContain('plus a number of tasks that only the run will know');
  const { summary } = await rig.run(local);
  expect(summary.tasks.failed).toBe(0);
  const heads = rig.files('out');
  expect([...bill(local.ledger()).keys()]).toEqual(heads.map((_, n) => `p head[${n}]`));
  expect(heads.length).toBeGreaterThan(0);
});

test('a list that cannot be evaluated fails before anything is paid', async () => {
  const rig = new Rig(
    pipeline(
      'a: { uses: upload, with: { file: a.png } }',
      up.replace('steps.img.downloads', 'dyn(inputs.none)'),
      save,
    ).replace('steps:', 'inputs: { none: { type: string, default: x } }\nsteps:'),
  );
  rig.write('a.png', await photo(1));
  const local = await service();
  const { stderr, code } = await rig.command(['run', rig.file], envOf(local));
  expect(code).not.toBe(0);
  expect(stderr).toContain('for_each must be a list, not "x"');
  expect(bill(local.ledger()).size).toBe(0);
});
