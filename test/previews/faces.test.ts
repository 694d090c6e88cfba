// Faces in real photos: who is found, in which order, and what a swap does with them.
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { read } from '../examples.ts';
import { Rig } from '../rig.ts';
import { Client, download, eventually, listAt, sample, textAt } from '../service/client.ts';
import { longTest } from '../sweep.ts';
import { plainPhoto, portraitClip, portraitPhoto } from './media.ts';

let local: LocalService;
let client: Client;
beforeAll(async () => {
  local = await startService({ credits: 1_000_000, tier: 'business' });
  client = new Client(local);
});
afterAll(async () => await local.close());

const group = async (number: number): Promise<string> =>
  await client.upload(await sharp(sample(number)).resize(900).jpeg().toBuffer());

async function crops(record: JsonObject): Promise<readonly Buffer[]> {
  return await Promise.all(
    listAt(record, 'faces').map(async (face) => (await download(textAt(face, 'url'))).bytes),
  );
}

test('faces are found from left to right, with a crop of each head', async () => {
  const found = await client.faces(await group(1));
  expect(found['status']).toBe('complete');
  const heads = await crops(found);
  expect(heads).toHaveLength(3);
  // Where each crop is in the photo, by its upper left pixels.
  const lefts: number[] = [];
  const photo = await sharp(sample(1)).resize(900).jpeg().toBuffer();
  const { data, info } = await sharp(photo)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (const head of heads) {
    const { format, width, height } = await sharp(head).metadata();
    expect(format).toBe('png');
    expect(Math.max(width, height)).toBeLessThan(300);
    expect(Math.min(width, height)).toBeGreaterThan(40);
    const row = await sharp(head)
      .removeAlpha()
      .extract({ left: 0, top: 0, width, height: 1 })
      .raw()
      .toBuffer();
    lefts.push((data.indexOf(row) / 3) % info.width);
  }
  expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
  expect(lefts.every(Number.isInteger)).toBe(true);
});

longTest('everybody in five more photos is found, but for one in profile', async () => {
  const counts: number[] = [];
  for (const number of [2, 3, 4, 5, 6])
    counts.push(listAt(await client.faces(await group(number)), 'faces').length);
  expect(counts).toEqual([2, 3, 4, 5, 4]);
});

test('the service answers while faces are looked for, and none is sure enough for a confidence of 1', async () => {
  const started = await client.ask('POST', '/v1/files/face-detection', {
    assets: { target_file_path: await client.upload(await portraitPhoto()) },
    confidence_score: 1,
  });
  const path = `/v1/files/${textAt(started.body, 'id')}/face-detection`;
  let answers = 0;
  const record = await eventually('the search ends', async () => {
    const { body } = await client.ask('GET', path);
    if (body['status'] === 'complete') return body;
    answers += 1;
    return undefined;
  });
  expect(listAt(record, 'faces')).toEqual([]);
  expect(answers).toBeGreaterThan(1);
});

describe('a swap', () => {
  /** Two faces, the left one to be replaced; how far each half of the photo is changed. */
  async function changedHalves(assets: (faces: readonly JsonObject[]) => Json, target: string) {
    const faces = listAt(await client.faces(target), 'faces');
    expect(faces).toHaveLength(2);
    const { id } = await client.create('face-swap-photo', { assets: assets(faces) });
    const record = await client.settled('image', id);
    expect(record).toMatchObject({ status: 'complete', error: null });
    const [output = Buffer.alloc(0)] = await client.outputs(record);
    return output;
  }
  async function pair(): Promise<Buffer> {
    const face = await portraitPhoto();
    return await plainPhoto('#89a', 900, 500)
      .composite([
        { input: face, left: 60, top: 60 },
        { input: face, left: 540, top: 60 },
      ])
      .png()
      .toBuffer();
  }
  /** Of a part of two pictures, from 0 to 255. */
  async function apart(one: Buffer, other: Buffer, left: number): Promise<number> {
    const place = { left, top: 60, width: 300, height: 345 };
    const [a, b] = await Promise.all(
      [one, other].map((file) => sharp(file).removeAlpha().extract(place).raw().toBuffer()),
    );
    const differences = (a ?? Buffer.alloc(0)).map((value, at) => Math.abs(value - (b?.[at] ?? 0)));
    return differences.reduce((sum, value) => sum + value, 0) / differences.length;
  }

  test('changes the mapped face, and no other', async () => {
    const photo = await pair();
    const target = await client.upload(photo, 'png');
    const actor = await client.upload(await sharp(sample(3)).resize(900).jpeg().toBuffer());
    const output = await changedHalves(
      ([left]) => ({
        face_swap_mode: 'individual-faces',
        target_file_path: target,
        face_mappings: [{ original_face: textAt(left ?? {}, 'path'), new_face: actor }],
      }),
      target,
    );
    expect(await apart(photo, output, 60)).toBeGreaterThan(8);
    expect(await apart(photo, output, 540)).toBeLessThan(1);
    const everywhere = await changedHalves(
      () => ({
        face_swap_mode: 'all-faces',
        target_file_path: target,
        source_file_path: actor,
      }),
      target,
    );
    expect(await apart(photo, everywhere, 60)).toBeGreaterThan(8);
    expect(await apart(photo, everywhere, 540)).toBeGreaterThan(8);
  });

  test('with a source without a face is an error, which costs nothing', async () => {
    const before = local.balance();
    const source = await client.upload(await plainPhoto('#8ac').jpeg().toBuffer());
    const assets = {
      face_swap_mode: 'all-faces',
      target_file_path: await client.upload(await portraitPhoto()),
      source_file_path: source,
    };
    const { id } = await client.create('face-swap-photo', { assets });
    const record = await client.settled('image', id);
    expect(record).toMatchObject({ status: 'error', error: { code: 'no_source_face' } });
    expect(JSON.stringify(record['error'])).toContain(source);
    expect(local.balance()).toBe(before);
  });
});

test('the pipeline upload, face-detect, face-swap-photo, character-replace, download, delete runs whole', async () => {
  const rig = new Rig('');
  rig.write('.git/HEAD', '');
  rig.write('pipelines/star.yaml', read('pipelines/star-in-the-clip.yaml'));
  rig.write('media/actor.jpg', await sharp(sample(3)).resize(900).jpeg().toBuffer());
  rig.write('media/clip.mp4', await portraitClip());
  rig.write('media/photos/ann.jpg', await portraitPhoto());
  const args = ['run', 'pipelines/star.yaml', '--output', 'out', '--pictures', 'real', '--json'];
  const { stdout, stderr, code } = await rig.command(args);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    summary: { outcome: 'done', items: { done: 1 } },
  });
  expect(rig.files('out')).toEqual(['ann.mp4', 'ann.png']);
});
