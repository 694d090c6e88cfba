// The service with real pictures, as a client meets it: faces that are there, errors with their codes and refunds, and
// renderings that outlive a restart.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type LocalService, startService } from '../../src/service/start.ts';
import { service } from '../rig.ts';
import { Client, download, eventually, listAt, sample, textAt } from '../service/client.ts';
import { portraitClip, portraitPhoto } from './media.ts';

// One for most: the nets that find faces are loaded once in a thread.
let local: LocalService;
let client: Client;
beforeAll(async () => {
  local = await startService();
  client = new Client(local);
});
afterAll(() => local.close());

test('every face of a photo is found, with a crop of it, and none when nothing is sure enough', async () => {
  const target = await client.upload(await sharp(sample(1)).resize(900).jpeg().toBuffer());
  const found = await client.faces(target);
  expect(found['status']).toBe('complete');
  const faces = listAt(found, 'faces');
  expect(faces).toHaveLength(3);
  for (const face of faces) {
    const { bytes } = await download(textAt(face, 'url'));
    const { format, width, height } = await sharp(bytes).metadata();
    expect(format).toBe('png');
    // A face with its hair, of a photo of 900 by 600 pixels.
    expect(Math.max(width, height)).toBeLessThan(300);
    expect(Math.min(width, height)).toBeGreaterThan(40);
  }
  const strict = await client.ask('POST', '/v1/files/face-detection', {
    assets: { target_file_path: target },
    confidence_score: 1,
  });
  const path = `/v1/files/${textAt(strict.body, 'id')}/face-detection`;
  const none = await eventually('the search ends', async () => {
    const record = (await client.ask('GET', path)).body;
    return record['status'] === 'complete' ? record : undefined;
  });
  expect(listAt(none, 'faces')).toEqual([]);
});

describe('a file that cannot be used is the error of its project, which costs nothing', () => {
  test.for([
    ['a photo without a face', 'no_source_face', 'face-swap-photo'],
    ['no photo at all', 'invalid_file_format', 'face-swap-photo'],
    ['no clip at all', 'invalid_video_file', 'character-replace'],
  ] as const)('%s: %s', async ([what, code, tool]) => {
    const before = local.balance();
    const face = await client.upload(await portraitPhoto());
    const blank = sharp({ create: { width: 200, height: 200, channels: 3, background: '#8ac' } });
    const words = Buffer.from('words, and nothing else');
    const bad =
      what === 'no clip at all'
        ? await client.upload(words, 'mp4', 'video')
        : await client.upload(what === 'no photo at all' ? words : await blank.jpeg().toBuffer());
    const assets =
      tool === 'character-replace'
        ? { video_file_path: bad, image_file_path: face }
        : { target_file_path: face, source_file_path: bad, face_swap_mode: 'all-faces' };
    const body = tool === 'character-replace' ? { assets, end_seconds: 1 } : { assets };
    const { id } = await client.create(tool, body);
    const record = await client.settled(tool === 'character-replace' ? 'video' : 'image', id);
    expect(record).toMatchObject({ status: 'error', error: { code }, credits_charged: 0 });
    expect(JSON.stringify(record['error'])).toContain(bad);
    expect(local.balance()).toBe(before);
  });
});

test('a rendering that a stop cut off is made anew by the next start', async () => {
  const data = mkdtempSync(join(tmpdir(), 'shotlist-data-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const first = await service({ data, pictures: 'real' });
  const before = new Client(first);
  const clip = await before.upload(await portraitClip(), 'mp4', 'video');
  const still = await before.upload(await portraitPhoto());
  const { id } = await before.create('character-replace', {
    end_seconds: 1,
    assets: { video_file_path: clip, image_file_path: still },
  });
  await eventually('it is rendering', async () =>
    (await before.record('video', id))['status'] === 'rendering' ? true : undefined,
  );
  await first.close();
  const second = await service({ data, pictures: 'real' });
  const record = await new Client(second).settled('video', id);
  expect(record).toMatchObject({ status: 'complete', error: null });
  expect(second.ledger().filter(({ kind }) => kind === 'refund')).toEqual([]);
});
