// Tasks with the same content share a project: none is in doubt, excluded or lost because of the other.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const colour =
  'uses: photo-colorizer, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } }';

test('two items with the same content are one payment, and neither is in doubt while the creation is on its way', async () => {
  const world = new World(
    `pipeline: twins
items: { values: [{ key: a, wait: 0 }, { key: b, wait: 2 }, { key: c, wait: 2 }] }
limits: { items: 2 }
output: out
steps:
  photo: { uses: upload, with: { file: p1.png } }
  colour: { if: "item.wait > 1", ${colour} }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}.png" } }
`,
    { 'p1.png': 'rose' },
  );
  const { summary } = await world.run();
  expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10 }, tasks: { doubt: 0 } });
  expect(world.outputs).toEqual(['b.png', 'c.png']);
});

const shared = (condition: string): World =>
  new World(
    `pipeline: shared
items: { values: [{ key: a }, { key: b }] }
output: out
steps:
  photo: { uses: upload, with: { file: photo.png } }
  colour: { ${colour} }
  save: { uses: download, if: '${condition}', with: { of: colour, to: "\${{ item.key }}.png" } }
  tidy: { uses: delete, with: { of: colour } }
`,
    { 'photo.png': 'rose' },
  );

test('a shared project is deleted once the items have downloaded it', async () => {
  const world = shared('item.key == "a"');
  const { summary } = await world.run();
  expect(summary).toMatchObject({ outcome: 'done', tasks: { skipped: 1, done: 4 } });
  expect([world.outputs, world.service.deletedUnsaved]).toEqual([['a.png'], []]);
  // The items know the places of its files, and the project does not.
  expect(world.written.join()).not.toContain('"to":"kept"');
});

test('a shared project is kept where every item skips its download, in plan and run', async () => {
  const world = shared('item.key == "none"');
  const { plan } = await world.plan();
  expect(plan.rows.find(({ step }) => step === 'tidy')?.tasks).toEqual({ keep: 1 });
  const { summary } = await world.run();
  expect(summary).toMatchObject({ outcome: 'failed', tasks: { skipped: 2, failed: 1 } });
  expect(summary?.problems).toMatchObject([{ task: 'tidy' }]);
  expect(world.service.projectOf('colour').isDeleted).toBe(false);
});

/** Two items of one content, whose result each of them saves and deletes. `more`: steps before the delete. */
const twins = (more = '', files: Readonly<Record<string, string>> = {}): World =>
  new World(
    `pipeline: twins
items: { values: [{ key: a }, { key: b }] }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  colour: { ${colour} }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}.png" } }
${more}  tidy: { uses: delete, with: { of: colour } }
`,
    { 'a.png': 'rose', 'b.png': 'rose', ...files },
  );

test('a project of two items is deleted by neither while the other one downloads it', async () => {
  const world = twins();
  let downloads = 0;
  world.service.latencyMs = ({ call }) =>
    call === 'download' && ++downloads % 2 === 0 ? 30_000 : 20;
  expect((await world.run()).outcome).toBe('done');
  const [first, second, last] = world.service.calls.filter(
    ({ call }) => call === 'download' || call === 'delete',
  );
  expect([first?.call, second?.call, last?.call]).toEqual(['download', 'download', 'delete']);
  // A call comes when half of its time is over.
  expect((last?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(15_000);
});

test('of a project that is being deleted no address is sent any more, but its file', async () => {
  const world = twins(
    `  gate: { uses: upload, if: item.key == "b", with: { file: gate.png } }
  head: { uses: head-swap, needs: [gate], if: item.key == "b", with: { assets: { head_file_path: "\${{ steps.colour.url }}", body_file_path: "\${{ steps.colour.url }}" } } }
`,
    { 'gate.png': 'gate' },
  );
  world.service.latencyMs = ({ call, about }) =>
    call === 'delete'
      ? 30_000
      : call === 'create' && about === 'head:b'
        ? 40_000
        : call === 'put' && about.includes('gate')
          ? 5000
          : 20;
  expect((await world.run()).outcome).toBe('done');
  const sent = world.requests.filter((request) => /^(delete|create head)/.test(request));
  expect(sent.toSorted()).toEqual(['create head:b', 'delete colour:a']);
});

test('shared projects that nobody saves are discarded once all items have used them', async () => {
  const world = new World(
    `pipeline: twins
items: { values: [{ key: a, of: it }, { key: b, of: it }, { key: c, of: it }] }
limits: { items: 1 }
steps:
  one: { uses: ai-meme-generator, with: { style: { template: Random, topic: "one \${{ item.of }}" } } }
  two: { uses: ai-meme-generator, with: { style: { template: Random, topic: "two \${{ item.of }}" } } }
  both: { uses: ai-image-editor, with: { image_count: 1, model: flux-2-klein, resolution: 640px, assets: { image_file_paths: ["\${{ steps.one.url }}", "\${{ steps.two.url }}"] }, style: { prompt: "\${{ item.key }}" } } }
  tidy-one: { uses: delete, with: { of: one, discard: true } }
  tidy-two: { uses: delete, with: { of: two, discard: true } }
`,
  );
  expect((await world.run()).outcome).toBe('done');
  const last = world.requests.slice(-2).map((request) => request.split(':')[0]);
  expect(last.toSorted()).toEqual(['delete one', 'delete two']);
  expect(world.service.projects.size).toBe(5);
});

test('a delete in an item keeps a shared project that a shared step could not use yet', async () => {
  const world = new World(
    `pipeline: late
items: { values: [{ key: a }] }
steps:
  photo: { uses: upload, with: { file: photo.png } }
  colour: { ${colour} }
  save: { uses: download, with: { of: colour, to: colour.png } }
  head: { uses: head-swap, with: { assets: { head_file_path: "\${{ steps.colour.url }}", body_file_path: "\${{ steps.colour.url }}" } } }
  tidy: { uses: delete, if: item.index == 0, with: { of: colour } }
`,
    { 'photo.png': 'rose' },
  );
  world.service.fate = ({ tool }) => (tool === 'head-swap' ? { error: 'no_source_face' } : {});
  expect((await world.run()).endings).toMatchObject({ save: 'done', 'tidy:a': 'blocked' });
  expect(world.service.projectOf('colour').isDeleted).toBe(false);
});

test('an excluded step stays excluded, even if another with the same content is done', async () => {
  const world = new World(
    `pipeline: left-out
output: out
steps:
  photo: { uses: upload, with: { file: photo.png } }
  copy: { uses: upload, needs: [photo], with: { file: photo.png } }
  colour: { needs: [copy], ${colour} }
  save: { uses: download, with: { of: colour, to: a.png } }
`,
    { 'photo.png': 'rose' },
  );
  const { summary } = await world.run({ exclude: ['copy'] });
  expect(summary).toMatchObject({ credits: { charged: 0 }, tasks: { done: 1, excluded: 3 } });
});

test('a pipeline of many items with only shared steps comes to an end', async () => {
  const world = new World(
    `pipeline: many
items: { values: [1, 2, 3, 4] }
limits: { items: 1 }
steps:
  photo: { uses: upload, with: { file: photo.png } }
`,
    { 'photo.png': 'rose' },
  );
  expect((await world.run()).outcome).toBe('done');
  expect((await world.run()).summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
});
