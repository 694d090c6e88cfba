// Faces in real photos: who is found, in which order, and what a swap does with them.
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalService, startService } from '../../src/service/start.ts';
import { read } from '../examples.ts';
import { Rig } from '../rig.ts';
import { Client, download, eventually, listAt, sample, textAt } from '../service/client.ts';
import { longTest } from '../sweep.ts';
import { plainPhoto, portraitClip, portraitPhoto, portraitSize } from './media.ts';

let local: LocalService;
let client: Client;
beforeAll(async () => {
  local = await startService({ credits: 1_000_000, tier: 'business' });
  client = new Client(local);
});
afterAll(async () => await local.close());

const actor = async (): Promise<Buffer> => await sharp(sample(3)).resize(900).jpeg().toBuffer();
const group = async (number: number): Promise<Buffer> =>
  await sharp(sample(number)).resize(900).jpeg().toBuffer();

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Where a crop is in a photo, by its upper row of pixels. */
async function placeOf(crop: Buffer, photo: Buffer): Promise<Place> {
  const { data, info } = await sharp(photo)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { format, width, height } = await sharp(crop).metadata();
  expect(format).toBe('png');
  const top = { left: 0, top: 0, width, height: 1 };
  const pixel = data.indexOf(await sharp(crop).removeAlpha().extract(top).raw().toBuffer()) / 3;
  return { left: pixel % info.width, top: Math.floor(pixel / info.width), width, height };
}

/** How far two pictures are apart in one place, from 0 to 255. */
async function apart(one: Buffer, other: Buffer, place: Place): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map((file) => sharp(file).removeAlpha().extract(place).raw().toBuffer()),
  );
  const differences = (a ?? Buffer.alloc(0)).map((value, at) => Math.abs(value - (b?.[at] ?? 0)));
  return differences.reduce((sum, value) => sum + value, 0) / differences.length;
}

/** Where the heads of a photo are, by the crops. The net takes seconds for a picture, and looks at each once. */
async function headsIn(photo: Buffer): Promise<readonly Place[]> {
  const found = await client.faces(await client.upload(photo));
  expect(found['status']).toBe('complete');
  const places = listAt(found, 'faces').map(async (face) => {
    const { bytes } = await download(textAt(face, 'url'));
    return await placeOf(bytes, photo);
  });
  return await Promise.all(places);
}

test('faces are found from left to right, with a crop of each head', async () => {
  const heads = await headsIn(await group(1));
  expect(heads).toHaveLength(3);
  const lefts = heads.map(({ left }) => left);
  expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
  expect(lefts.every(Number.isInteger)).toBe(true);
  const sides = heads.flatMap(({ width, height }) => [width, height]);
  expect(Math.max(...sides)).toBeLessThan(300);
  expect(Math.min(...sides)).toBeGreaterThan(40);
});

test('the pipeline upload, face-detect, face-swap-photo, character-replace, download, delete runs whole, and changes the mapped face and no other', async () => {
  const pipeline = read('pipelines/star-in-the-clip.yaml').replaceAll('../', '');
  const rig = new Rig(pipeline.replace('take(5)', 'take(1)').replace('seconds: 5', 'seconds: 1'));
  rig.write('media/actor.jpg', await actor());
  rig.write('media/clip.mp4', await portraitClip());
  const photo = await group(1);
  rig.write('media/photos/ann.jpg', photo);
  const { summary } = await rig.run(local);
  expect(summary).toMatchObject({ outcome: 'done', items: { done: 1 } });
  expect(rig.files('out/star-in-the-clip')).toEqual(['ann.mp4', 'ann.png']);
  const swapped = readFileSync(rig.path('out/star-in-the-clip/ann.png'));
  const heads = await headsIn(photo);
  const changes = await Promise.all(heads.map(async (head) => await apart(photo, swapped, head)));
  expect(changes[0]).toBeGreaterThan(8);
  expect(Math.max(...changes.slice(1))).toBeLessThan(1);
});

longTest('everybody in five more photos is found, but for one in profile', async () => {
  const counts: number[] = [];
  for (const number of [2, 3, 4, 5, 6]) {
    const found = await client.faces(await client.upload(await group(number)));
    counts.push(listAt(found, 'faces').length);
  }
  expect(counts).toEqual([2, 3, 4, 5, 4]);
});

longTest(
  'the service answers while faces are looked for, and none is sure enough for a confidence of 1',
  async () => {
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
  },
);

longTest('a swap of all faces changes each of them', async () => {
  const face = await portraitPhoto();
  const photo = await plainPhoto('#89a', 900, 500)
    .composite([
      { input: face, left: 60, top: 60 },
      { input: face, left: 540, top: 60 },
    ])
    .png()
    .toBuffer();
  const { id } = await client.create('face-swap-photo', {
    assets: {
      face_swap_mode: 'all-faces',
      target_file_path: await client.upload(photo, 'png'),
      source_file_path: await client.upload(await actor()),
    },
  });
  const [output = Buffer.alloc(0)] = await client.outputs(await client.settled('image', id));
  for (const left of [60, 540])
    expect(await apart(photo, output, { left, top: 60, ...portraitSize })).toBeGreaterThan(8);
});

longTest('a swap with a source without a face is an error, which costs nothing', async () => {
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
