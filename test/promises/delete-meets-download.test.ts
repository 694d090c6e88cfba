// Promise 2 where two tasks share one project: it is deleted for neither of them before both have their files.
import { expect, test } from 'vitest';
import { bill, photo, Rig, service, until } from '../rig.ts';
import { wireTo } from './wire.ts';

const deletion = 'DELETE /v1/image-projects/:id';

/** An upload, what is made of it, and its download. */
const colour = (file: string, of: string, to: string): string => `
  ${of}: { uses: upload, with: { file: ${file} } }
  colour-${of}:
    uses: photo-colorizer
    with: { assets: { image_file_path: "\${{ steps.${of}.file_path }}" } }
  save-${of}: { uses: download, with: { of: colour-${of}, to: ${to} } }`;

const ofItem = `${colour('"${{ item.path }}"', 'photo', '"${{ item.stem }}.png"')}
  tidy: { uses: delete, with: { of: colour-photo } }
`;

test('two items share a project: while one of them is downloading, the other one is saved and deletes nothing', async () => {
  const rig = new Rig(`pipeline: two
items: { glob: photos/*.png }
output: out
steps:${ofItem}`);
  for (const name of ['photos/p1.png', 'photos/p2.png']) rig.write(name, await photo(1));
  await oneIsSavedFirst(rig, ['p1.png', 'p2.png']);
});

test('an item has the same project as a shared step: while that is downloading, the item is saved and deletes nothing', async () => {
  const rig = new Rig(`pipeline: two
items: { glob: photos/p1.png }
output: out
steps:${colour('photos/p2.png', 'cover', 'cover.png')}
  gate: { uses: upload, with: { file: gate.png } }${ofItem.replace('  save-photo: { ', '  save-photo: { needs: [gate], ')}`);
  for (const name of ['photos/p1.png', 'photos/p2.png']) rig.write(name, await photo(1));
  const gate = await photo(2);
  rig.write('gate.png', gate);
  await oneIsSavedFirst(rig, ['cover.png', 'p1.png'], gate);
});

/** The first download is held until the other file is saved. `gate`: an upload that waits for the first download. */
async function oneIsSavedFirst(rig: Rig, files: readonly string[], gate?: Buffer): Promise<void> {
  const local = await service();
  const wire = await wireTo(local);
  const closed = gate === undefined ? undefined : wire.hold('PUT /uploads/', { body: gate });
  const held = wire.hold('GET /downloads/');
  const running = rig.run(wire.service);
  await Promise.race([held.come, running]);
  closed?.pass();
  await until('the other file is on record', () =>
    rig.read('two.state.jsonl').includes('"outputs":[{'),
  );
  await wire.meanwhile();
  expect(local.requests()[deletion]).toBeUndefined();
  held.pass();
  const { summary } = await running;
  expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
  expect(rig.files('out')).toEqual(files);
  expect(local.requests()[deletion]).toBe(1);
  expect(bill(local.ledger()).size).toBe(1);
}
