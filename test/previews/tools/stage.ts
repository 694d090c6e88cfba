// Renders requests of the video tools in a folder of their own, and looks at what came out.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { MediaType } from '../../../src/contract/api/asset.ts';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import type {
  RenderInput,
  RenderOutcome,
  RenderRequest,
} from '../../../src/previews/base/request.ts';
import { openClip } from '../../../src/previews/clips/open.ts';
import { wavOf } from '../../../src/previews/clips/tone.ts';
import { type Picture, sharpOf } from '../../../src/previews/pictures/picture.ts';
import { clipInput } from '../clips/samples.ts';
import { type Probed, probe } from '../probe.ts';

/** Where the tests of the file that is running render. */
export let folder = '';

/** Call once in a file of tests: the folder is removed with the file. */
export function prepareFolder(): void {
  const own = mkdtempSync(join(tmpdir(), 'shotlist-video-'));
  folder = own;
  afterAll(() => rmSync(own, { recursive: true }));
}

export function input(
  field: string,
  media: MediaType,
  file: string | undefined,
  reference = 'uploads/it',
): RenderInput {
  return { field: `assets.${field}`, media, file, reference, face: undefined, faces: [] };
}

let requests = 0;

export function request(
  name: string,
  body: JsonObject,
  inputs: readonly RenderInput[] = [],
): RenderRequest {
  const tool = toolNamed(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  requests += 1;
  const place = join(folder, `${requests}`);
  mkdirSync(place);
  return { tool, body, inputs, folder: place, seed: 5, most: 480 };
}

export interface Made {
  readonly file: string;
  readonly probed: Probed;
  /** In the order of the probed file's streams. */
  readonly kinds: readonly string[];
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fps: number | undefined;
  readonly seconds: number;
}

/** The one file of an outcome, as another program sees it. */
export async function made(
  { folder: place }: RenderRequest,
  outcome: RenderOutcome,
): Promise<Made> {
  if (!outcome.ok) throw new Error(outcome.error.message);
  const [first] = outcome.value;
  if (first === undefined) throw new Error('no file was made');
  const file = join(place, first.name);
  const probed = await probe(file);
  const [video] = probed.streams;
  const [count, per] = (video?.avg_frame_rate ?? '').split('/').map(Number);
  const fps = (count ?? 0) / (per ?? 1);
  if (video?.width !== first.width || video?.height !== first.height)
    throw new Error('the file is of another size than is said');
  if (Math.abs(fps - (first.fps ?? 0)) > 0.6)
    throw new Error(`the file has ${fps} frames a second, not ${first.fps}`);
  return {
    file,
    probed,
    kinds: probed.streams.map(({ codec_type }) => codec_type),
    width: video?.width,
    height: video?.height,
    fps: first.fps,
    seconds: Number(probed.format.duration),
  };
}

/** So many pictures of a clip, evenly spread. */
export async function picturesOf(file: string, count: number): Promise<readonly Picture[]> {
  const clip = await openClip(clipInput(file));
  if (!clip.ok) throw new Error(clip.error.message);
  const { width, height, seconds } = clip.value.facts;
  const pictures: Picture[] = [];
  for await (const picture of clip.value.frames({
    start: 0,
    end: seconds,
    width,
    height,
    fps: count / seconds,
  }))
    pictures.push(picture);
  await clip.value.close();
  return pictures.slice(0, count);
}

/** The mean difference of two pictures of one size, a channel, within a box in shares of them. */
export function differenceOf(
  one: Picture | undefined,
  other: Picture | undefined,
  box: readonly [left: number, top: number, right: number, bottom: number] = [0, 0, 1, 0.8],
): number {
  if (one === undefined || other === undefined) throw new Error('a picture is missing');
  const [left, top, right, bottom] = box;
  let sum = 0;
  let count = 0;
  for (let y = Math.floor(top * one.height); y < bottom * one.height; y++)
    for (let x = Math.floor(left * one.width); x < right * one.width; x++)
      for (let channel = 0; channel < 3; channel++) {
        const at = (y * one.width + x) * 4 + channel;
        sum += Math.abs((one.pixels[at] ?? 0) - (other.pixels[at] ?? 0));
        count += 1;
      }
  return sum / count;
}

/** A picture as a file. */
export async function fileOf(picture: Picture, name: string): Promise<string> {
  const file = join(folder, name);
  await sharpOf(picture).png().toFile(file);
  return file;
}

/** A sound file that is silent at first, and loud from its middle on. */
export async function lateVoice(seconds: number): Promise<string> {
  const rate = 16_000;
  const samples = Float32Array.from({ length: Math.round(seconds * rate) }, (_, i) =>
    i / rate < seconds / 2 ? 0 : 0.5 * Math.sin((2 * Math.PI * 200 * i) / rate),
  );
  const file = join(folder, 'voice.wav');
  writeFileSync(file, wavOf(samples, rate));
  return file;
}
