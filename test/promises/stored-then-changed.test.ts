// Promise 2 with a store: a project is deleted only when the store has the very bytes that were saved, not other bytes that it got
// for the same task before.
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { picks, rerolls, unlike } from '../e2e/taken.ts';
import { photo, Rig, service } from '../rig.ts';
import { type Wire, wireTo } from './wire.ts';

const deletion = 'DELETE /v1/image-projects/:id';

const pipeline = `pipeline: stored
output: out
outputs: { store: store }
steps:
  photo: { uses: upload, with: { file: p1.png } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: p1.png } }
  tidy: { uses: delete, with: { of: colour } }
`;

const withoutTidy = pipeline.replace(/ *tidy: .*\n/, '');

interface Scene {
  readonly rig: Rig;
  readonly local: LocalService;
  readonly wire: Wire;
  /** Each result has other bytes. */
  readonly internals: ReturnType<typeof unlike>;
  /** For each deletion: whether the store had the saved file then. */
  readonly deletions: boolean[];
}

const isStored = (rig: Rig): boolean => {
  const sha256 = createHash('sha256')
    .update(readFileSync(rig.path('out/p1.png')))
    .digest('hex');
  return rig.files('store').some((path) => basename(path) === sha256);
};

/** A run that saves the result and puts it in the store. Only with the step `tidy`, its project is deleted. */
async function stored(text: string): Promise<Scene> {
  const [local, rig] = [await service(), new Rig(text)];
  rig.write('p1.png', await photo(1));
  const deletions: boolean[] = [];
  const wire = await wireTo(local, {
    onRequest: (route) => {
      if (route === deletion) deletions.push(isStored(rig));
    },
  });
  const internals = unlike();
  const { summary } = await rig.run(wire.service, {}, internals);
  expect(summary.outcome).toBe('done');
  return { rig, local, wire, internals, deletions };
}

/** The store goes away when the result is about to be fetched, and comes back when the run is over. */
async function withoutStore({ rig, wire }: Scene, run: Promise<unknown>): Promise<void> {
  const held = wire.hold('GET /downloads/');
  await Promise.race([held.come, run]);
  renameSync(rig.path('store'), rig.path('store.away'));
  rig.write('store', 'not a folder');
  held.pass();
  await run;
  rmSync(rig.path('store'));
  renameSync(rig.path('store.away'), rig.path('store'));
}

test.each([
  ['is fetched again', withoutTidy, 0],
  ['is paid again', pipeline, 10],
])(
  'a file that is lost %s by a run without the store: the project stays until the store has the new file',
  async (_, first, credits) => {
    const { rig, wire, internals, deletions } = await stored(first);
    const deleted = deletions.length;
    rmSync(rig.path('out/p1.png'));
    rig.write('pipeline.yaml', withoutTidy.replace(/outputs: .*\n/, ''));
    const again = await rig.run(wire.service, { payAgain: true }, internals);
    expect(again.summary).toMatchObject({ outcome: 'done', credits: { charged: credits } });
    expect(isStored(rig)).toBe(false);

    rig.write('pipeline.yaml', pipeline);
    const { summary } = await rig.run(wire.service, {}, internals);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(deletions.slice(deleted)).toEqual([true]);
    expect(isStored(rig)).toBe(true);
  },
);

test('another take is made and picked while the store is away: its project stays until the store has its file', async () => {
  const scene = await stored(pipeline);
  const { rig, wire, internals, deletions } = scene;
  const before = rig.read('out/p1.png');
  await withoutStore(scene, rerolls(rig, wire.service, ['colour'], internals));
  await picks(rig, 'colour', 2);
  const { summary } = await rig.run(wire.service, {}, internals);
  expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
  expect(rig.read('out/p1.png')).not.toBe(before);
  expect(deletions).toEqual([true, true]);
  expect(isStored(rig)).toBe(true);
});
