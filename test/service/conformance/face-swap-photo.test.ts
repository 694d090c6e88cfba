// interface.md, POST /v1/face-swap-photo: every rule of the tables of fields, and every response.
// Left out: other values of face_swap_mode than all-faces are not shown.
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { photo } from '../../rig.ts';
import { send, smallSample } from '../client.ts';
import { creditsOf, edited, messageOf, noPicture, requestFor } from './door.ts';
import { facesIn, oneSlow, reach, slow } from './stage.ts';

const path = '/v1/face-swap-photo';

const refused: readonly (readonly [string, string, Json | undefined, RegExp])[] = [
  ['name: string', 'name', 7, /name.*7/],
  ['assets: required', 'assets', undefined, /assets/],
  ['assets: object', 'assets', 'a.png', /assets.*"a\.png"/],
  ['target_file_path: required', 'assets.target_file_path', undefined, /target_file_path/],
  ['target_file_path: string', 'assets.target_file_path', 5, /target_file_path.*5/],
  ['target_file_path: an asset reference', 'assets.target_file_path', 'none.png', /none\.png/],
  ['source_file_path: string', 'assets.source_file_path', 5, /source_file_path.*5/],
  ['source_file_path: an asset reference', 'assets.source_file_path', 'none.png', /none\.png/],
  ['face_swap_mode: string', 'assets.face_swap_mode', 5, /face_swap_mode.*5/],
  ['face_mappings: array', 'assets.face_mappings', 'x', /face_mappings.*"x"/],
  ['original_face: in every item', 'assets.face_mappings', [{ new_face: 'x' }], /original_face/],
  ['new_face: in every item', 'assets.face_mappings', [{ original_face: 'x' }], /new_face/],
  ['original_face: string', 'assets.face_mappings', [{ original_face: 5, new_face: 'x' }], /5/],
  ['new_face: string', 'assets.face_mappings', [{ original_face: 'x', new_face: 5 }], /5/],
];

/** Of a photo of 800 × 1200 pixels: what comes back for an account on this plan. */
async function sizeOn(tier: 'free' | 'pro'): Promise<{ width: number; height: number }> {
  const stage = await slow({ tier });
  const { client } = stage;
  const large = await sharp(await photo(1))
    .resize(800, 1200, { fit: 'fill' })
    .png()
    .toBuffer();
  const file = await client.upload(large, 'png');
  const record = await reach(stage, 'image', await client.swap(file, file), 'complete');
  const [output] = await client.outputs(record);
  const { width, height } = await sharp(output).metadata();
  expect(record).toMatchObject({ width, height });
  return { width, height };
}

describe('interface.md, POST /v1/face-swap-photo: the request', () => {
  const shared = oneSlow();

  test('creates an image project that swaps faces in a photo', async () => {
    const stage = await slow();
    const { client } = stage;
    const target = await smallSample(1);
    const swapped = async (actor: number): Promise<Buffer> => {
      const id = await client.swap(
        await client.upload(target),
        await client.upload(await smallSample(actor)),
      );
      const [output] = await client.outputs(await reach(stage, 'image', id, 'complete'));
      return output ?? Buffer.alloc(0);
    };
    const [one, other] = [await swapped(2), await swapped(4)];
    expect(one.length).toBeGreaterThan(0);
    expect(one.equals(other)).toBe(false);
  });

  test('the cost is 10 credits per photo, charged when the request is made', async () => {
    const { client } = await slow({ credits: 100 });
    const file = await client.upload(await photo(1), 'png');
    for (const left of [90, 80, 70]) {
      await client.swap(file, file);
      expect(await creditsOf(client)).toBe(left);
    }
  });

  test('output height and width depend on the subscription', async () => {
    const [free, pro] = [await sizeOn('free'), await sizeOn('pro')];
    expect(Math.min(free.width, free.height)).toBeLessThanOrEqual(576);
    expect(Math.min(pro.width, pro.height)).toBeGreaterThan(576);
  });

  test('name: the record carries it', async () => {
    const { client } = shared();
    const file = await client.upload(await photo(1), 'png');
    const id = await client.swap(file, file, 'Ann for Bob');
    expect(await client.record('image', id)).toMatchObject({ name: 'Ann for Bob' });
  });

  test('name: may be omitted', async () => {
    const { client } = shared();
    const body = edited(await requestFor(client, 'face-swap-photo'), 'name', undefined);
    expect((await client.ask('POST', path, body)).status).toBe(200);
  });

  test.each([
    ['source_file_path: supplies the face for an all-faces swap', 'all-faces'],
    ['face_swap_mode: not required', undefined],
  ])('%s', async (_, mode) => {
    const stage = await slow();
    const body = edited(
      await requestFor(stage.client, 'face-swap-photo'),
      'assets.face_swap_mode',
      mode,
    );
    const { id } = await stage.client.create('face-swap-photo', body);
    expect(await reach(stage, 'image', id, 'complete')).toMatchObject({ error: null });
  });

  test('source_file_path: not required with face_mappings', async () => {
    const { client } = shared();
    const body = await requestFor(client, 'face-swap-photo', 1);
    expect(body['assets']).not.toHaveProperty('source_file_path');
    expect((await client.ask('POST', path, body)).status).toBe(200);
  });

  test.each([
    ['an uploaded file', async (file: string) => file],
    ['a direct URL', async () => 'https://example.com/actor.png'],
  ])(
    'face_mappings: original_face is a detected-face path, new_face is %s',
    async (_, actorFor) => {
      const stage = await slow();
      const { client } = stage;
      const target = await client.upload(await smallSample(1));
      const [original_face = ''] = await facesIn(stage, target);
      const new_face = await actorFor(await client.upload(await smallSample(2)));
      const face_mappings = [{ original_face, new_face }];
      const { id } = await client.create('face-swap-photo', {
        assets: { target_file_path: target, face_mappings },
      });
      expect(await reach(stage, 'image', id, 'complete')).toMatchObject({ error: null });
    },
  );

  test.each(refused)('refuses what breaks %s', async (_, field, value, named) => {
    const { local, client } = shared();
    const before = local.balance();
    const body = edited(await requestFor(client, 'face-swap-photo'), field, value);
    expect(messageOf(await client.ask('POST', path, body), 400)).toMatch(named);
    expect(local.balance()).toBe(before);
  });
});

describe('interface.md, POST /v1/face-swap-photo: the responses', () => {
  const shared = oneSlow();

  test('200: {id: string, credits_charged: integer}; the charge is 10', async () => {
    const { client } = shared();
    const answer = await client.ask('POST', path, await requestFor(client, 'face-swap-photo'));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: expect.stringMatching(/./), credits_charged: 10 });
  });

  test('200: the charge is refunded if generation fails', async () => {
    const stage = await slow({ credits: 100 });
    const { client } = stage;
    const good = await client.upload(await photo(1), 'png');
    const id = await client.swap(await noPicture(client), good);
    expect(await creditsOf(client)).toBe(90);
    expect(await reach(stage, 'image', id, 'error')).toMatchObject({ credits_charged: 0 });
    expect(await creditsOf(client)).toBe(100);
  });

  test('400: {message}, for example a missing body', async () => {
    const { client } = shared();
    expect(messageOf(await client.ask('POST', path), 400)).toMatch(/body/);
  });

  test('401: {message: "Unauthorized"} when not authenticated', async () => {
    const { local, client } = shared();
    const body = JSON.stringify(await requestFor(client, 'face-swap-photo'));
    const answer = await send(local.address, { method: 'POST', path, body });
    expect(messageOf(answer, 401)).toBe('Unauthorized');
  });

  test('402: {message} when payment is required', async () => {
    const { client } = await slow({ credits: 9 });
    const body = await requestFor(client, 'face-swap-photo');
    messageOf(await client.ask('POST', path, body), 402);
    expect(await creditsOf(client)).toBe(9);
  });

  test('404: {message: "Not Found"} when not found', async () => {
    const { client } = shared();
    expect(messageOf(await client.ask('GET', '/v1/image-projects/none'), 404)).toBe('Not Found');
    expect(messageOf(await client.ask('POST', `${path}/none`), 404)).toBe('Not Found');
  });

  test('422: {message} when the image could not be created', async () => {
    const { client } = shared();
    const clip = await client.upload(Buffer.from('a clip'), 'mp4', 'video');
    const body = await requestFor(client, 'face-swap-photo');
    const wrong = edited(body, 'assets.target_file_path', clip);
    const message = messageOf(await client.ask('POST', path, wrong), 422);
    expect(message).toMatch(/image could not be created/);
  });
});
