// What a teammate sees who clones a repository: git has the pipeline, the photos and the state file, and no outputs. What is
// printed: test/transcripts/losses.txt; with real git, day after day: test/e2e/ci-days.test.ts.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

/** Two photos, done. */
async function origin(pipeline = tidy): Promise<World> {
  const files = { 'photos/p1.png': 'rose', 'photos/p2.png': 'tulip' };
  const world = new World(pipeline, files, { disk: 'folder' });
  expect((await world.run()).outcome).toBe('done');
  return world;
}

/** What git has of the first checkout. */
function cloneOf(world: World, pipeline: string): Checkout {
  const clone = world.checkout('clone', pipeline);
  copy(world, clone, 'photos', 'photos.state.jsonl');
  return clone;
}

function copy(from: Checkout, to: Checkout, ...names: readonly string[]): void {
  for (const name of names)
    cpSync(join(from.folder, name), join(to.folder, name), { recursive: true });
}

/** The requests since the last call; reading the account does not count. */
function requestsOf(world: World): () => readonly string[] {
  let from = world.requests.length;
  return () => {
    const since = world.requests.slice(from).filter((request) => request !== 'account');
    from = world.requests.length;
    return since.toSorted();
  };
}

describe('a clone in which all work is done', () => {
  test('has its outputs elsewhere: no failure, no request, and not a byte of the state file changes', async () => {
    const world = await origin();
    const clone = cloneOf(world, tidy);
    const since = requestsOf(world);
    const { plan } = await clone.plan();
    expect(plan).toMatchObject({ files: { changed: 0, elsewhere: 2 }, credits: 0, noted: 0 });
    expect((await clone.run()).summary).toMatchObject({
      ...{ outcome: 'done', items: { done: 2 }, files: { elsewhere: 2 } },
    });
    expect((await clone.status()).files).toEqual({ changed: 0, elsewhere: 2, lost: 0, stored: 0 });
    expect([since(), clone.state]).toEqual([[], world.state]);
  });

  test('has lost them with --require-outputs, because their projects are deleted, until somebody copies them', async () => {
    const world = await origin();
    const clone = cloneOf(world, tidy);
    // The receipts of this machine would find the files.
    world.loseReceipts();
    const since = requestsOf(world);
    const options = { requireOutputs: true };
    const { plan } = await clone.plan(options);
    expect(plan.rows.find(({ step }) => step === 'save')?.tasks).toEqual({ lost: 2 });
    expect((await clone.run(options)).endings).toMatchObject({ 'save:p1.png': 'failed' });
    expect((await clone.status()).failures).toHaveLength(2);
    // Without the flag it is no failure, and what the state file says of a failure no longer stands.
    expect((await clone.run()).outcome).toBe('done');
    expect((await clone.status()).failures).toEqual([]);
    copy(world, clone, 'out');
    expect((await clone.run(options)).summary).toMatchObject({
      ...{ outcome: 'done', files: { changed: 0, elsewhere: 0 } },
    });
    expect(since()).toEqual([]);
  });

  test('pays for a new photo, once, and for nothing else; the next checkout has that result elsewhere', async () => {
    const world = await origin();
    const clone = cloneOf(world, tidy);
    clone.write('photos/p3.png', 'lily');
    const { plan } = await clone.plan();
    expect(plan).toMatchObject({ credits: 10, files: { elsewhere: 2 } });
    expect(plan.rows.map(({ tasks }) => tasks)).toEqual(
      Array.from({ length: 4 }, () => ({ reuse: 2, begin: 1 })),
    );
    const { summary } = await clone.run();
    expect(summary).toMatchObject({
      ...{ outcome: 'done', files: { changed: 0, elsewhere: 2 } },
      tasks: { done: 4, reused: 8, failed: 0, skipped: 0 },
    });
    expect(clone.outputs).toEqual(['p3.png']);
    expect(world.bill).toEqual({ 'swap:p1.png': 10, 'swap:p2.png': 10, 'swap:p3.png': 10 });

    copy(clone, world, 'photos', 'photos.state.jsonl');
    const since = requestsOf(world);
    expect((await world.run()).summary).toMatchObject({
      ...{ outcome: 'done', files: { changed: 0, elsewhere: 1 } },
    });
    expect(since()).toEqual([]);

    // Changed on disk, lost and elsewhere are three different words.
    world.write('out/p1.png', 'retouched');
    world.remove('out/p2.png');
    expect((await world.status()).files).toMatchObject({ changed: 1, elsewhere: 1, lost: 1 });
    expect((await world.plan()).plan.files).toMatchObject({ changed: 1, elsewhere: 1 });
    expect((await world.run()).endings['save:p2.png']).toBe('failed');
  });
});

describe('a clone of work whose projects are still at the service', () => {
  test('fetches nothing, and everything with --require-outputs', async () => {
    const world = await origin(untidy);
    const clone = cloneOf(world, untidy);
    const since = requestsOf(world);
    expect((await clone.run()).summary).toMatchObject({ outcome: 'done', files: { elsewhere: 2 } });
    expect(since()).toEqual([]);
    // The receipts of this machine would find the files.
    world.loseReceipts();
    expect((await clone.run({ requireOutputs: true })).summary).toMatchObject({
      ...{ outcome: 'done', files: { elsewhere: 0 } },
    });
    expect(since().filter((request) => /^(create|download)/.test(request))).toEqual([
      ...['download swap:p1.png', 'download swap:p2.png'],
    ]);
    expect(clone.outputs).toEqual(['p1.png', 'p2.png']);
  });

  test('leaves their delete to the checkout that has the files', async () => {
    const world = await origin(untidy);
    const clone = cloneOf(world, tidy);
    const since = requestsOf(world);
    expect((await clone.run()).endings).toMatchObject({ 'tidy:p1.png': 'skipped' });
    expect([since(), clone.state]).toEqual([[], world.state]);
    // With the files here and verified, this checkout deletes too.
    expect((await clone.run({ requireOutputs: true })).summary).toMatchObject({
      ...{ outcome: 'done', tasks: { skipped: 0 } },
    });
    expect(world.service.deletedUnsaved).toEqual([]);
    expect(since().filter((request) => request.startsWith('delete'))).toHaveLength(2);
  });
});

test('a later step that needs the bytes of a deleted project fails, and buys nothing, until they are there', async () => {
  const world = await origin();
  const more = `  more: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }
  keep: { uses: download, with: { of: more, to: "more/\${{ item.key }}" } }
`;
  const clone = cloneOf(world, tidy + more);
  world.loseReceipts();
  const since = requestsOf(world);
  const { plan } = await clone.plan();
  expect(plan.rows.find(({ step }) => step === 'more')?.tasks).toEqual({ lost: 2 });
  expect((await clone.run()).endings['more:p1.png']).toBe('failed');
  expect(since()).toEqual([]);
  copy(world, clone, 'out');
  expect((await clone.run()).summary).toMatchObject({ outcome: 'done', tasks: { failed: 0 } });
});

describe('a result that another step uploads again', () => {
  const chain = `${tidy}\
  again: { uses: upload, with: { file: "\${{ steps.save.path }}" } }
  paint: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.again.file_path }}" } } }
  keep: { uses: download, with: { of: paint, to: "more/\${{ item.key }}" } }
`;

  test('is reused by its recorded content', async () => {
    const world = await origin(chain);
    const clone = cloneOf(world, chain);
    const since = requestsOf(world);
    expect((await clone.run()).summary).toMatchObject({ outcome: 'done', files: { elsewhere: 4 } });
    expect([since(), clone.state]).toEqual([[], world.state]);
  });

  test('is named once its upload has expired and a new step needs it; nothing is bought', async () => {
    const world = await origin(chain);
    const clone = cloneOf(
      world,
      chain.replace('{ uses: photo-colorizer,', '{ uses: image-background-remover,'),
    );
    world.clock.pass(30 * 86_400_000);
    const since = requestsOf(world);
    const { summary, events } = await clone.run();
    expect(summary).toMatchObject({ outcome: 'failed', problems: [{ task: 'paint:p1.png' }, {}] });
    expect(events.find(({ type }) => type === 'planned')).toMatchObject({
      plan: { credits: 0, noted: 2, badItems: 0 },
    });
    expect(since()).toEqual([]);
  });
});
