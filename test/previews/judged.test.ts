// What a person judges a rehearsal by: that no preview passes for a result, that the right inputs arrived at the right item,
// and where faces are.
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { RecordKind } from '../../src/contract/api/project.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { Client, listAt, smallSample } from '../service/client.ts';
import { plainPhoto, portraitClip, portraitPhoto, product } from './media.ts';

/** A service without the net: the faces are at fixed places. */
let fixed: LocalService;
let client: Client;
beforeAll(async () => {
  fixed = await startService({ credits: 1_000_000, tier: 'business', faces: 1 });
  client = new Client(fixed);
});
afterAll(async () => await fixed.close());

async function made(tool: string, body: JsonObject, by = client, kind: RecordKind = 'image') {
  const { id } = await by.create(tool, body);
  const record = await by.settled(kind, id);
  expect(record).toMatchObject({ status: 'complete', error: null });
  const [output] = await by.outputs(record);
  return output ?? Buffer.alloc(0);
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity at a place, by shares of the width and the height. */
  at(x: number, y: number): readonly number[];
}

async function pixelsOf(picture: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(picture)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const at = (x: number, y: number) => {
    const place = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
    return [...data.subarray(place, place + 4)];
  };
  return { width, height, at };
}

describe('a cut-out', () => {
  test('has a transparent background, the product as it was, and the strip', async () => {
    const image_file_path = await client.upload(await product(), 'png');
    const cut = await pixelsOf(
      await made('image-background-remover', { assets: { image_file_path } }),
    );
    expect(cut.at(0.05, 0.05)[3]).toBe(0);
    expect(cut.at(0.9, 0.5)[3]).toBe(0);
    expect(cut.at(0.5, 0.5)).toEqual([0xcc, 0x22, 0x22, 255]);
    expect(cut.at(0.99, 0.99)).toEqual([0, 0, 0, 255]);
  });

  test('is laid over the new background', async () => {
    const image_file_path = await client.upload(await product(), 'png');
    const background_image_file_path = await client.upload(
      await plainPhoto('#0a0').png().toBuffer(),
      'png',
    );
    const assets = { image_file_path, background_image_file_path };
    const cut = await pixelsOf(await made('image-background-remover', { assets }));
    expect(cut.at(0.05, 0.05)).toEqual([0, 0xaa, 0, 255]);
    expect(cut.at(0.5, 0.5)).toEqual([0xcc, 0x22, 0x22, 255]);
  });

  test('of a picture without a plain border is an oval of it', async () => {
    const image_file_path = await client.upload(await smallSample(6));
    const cut = await pixelsOf(
      await made('image-background-remover', { assets: { image_file_path } }),
    );
    expect(cut.at(0.01, 0.01)[3]).toBe(0);
    expect(cut.at(0.5, 0.5)[3]).toBe(255);
  });
});

test('every preview has the strip, in a colour of its request', async () => {
  const style = (prompt: string) => ({ style: { prompt }, image_count: 1, resolution: '640px' });
  const [one, other] = [
    await pixelsOf(await made('ai-image-generator', style('a lighthouse'))),
    await pixelsOf(await made('ai-image-generator', style('a harbour'))),
  ];
  for (const { at } of [one, other]) expect(at(0.999, 0.999)).toEqual([0, 0, 0, 255]);
  expect(one.at(0.001, 0.99)).not.toEqual(other.at(0.001, 0.99));
});

test('the first picture fills a card, and each further one is a badge on it', async () => {
  const upload = async (colour: string) =>
    await client.upload(await plainPhoto(colour, 400, 300).png().toBuffer(), 'png');
  const assets = {
    person_file_path: await upload('#00f'),
    garment_file_path: await upload('#fc0'),
  };
  const { at } = await pixelsOf(await made('ai-clothes-changer', { assets }));
  expect(at(0.2, 0.2)).toEqual([0, 0, 255, 255]);
  expect(at(0.88, 0.75)).toEqual([255, 0xcc, 0, 255]);
});

test('the same request gives the same bytes, whatever its files and its project are called', async () => {
  const photo = await portraitPhoto();
  const tools: readonly (readonly [string, string, JsonObject])[] = [
    ['photo-colorizer', 'image', {}],
    ['image-to-video', 'video', { end_seconds: 1, model: 'ltx-2.3', resolution: '480p' }],
  ];
  for (const [tool, kind, body] of tools) {
    const outputs: Buffer[] = [];
    for (const token of ['0123456789', 'abcdefghjk']) {
      const assets = { image_file_path: await client.upload(photo) };
      const request = { ...body, name: `p make:a #${token}`, assets };
      outputs.push(await made(tool, request, client, kind === 'video' ? 'video' : 'image'));
    }
    expect(outputs[0]?.equals(outputs[1] ?? Buffer.alloc(0)), tool).toBe(true);
  }
});

describe('without the net', () => {
  const regionsIn = async (width: number, faces?: number): Promise<number> => {
    const local = await startService({ faces: faces ?? 1, pictures: 'real' });
    try {
      const by = new Client(local);
      const photo = await plainPhoto('#8ac', width, 200).png().toBuffer();
      return listAt(await by.faces(await by.upload(photo, 'png')), 'faces').length;
    } finally {
      await local.close();
    }
  };

  test.each([0, 1, 3])('a picture has the %i faces that were asked for', async (faces) => {
    expect(await regionsIn(300, faces)).toBe(faces);
  });

  test('a swap shows the photo, with the new face as a badge', async () => {
    const target = await plainPhoto('#00f', 400, 300).png().toBuffer();
    const face = await plainPhoto('#fc0', 400, 300).png().toBuffer();
    const assets = {
      target_file_path: await client.upload(target, 'png'),
      source_file_path: await client.upload(face, 'png'),
      face_swap_mode: 'all-faces',
    };
    const { at } = await pixelsOf(await made('face-swap-photo', { assets }));
    expect(at(0.5, 0.3)).toEqual([0, 0, 255, 255]);
    expect(at(0.88, 0.75)).toEqual([255, 0xcc, 0, 255]);
  });

  test('the faces of a clip can be mapped', async () => {
    const found = await client.faces(await client.upload(await portraitClip(), 'webm', 'video'));
    expect(found['status']).toBe('complete');
    expect(listAt(found, 'faces')).toHaveLength(1);
  });
});
