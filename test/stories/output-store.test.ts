// Results are kept in a store as well, and fetched from there by whoever needs their bytes: a store in a folder. A bucket:
// test/e2e/output-store.test.ts.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256Of } from '../kit/service.ts';
import { type Checkout, World } from '../kit/world.ts';

const untidy = `pipeline: photos
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "https://example.com/face.png" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}" } }
`;
const tidy = `${untidy}  tidy: { uses: delete, with: { of: swap } }\n`;
const stored = (pipeline: string, store = 'store'): string =>
  pipeline.replace('output: out\n', `output: out\noutputs: { store: ${store} }\n`);
/** A step that needs the bytes of a result whose project is deleted. */
const coloured = (from: string, more = ''): string => `${stored(tidy)}\
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ ${from} }}" } } }
  save2: { uses: download, with: { of: colour, to: "coloured/\${{ item.key }}" } }
${more}`;

const begin = (pipeline = stored(tidy), count = 2): World =>
  new World(
    pipeline,
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`photos/p${index + 1}.png`, `photo ${index}`]),
    ),
    { disk: 'folder' },
  );

/** A checkout with git's content: everything but the outputs and our own folder. */
function cloneOf(world: World, pipeline = stored(tidy)): Checkout {
  const clone = world.checkout('clone', pipeline);
  for (const name of ['photos', 'store', 'photos.state.jsonl'])
    cpSync(join(world.folder, name), join(clone.folder, name), { recursive: true });
  return clone;
}

const filesIn = (checkout: Checkout, folder: string): readonly string[] =>
  Object.keys(checkout.files).filter((path) => path.startsWith(`${folder}/`));

test('the store has each result before its project is deleted, and a second run is free', async () => {
  const world = begin();
  await world.run();
  const hashes = world.outputs.map((name) => sha256Of(world.read(`out/${name}`) ?? '')).toSorted();
  expect(filesIn(world, 'store')).toEqual(
    hashes.map((hash) => `store/${hash.slice(0, 2)}/${hash}`),
  );
  expect(world.state.match(/"stored":"[0-9a-f]{16}"/g)).toHaveLength(2);
  expect(world.state).not.toContain('"complete"');
  const [{ state }, asked] = [world, world.requests.length];
  expect((await world.run()).summary).toMatchObject({ outcome: 'done', tasks: { done: 0 } });
  expect([world.state, world.requests.length]).toEqual([state, asked]);
});

test('a store that is set later gets what is already here, and the plan says so', async () => {
  const world = begin(untidy);
  await world.run();
  world.edit(stored(tidy));
  const { plan } = await world.plan();
  expect(plan.rows).toContainEqual(expect.objectContaining({ step: 'save', tasks: { store: 2 } }));
  expect(plan.rows).toContainEqual(expect.objectContaining({ step: 'tidy', tasks: { begin: 2 } }));
  const asked = world.requests.length;
  expect((await world.run()).outcome).toBe('done');
  const calls = world.requests.slice(asked).filter((call) => call !== 'account');
  expect(calls.toSorted()).toEqual(['delete swap:p1.png', 'delete swap:p2.png']);
  expect(filesIn(world, 'store')).toHaveLength(2);
});

describe('in a fresh checkout', () => {
  test('nothing is fetched that no step needs', async () => {
    const world = begin();
    await world.run();
    const clone = cloneOf(world);
    expect((await clone.run()).summary).toMatchObject({
      ...{ outcome: 'done', tasks: { done: 0, failed: 0 } },
    });
    expect([clone.outputs, clone.state]).toEqual([[], world.state]);
    expect((await clone.status()).files).toMatchObject({ stored: 2, lost: 0 });
    // Also if this checkout saved them.
    rmSync(join(world.folder, 'out'), { recursive: true });
    expect((await world.status()).files).toMatchObject({ stored: 2, lost: 0 });
  });

  test.each([
    ['reads the result', coloured('steps.swap.url')],
    [
      'uploads the saved file',
      coloured(
        'steps.again.file_path',
        '  again: { uses: upload, with: { file: "${{ steps.save.path }}" } }\n',
      ),
    ],
  ])('a later step that %s gets the bytes, although the project is deleted', async (_, later) => {
    const world = begin(stored(tidy), 1);
    await world.run();
    const clone = cloneOf(world, later);
    expect((await clone.run()).outcome).toBe('done');
    expect(clone.outputs).toContain('coloured/p1.png');
    expect(world.bill).toEqual({ 'swap:p1.png': 10, 'colour:p1.png': 10 });
  });

  test('another place is filled', async () => {
    const world = begin();
    await world.run();
    const clone = cloneOf(world, stored(tidy).replace('to: "', 'to: "moved/'));
    expect((await clone.run()).outcome).toBe('done');
    expect(clone.outputs).toEqual(['moved/p1.png', 'moved/p2.png']);
    expect(world.service.charged).toBe(20);
  });

  test('every place is filled with --require-outputs', async () => {
    const world = begin();
    await world.run();
    const clone = cloneOf(world);
    expect(await clone.run({ requireOutputs: true })).toMatchObject({
      outcome: 'done',
      charged: 0,
    });
    for (const name of ['p1.png', 'p2.png'])
      expect(clone.read(`out/${name}`)).toBe(world.read(`out/${name}`));
  });

  test('a store that holds other bytes gives nothing away', async () => {
    const world = begin(stored(tidy), 1);
    await world.run();
    const clone = cloneOf(world);
    world.remove('out/p1.png');
    const [file = ''] = filesIn(clone, 'store');
    clone.write(file, 'x'.repeat(clone.read(file)?.length ?? 0));
    const { summary } = await clone.run({ requireOutputs: true });
    const why = expect.stringContaining('could not be fetched');
    expect(summary).toMatchObject({ outcome: 'failed', problems: [{ task: 'save:p1.png', why }] });
    expect(clone.outputs).toEqual([]);
  });

  test('a project may be deleted without its file if the store really has it', async () => {
    const world = begin(stored(untidy));
    await world.run();
    const clone = cloneOf(world);
    clone.remove(filesIn(clone, 'store')[1] ?? '');
    const { summary } = await clone.run();
    expect(summary).toMatchObject({ tasks: { done: 1, pending: 1, failed: 0 } });
    expect(world.service.deletedUnsaved).toEqual([]);
    expect([...world.service.projects.values()].filter(({ isDeleted }) => isDeleted)).toHaveLength(
      1,
    );
  });
});
