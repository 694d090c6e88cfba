import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { characterReplace } from '../../../src/contract/tools/character-replace.ts';
import type { RenderOutcome } from '../../../src/previews/base/request.ts';
import { openClip } from '../../../src/previews/clips/open.ts';
import { writeClip } from '../../../src/previews/clips/write.ts';
import type { Picture } from '../../../src/previews/pictures/picture.ts';
import { renderCharacterReplace } from '../../../src/previews/tools/character-replace.ts';
import { clipInput, tone } from '../clips/samples.ts';
import { probe } from '../probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-character-'));
const clip = join(folder, 'wall.mp4');
const character = join(folder, 'character.png');
const size = { width: 192, height: 108 };
const fps = 10;
const count = 9;
beforeAll(async () => {
  async function* frames(): AsyncGenerator<Picture> {
    for (let index = 0; index < count; index++) yield wallAt(index);
  }
  await writeClip({ file: clip, ...size, fps, frames: frames(), sound: tone(0.9) });
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="200">
    <rect width="120" height="200" fill="#eee"/><rect x="35" y="15" width="50" height="170" fill="#f0f"/></svg>`;
  await sharp(Buffer.from(drawing)).png().toFile(character);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A grey wall that gets lighter. */
function wallAt(index: number): Picture {
  const pixels = Buffer.alloc(size.width * size.height * 4, 40 + index * 8);
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255;
  return { pixels, ...size };
}

interface Ask {
  readonly style?: JsonObject;
  readonly video?: string | undefined;
  readonly image?: string | undefined;
  readonly start?: number;
  readonly end?: number;
}

let renders = 0;
async function render({ style = {}, video, image, start = 0, end = 0.9 }: Ask) {
  renders += 1;
  const into = join(folder, `${renders}`);
  mkdirSync(into);
  const outcome = await renderCharacterReplace({
    tool: characterReplace,
    body: { start_seconds: start, end_seconds: end, resolution: '480p', style },
    inputs: [
      clipInput(video),
      {
        ...clipInput(image),
        field: 'assets.image_file_path',
        media: 'image',
        reference: 'uploads/still',
      },
    ],
    folder: into,
    seed: 1,
    most: 108,
  });
  return { outcome, file: join(into, '0.mp4') };
}

const replacing = (): Ask => ({ style: { mode: 'replace' }, video: clip, image: character });
let first: ReturnType<typeof render> | undefined;
/** Rendered once for all tests that look at it. */
const replaced = (): ReturnType<typeof render> => {
  first ??= render(replacing());
  return first;
};

/** Where a colour is in the middle, and how many of its pixels there are. */
function seen({ pixels, width }: Picture, is: (r: number, g: number, b: number) => boolean) {
  let [count, xs, ys] = [0, 0, 0];
  for (let i = 0; i < pixels.length; i += 4) {
    if (!is(pixels[i] ?? 0, pixels[i + 1] ?? 0, pixels[i + 2] ?? 0)) continue;
    count += 1;
    xs += (i / 4) % width;
    ys += Math.floor(i / 4 / width);
  }
  return { count, x: xs / count, y: ys / count };
}
const magenta = (r: number, g: number, b: number) => r > 150 && b > 150 && g < 110;

async function framesOf(file: string): Promise<readonly Picture[]> {
  const opened = await openClip(clipInput(file));
  if (!opened.ok) throw new Error(opened.error.message);
  const { width, height } = opened.value.facts;
  const pictures: Picture[] = [];
  for await (const picture of opened.value.frames({ start: 0, end: 0.9, width, height, fps }))
    pictures.push(picture);
  return pictures;
}

const fileOf = (outcome: RenderOutcome) => (outcome.ok ? outcome.value : outcome.error);

describe('replace', () => {
  test('puts the character into the middle of every frame, and keeps rate, size and sound', async () => {
    const { outcome, file } = await replaced();
    expect(fileOf(outcome)).toEqual([{ name: '0.mp4', ...size, fps }]);
    const { streams } = await probe(file);
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac']);
    expect(streams[0]).toMatchObject({ ...size, nb_read_frames: `${count}` });
    const pictures = await framesOf(file);
    for (const picture of pictures) {
      const figure = seen(picture, magenta);
      expect(Math.abs(figure.x - size.width / 2)).toBeLessThan(5);
      expect(figure.count).toBeGreaterThan(300);
    }
    const strip = (picture: Picture | undefined) =>
      picture?.pixels.subarray(-size.width * 4 * 10) ?? Buffer.alloc(0);
    const white = seen(
      { pixels: Buffer.from(strip(pictures[4])), width: size.width, height: 10 },
      (r, g, b) => Math.min(r, g, b) > 190,
    );
    expect(white.count).toBeGreaterThan(60);
  });

  test('puts it where a point is at its time', async () => {
    const [left, right] = [40, 150];
    const points = [
      { position_x: left, position_y: 50, time_seconds: 0.2 },
      { position_x: right, position_y: 50, time_seconds: 0.8 },
    ];
    const style = { mode: 'replace', selection_mode: 'point', points };
    const { file } = await render({ style, video: clip, image: character, start: 0.2 });
    const places = (await framesOf(file)).map((picture) => seen(picture, magenta).x);
    expect(Math.abs((places[1] ?? 0) - left)).toBeLessThan(5);
    expect(Math.abs((places[5] ?? 0) - right)).toBeLessThan(5);
  });

  test('gives the same bytes for the same request', async () => {
    const [one, two] = [await replaced(), await render(replacing())];
    expect(readFileSync(one.file).equals(readFileSync(two.file))).toBe(true);
  });
});

test('animate shows the still, in its proportions, with the running clip in a corner', async () => {
  const { outcome, file } = await render({
    style: { mode: 'animate' },
    video: clip,
    image: character,
  });
  expect(fileOf(outcome)).toEqual([{ name: '0.mp4', width: 108, height: 180, fps }]);
  const pictures = await framesOf(file);
  expect(pictures).toHaveLength(count);
  const [first, last] = [pictures[0], pictures.at(-1)];
  if (first === undefined || last === undefined) throw new Error('no frames');
  const cornerOf = ({ pixels, width }: Picture) => pixels[(4 * width + width - 4) * 4] ?? 0;
  expect(cornerOf(last) - cornerOf(first)).toBeGreaterThan(40);
  expect(seen(first, magenta).count).toBeGreaterThan(1000);
});

test('what is elsewhere is stood in for, at the length that was asked for', async () => {
  const { outcome, file } = await render({ end: 0.5 });
  expect(outcome.ok).toBe(true);
  const { format } = await probe(file);
  expect(Number(format.duration)).toBeCloseTo(0.5, 1);
});

test.each([
  ['a clip that is a picture', { video: 'character.png' }, 'invalid_video_file', 'video_file_path'],
  ['a clip that was cut off', { video: 'cut.mp4' }, 'invalid_video_file', 'video_file_path'],
  ['a still that is a clip', { image: 'wall.mp4' }, 'invalid_file_format', 'image_file_path'],
  ['a part after the end', { start: 3, end: 4 }, 'invalid_parameters', 'start_seconds'],
])('%s is an error of the project', async (_, asked, code, named) => {
  writeFileSync(join(folder, 'cut.mp4'), readFileSync(clip).subarray(0, 900));
  const given = { video: 'wall.mp4', image: 'character.png', ...asked };
  const { outcome } = await render({
    ...given,
    video: join(folder, given.video),
    image: join(folder, given.image),
  });
  expect(outcome).toMatchObject({ ok: false, error: { code } });
  expect(JSON.stringify(outcome)).toContain(named);
});

test('of a clip whose second half is missing the first half is used, and its last frame', async () => {
  const broken = join(folder, 'half.mp4');
  const bytes = readFileSync(clip);
  writeFileSync(broken, bytes.subarray(0, bytes.length * 0.7));
  const { outcome, file } = await render({ video: broken, image: character });
  expect(outcome.ok).toBe(true);
  expect((await probe(file)).streams[0]?.nb_read_frames).toBe(`${count}`);
});
