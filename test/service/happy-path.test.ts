// What a client does with the service from beginning to end, with real photos.
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { photo, service } from '../rig.ts';
import {
  addressIn,
  Client,
  download,
  eventually,
  listAt,
  sample,
  send,
  smallSample,
  textAt,
} from './client.ts';

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('a photo', () => {
  test('goes from upload through detection and swap to a download, and is then deleted', async () => {
    const local = await service();
    const client = new Client(local);
    const target = await client.upload(sample(1));
    const actor = await client.upload(sample(2));
    expect(target).toMatch(/^api-assets\/[^/]+\/[^/]+\.jpg$/);

    const detection = await client.faces(target);
    expect(detection).toMatchObject({ status: 'complete', credits_charged: 0 });
    const faces = listAt(detection, 'faces');
    expect(faces.length).toBeGreaterThan(0);
    for (const face of faces) {
      const crop = await download(textAt(face, 'url'));
      expect((await sharp(crop.bytes).metadata()).width).toBeGreaterThan(0);
    }

    const { id } = await client.create('face-swap-photo', {
      name: 'by hand',
      assets: {
        face_swap_mode: 'individual-faces',
        target_file_path: target,
        face_mappings: faces.map((face) => ({
          original_face: textAt(face, 'path'),
          new_face: actor,
        })),
      },
    });
    const record = await client.settled('image', id);
    expect(record).toMatchObject({ status: 'complete', error: null });
    const [output = Buffer.alloc(0)] = await client.outputs(record);
    const decoded = await sharp(output).raw().toBuffer({ resolveWithObject: true });
    expect(decoded.info).toMatchObject({ width: record['width'], height: record['height'] });
    const input = await sharp(sample(1)).metadata();
    expect(decoded.info.width / decoded.info.height).toBeCloseTo(input.width / input.height, 2);

    const url = addressIn(record);
    const deleted = await client.ask('DELETE', `/v1/image-projects/${id}`);
    expect(deleted.status).toBe(204);
    expect(deleted.bytes.length).toBe(0);
    for (const method of ['GET', 'DELETE'] as const) {
      const gone = await client.ask(method, `/v1/image-projects/${id}`);
      expect([gone.status, gone.body]).toEqual([404, { message: 'Not Found' }]);
    }
    expect((await download(url)).status).toBe(404);
    expect(local.ledger().map(({ kind }) => kind)).toEqual(['adjustment', 'charge']);
  });

  test('gives the same bytes for the same input and others for another', async () => {
    const client = new Client(await service());
    const swapped = async (target: number, source: number): Promise<Buffer> => {
      const id = await client.swap(
        await client.upload(await smallSample(target)),
        await client.upload(await smallSample(source)),
        `${target} ${source}`,
      );
      const [output = Buffer.alloc(0)] = await client.outputs(await client.settled('image', id));
      return output;
    };
    const first = await swapped(1, 2);
    expect((await swapped(1, 2)).equals(first)).toBe(true);
    expect((await swapped(3, 2)).equals(first)).toBe(false);
    expect((await swapped(1, 4)).equals(first)).toBe(false);
  });

  test('gives the same bytes in another service with the same seed, and others with another seed', async () => {
    const swapped = async (seed: number): Promise<Buffer> => {
      const client = new Client(await service({ seed }));
      const file = await client.upload(await photo(7), 'png');
      const id = await client.swap(file, file);
      const [output = Buffer.alloc(0)] = await client.outputs(await client.settled('image', id));
      return output;
    };
    const first = await swapped(5);
    expect((await swapped(5)).equals(first)).toBe(true);
    expect((await swapped(6)).equals(first)).toBe(false);
  });
});

describe('both forms of the three paths', () => {
  test.each(['/v1/files/face-detection', '/v1/face-detection'])(
    '%s begins a detection that both reading paths know',
    async (path) => {
      const client = new Client(await service({ now: () => 1_800_000_000_000 }));
      const target_file_path = await client.upload(await smallSample(5));
      const { status, body } = await client.ask('POST', path, { assets: { target_file_path } });
      expect(status).toBe(200);
      expect(body).toEqual({ id: expect.any(String), credits_charged: 0 });
      await client.faces(target_file_path);
      const read = (form: string) => client.ask('GET', form);
      const one = await eventually('this detection is over, too', async () => {
        const seen = await read(`/v1/files/${textAt(body, 'id')}/face-detection`);
        return seen.body['status'] === 'complete' ? seen : undefined;
      });
      const other = await read(`/v1/face-detection/${textAt(body, 'id')}`);
      expect(one.status).toBe(200);
      expect(other.body).toEqual(one.body);
      expect(one.body).toMatchObject({ id: body['id'], credits_charged: 0 });
    },
  );
});

describe('the record', () => {
  const shared = (record: Readonly<Record<string, unknown>>) => ({
    id: expect.any(String),
    status: 'complete',
    created_at: isoTime,
    enabled: true,
    credits_charged: expect.any(Number),
    downloads: [{ url: expect.stringMatching(/^http:/), expires_at: isoTime }],
    error: null,
    ...record,
  });

  test('of an image has all fields, the deprecated total_frame_cost too', async () => {
    const client = new Client(await service());
    const file = await client.upload(await photo(1), 'png');
    const record = await client.settled('image', await client.swap(file, file, 'Ann'));
    expect(record).toMatchObject(
      shared({
        name: 'Ann',
        type: 'FACE_SWAP',
        image_count: 1,
        credits_charged: 10,
        total_frame_cost: 10,
        width: expect.any(Number),
        height: expect.any(Number),
      }),
    );
  });

  test('of a video has all fields, the older download too', async () => {
    const client = new Client(await service());
    const { id } = await client.create('image-to-video', {
      name: 'a walk',
      end_seconds: 3,
      assets: { image_file_path: await client.upload(await photo(1), 'png') },
    });
    const record = await client.settled('video', id);
    expect(record).toMatchObject(
      shared({
        name: 'a walk',
        type: 'IMAGE_TO_VIDEO',
        width: expect.any(Number),
        height: expect.any(Number),
        fps: expect.any(Number),
        start_seconds: 0,
        end_seconds: 3,
        total_frame_cost: record['credits_charged'],
        download: { url: expect.any(String), expires_at: isoTime },
      }),
    );
    expect(record['download']).toEqual(listAt(record, 'downloads')[0]);
  });

  test('of audio has the fields that all records share, and none of the others', async () => {
    const client = new Client(await service());
    const { id } = await client.create('ai-voice-generator', {
      name: 'hello',
      style: { prompt: 'Hello', voice_name: 'Morgan Freeman' },
    });
    const record = await client.settled('audio', id);
    expect(record).toMatchObject(shared({ name: 'hello', type: 'VOICE_GENERATOR' }));
    for (const field of ['width', 'total_frame_cost', 'download', 'image_count'])
      expect(record).not.toHaveProperty(field);
  });
});

test('the account shows who it is and what is left', async () => {
  const client = new Client(await service({ credits: 70 }));
  const file = await client.upload(await photo(1), 'png');
  const before = await client.ask('GET', '/v1/account');
  expect(before.status).toBe(200);
  expect(before.body).toEqual({
    id: expect.any(String),
    email: expect.stringContaining('@'),
    tier: expect.stringMatching(/^(free|creator|pro|business)$/),
    credits: 70,
    subscription: null,
  });
  await client.settled('image', await client.swap(file, file));
  expect((await client.ask('GET', '/v1/account')).body).toEqual({ ...before.body, credits: 60 });
});

test('the service counts what it was asked for, by route', async () => {
  const local = await service();
  const client = new Client(local);
  await client.ask('GET', '/v1/account');
  await client.ask('GET', '/v1/account');
  await client.ask('GET', '/v1/image-projects/none');
  await send(local.address, { method: 'GET', path: '/nowhere' });
  expect(local.requests()).toMatchObject({
    'GET /v1/account': 2,
    'GET /v1/image-projects/:id': 1,
    unknown: 1,
  });
});
