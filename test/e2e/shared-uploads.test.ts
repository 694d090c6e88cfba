// Pipelines of one user share their uploads to an account.

import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { photo, Rig, service } from '../rig.ts';

// Each pays for itself: what another pipeline has paid for needs no upload.
const pipeline = (name: string): string => `pipeline: ${name}
reuse: own
output: out
steps:
  photo: { uses: upload, with: { file: photo.png } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: a.png } }
`;

async function rigOf(name: string): Promise<Rig> {
  const rig = new Rig(pipeline(name));
  rig.write('photo.png', await photo(1));
  return rig;
}

/** A service, and the user's state folder that the runs share. */
async function scene() {
  const local = await service();
  const user = await rigOf('user');
  const env = { XDG_STATE_HOME: user.path('state') };
  const run = async (rig: Rig, at: LocalService = local) =>
    (await rig.run(at, {}, { sharesUploads: true }, env)).summary;
  const uploads = (): number => local.requests()['PUT /uploads/*'] ?? 0;
  return { local, run, uploads, cache: user.path('state/shotlist/uploads.db') };
}

const done = { outcome: 'done', credits: { charged: 10 } };

test('a file is uploaded once for two pipelines, and the key is nowhere in the cache', async () => {
  const { local, run, uploads, cache } = await scene();
  expect(await run(await rigOf('one'))).toMatchObject(done);
  expect(await run(await rigOf('two'))).toMatchObject(done);
  expect(uploads()).toBe(1);
  expect(readFileSync(cache, 'latin1')).not.toContain(local.key);
});

test('an upload that the service no longer has is made again once, and the photo is paid for once', async () => {
  const { local, run, uploads, cache } = await scene();
  await run(await rigOf('one'));
  const database = new DatabaseSync(cache);
  database.exec(`UPDATE uploads SET path = 'api-assets/gone/photo.png'`);
  database.close();
  const rig = await rigOf('two');
  expect(await run(rig)).toMatchObject(done);
  expect(uploads()).toBe(2);
  expect(local.ledger().filter(({ kind }) => kind === 'charge')).toHaveLength(2);
  // The next pipeline uses the new one.
  expect(await run(await rigOf('three'))).toMatchObject(done);
  expect(uploads()).toBe(2);
});

test('another account, or a service on this machine, shares nothing', async () => {
  const { local, run, uploads } = await scene();
  await run(await rigOf('one'));
  const other = await service();
  await run(await rigOf('two'), other);
  expect(other.requests()['PUT /uploads/*']).toBe(1);
  await (await rigOf('three')).run(local);
  expect(uploads()).toBe(2);
});
