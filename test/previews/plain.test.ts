// Stand-ins: valid files of the right size, length and count that differ where the requests differ.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { RecordKind } from '../../src/contract/api/project.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { Client, download, listAt, textAt } from '../service/client.ts';
import { mediaFacts, plainPhoto, portraitClip } from './media.ts';

let local: LocalService;
let client: Client;
beforeAll(async () => {
  local = await startService({ credits: 1_000_000, tier: 'business', pictures: 'plain' });
  client = new Client(local);
});
afterAll(async () => await local.close());

async function made(tool: string, body: JsonObject, kind: RecordKind = 'image') {
  const record = await client.settled(kind, (await client.create(tool, body)).id);
  expect(record).toMatchObject({ status: 'complete' });
  return await client.outputs(record);
}

const upload = async (colour: string): Promise<string> =>
  await client.upload(await plainPhoto(colour, 48, 36).png().toBuffer(), 'png');

test('a picture has the size of the first one that went in, and can be decoded', async () => {
  const assets = { target_file_path: await upload('#f00'), source_file_path: await upload('#0f0') };
  const [png] = await made('face-swap-photo', { assets });
  const image = sharp(png, { failOn: 'warning' });
  expect(await image.metadata()).toMatchObject({ format: 'png', width: 48, height: 36 });
  await image.stats();
});

test('outputs differ with the content of each file and with the request, and are the same again', async () => {
  const bytes = async (target: string, source: string, more: JsonObject = {}): Promise<string> => {
    const assets = {
      target_file_path: await upload(target),
      source_file_path: await upload(source),
    };
    return (
      (await made('face-swap-photo', { assets: { ...assets, ...more } }))[0]?.toString('hex') ?? ''
    );
  };
  const [one, same, ...others] = [
    ...[await bytes('#f00', '#0f0'), await bytes('#f00', '#0f0'), await bytes('#0f0', '#0f0')],
    ...[await bytes('#f00', '#f00'), await bytes('#f00', '#0f0', { face_swap_mode: 'all-faces' })],
  ];
  expect(same).toBe(one);
  expect(new Set([one, ...others]).size).toBe(4);
});

test('there are as many pictures as were asked for, and each is another one', async () => {
  const body = { image_count: 3, resolution: '640px', style: { prompt: 'a harbour' } };
  const outputs = await made('ai-image-generator', body);
  expect(new Set(outputs.map((output) => output.toString('hex'))).size).toBe(3);
});

test('a clip is as long as was asked for, and one that goes in comes out', async () => {
  const request = {
    end_seconds: 3,
    model: 'ltx-2.3',
    resolution: '480p',
    style: { prompt: 'sea' },
  };
  const [film = Buffer.alloc(0)] = await made('text-to-video', request, 'video');
  expect(await mediaFacts(film)).toMatchObject({ format: 'WebM', width: 854, seconds: 3 });
  const clip = await portraitClip();
  const assets = {
    video_file_path: await client.upload(clip, 'webm', 'video'),
    image_file_path: await upload('#00f'),
  };
  const [same] = await made('character-replace', { end_seconds: 1, assets }, 'video');
  expect(same?.equals(clip)).toBe(true);
});

test('a file that is no picture is the error of its project', async () => {
  const words = await client.upload(Buffer.from('words, and nothing else'), 'png');
  const { id } = await client.create('photo-colorizer', { assets: { image_file_path: words } });
  const record = await client.settled('image', id);
  expect(record).toMatchObject({ status: 'error', error: { code: 'invalid_file_format' } });
});

test('a picture has one face, whose crop differs from picture to picture', async () => {
  const crops: string[] = [];
  for (const colour of ['#f00', '#0f0']) {
    const faces = listAt(await client.faces(await upload(colour)), 'faces');
    expect(faces).toHaveLength(1);
    const { bytes } = await download(textAt(faces[0] ?? {}, 'url'));
    await sharp(bytes).stats();
    crops.push(bytes.toString('hex'));
  }
  expect(crops[0]).not.toBe(crops[1]);
});
