// The service with real pictures, as a client meets it. All 27 tools: the output is a valid file of its type with the
// requested size, length and rate, as libraries see it that did not make it, and the record says the same. Then faces,
// errors with their codes and refunds, and renderings that survive a restart. One service for all until the last test
// stops it, since each of its processes loads the face nets.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldOf, type JsonObject } from '../../src/base/json.ts';
import { tools } from '../../src/contract/tools/all.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { Client, download, eventually, listAt, sample, textAt } from '../service/client.ts';
import { filledInObject } from '../service/examples.ts';
import { sampleOf } from '../sweep.ts';
import { clipSize, portraitClip, portraitPhoto, voiceSample } from './media.ts';
import { probe } from './probe.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** What a tool's output must be, beside valid. */
interface Wanted {
  readonly format: 'png' | 'gif' | 'mp4' | 'wav';
  readonly size?: Size;
  /** The length asked for, in seconds. */
  readonly seconds?: number;
  readonly hasSound?: boolean;
}

const photo: Size = { width: 300, height: 345 };
/** The shape of the clip with a shorter side of 480. */
const clip480: Size = { width: 640, height: 480 };
const film = (size: Size | undefined, hasSound: boolean): Wanted => ({
  ...{ format: 'mp4', seconds: 0.5, hasSound, size },
});
const picture = (size?: Size): Wanted => ({ format: 'png', size });

const wanted: Readonly<Record<string, Wanted>> = {
  'ai-clothes-changer': picture(photo),
  'ai-face-editor': picture(photo),
  'ai-gif-generator': { format: 'gif' },
  'ai-headshot-generator': picture(),
  'ai-image-editor': picture(),
  'ai-image-generator': picture({ width: 640, height: 640 }),
  'ai-image-upscaler': picture({ width: 600, height: 690 }),
  'ai-meme-generator': picture(),
  'ai-qr-code-generator': picture(),
  'ai-talking-photo': film(undefined, true),
  'ai-video-editor': film(clip480, true),
  'ai-voice-cloner': { format: 'wav' },
  'ai-voice-generator': { format: 'wav' },
  animation: film({ width: 256, height: 256 }, false),
  'audio-to-video': film(undefined, true),
  'auto-subtitle-generator': film(undefined, true),
  'body-swap': picture(),
  'character-replace': film(clip480, true),
  'face-swap': film(clipSize, true),
  'face-swap-photo': picture(photo),
  'head-swap': picture(photo),
  'image-background-remover': picture(photo),
  'image-to-video': film(undefined, false),
  'lip-sync': film(undefined, true),
  'photo-colorizer': picture(photo),
  'text-to-video': film({ width: 854, height: 480 }, false),
  'video-to-video': film(undefined, true),
};

let local: LocalService;
let client: Client;
/** Asked for at once, so that one is rendered while another waits. */
// Every fifth tool, or all with EVERY=1: each has a test of its renderer.
const rehearsed = sampleOf(tools, 5);
let created: ReadonlyMap<string, Promise<{ readonly id: string }>>;
const folder = mkdtempSync(join(tmpdir(), 'shotlist-outputs-'));
const options = { credits: 1_000_000, tier: 'business', data: join(folder, 'service') } as const;

beforeAll(async () => {
  local = await startService(options);
  client = new Client(local);
  const files = new Map([
    ['asset:image', await client.upload(await portraitPhoto(), 'jpg')],
    ['asset:video', await client.upload(await portraitClip(), 'mp4', 'video')],
    ['asset:audio', await client.upload(voiceSample(), 'wav', 'audio')],
  ]);
  created = new Map(
    rehearsed.map(({ name, examples: [example = {}] }) => [
      name,
      client.create(name, requestOf(name, example, files)),
    ]),
  );
  await Promise.allSettled(created.values());
});

afterAll(async () => {
  await local.close();
  rmSync(folder, { recursive: true });
});

/** Half a second, or the shortest that the tool takes. */
const secondsOf = (name: string): number =>
  ['text-to-video', 'image-to-video'].includes(name) ? 1 : 0.5;

/** The first example of a tool, half a second long where it has a length. */
function requestOf(
  name: string,
  example: JsonObject,
  files: ReadonlyMap<string, string>,
): JsonObject {
  const body = filledInObject(example, files);
  return 'end_seconds' in body ? { ...body, start_seconds: 0, end_seconds: secondsOf(name) } : body;
}

test('there is something to want of each tool', () => {
  expect(Object.keys(wanted).sort()).toEqual(tools.map(({ name }) => name).sort());
});

test.for(
  rehearsed.map(({ name, record, examples: [example = {}] }) => ({ name, record, example })),
)(
  '$name makes a valid file of the right size and length',
  async ({ name, record: kind, example }) => {
    const want = wanted[name];
    const { id = '' } = (await created.get(name)) ?? {};
    const record = await client.settled(kind, id);
    expect(record).toMatchObject({ status: 'complete', error: null });
    const outputs = await client.outputs(record);
    expect(outputs).toHaveLength(Number(fieldOf(example, 'image_count') ?? 1));
    for (const output of outputs) {
      if (want?.format === 'png' || want?.format === 'gif')
        await checkPicture(output, want, record);
      else await checkMedia(output, want, record, name);
    }
  },
);

async function checkPicture(output: Buffer, want: Wanted, record: JsonObject): Promise<void> {
  const image = sharp(output, { animated: true, failOn: 'warning' });
  const { format, width, pages = 1, pageHeight, height } = await image.metadata();
  expect(format).toBe(want.format);
  expect({ width, height: pageHeight ?? height }).toEqual({
    width: record['width'],
    height: record['height'],
  });
  if (want.size !== undefined) expect({ width, height }).toEqual(want.size);
  if (want.format === 'gif') expect(pages).toBeGreaterThan(5);
  // All of it can be decoded.
  await image.stats();
}

async function checkMedia(
  output: Buffer,
  want: Wanted | undefined,
  record: JsonObject,
  name: string,
): Promise<void> {
  const file = join(folder, `${name}.${want?.format}`);
  writeFileSync(file, output);
  const { format, streams } = await probe(file);
  expect(format.format_name.split(',')).toContain(want?.format);
  const sound = streams.filter(({ codec_type }) => codec_type === 'audio');
  if (want?.format === 'wav') {
    expect(sound).toHaveLength(1);
    expect(Number(format.duration)).toBeGreaterThan(0.5);
    return;
  }
  expect(sound).toHaveLength(want?.hasSound === true ? 1 : 0);
  const [film, ...others] = streams.filter(({ codec_type }) => codec_type === 'video');
  expect(others).toEqual([]);
  expect(film).toMatchObject({
    width: record['width'],
    height: record['height'],
    pix_fmt: 'yuv420p',
  });
  if (want?.size !== undefined)
    expect(film).toMatchObject({ width: want.size.width, height: want.size.height });
  const [frames, seconds] = (film?.avg_frame_rate ?? '').split('/').map(Number);
  const rate = (frames ?? 0) / (seconds ?? 1);
  expect(rate).toBeCloseTo(Number(record['fps']), 2);
  expect(Number(film?.nb_read_frames) / rate).toBeCloseTo(
    want?.seconds === undefined ? 0 : secondsOf(name),
    1,
  );
}

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
    const assets: JsonObject =
      tool === 'character-replace'
        ? { video_file_path: bad, image_file_path: face }
        : { target_file_path: face, source_file_path: bad, face_swap_mode: 'all-faces' };
    const body: JsonObject = tool === 'character-replace' ? { assets, end_seconds: 1 } : { assets };
    const { id } = await client.create(tool, body);
    const record = await client.settled(tool === 'character-replace' ? 'video' : 'image', id);
    expect(record).toMatchObject({ status: 'error', error: { code }, credits_charged: 0 });
    expect(JSON.stringify(record['error'])).toContain(bad);
    expect(local.balance()).toBe(before);
  });
});

test('a rendering that a stop interrupts is done again by the next start', async () => {
  const clip = await client.upload(await portraitClip(), 'mp4', 'video');
  const still = await client.upload(await portraitPhoto());
  const { id } = await client.create('character-replace', {
    end_seconds: 1,
    assets: { video_file_path: clip, image_file_path: still },
  });
  await eventually('it is rendering', async () =>
    (await client.record('video', id))['status'] === 'rendering' ? true : undefined,
  );
  const refunds = (): number => local.ledger().filter(({ kind }) => kind === 'refund').length;
  const before = refunds();
  await local.close();
  local = await startService(options);
  const record = await new Client(local).settled('video', id);
  expect(record).toMatchObject({ status: 'complete', error: null });
  expect(refunds()).toBe(before);
});
