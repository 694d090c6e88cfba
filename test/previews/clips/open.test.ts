import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '../../../src/base/result.ts';
import { type Clip, openClip, partOf } from '../../../src/previews/clips/open.ts';
import { sizeWith, sizeWithin } from '../../../src/previews/clips/output.ts';
import type { FrameSampling } from '../../../src/previews/clips/sample-frames.ts';
import type { Picture } from '../../../src/previews/pictures/picture.ts';
import { clipInput, leftOf, shortWalk, tone, walkClip, yellowOf } from './samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-clip-'));
const made = {
  mp4: join(folder, 'a.mp4'),
  webm: join(folder, 'a.webm'),
  gif: join(folder, 'a.gif'),
};
beforeAll(async () => {
  for (const file of Object.values(made)) await walkClip(file, { ...shortWalk, sound: tone(0.8) });
});
afterAll(() => rmSync(folder, { recursive: true }));

function must<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

async function picturesOf(
  clip: Clip,
  cut: Partial<FrameSampling> = {},
): Promise<readonly Picture[]> {
  const { width, height, fps } = clip.facts;
  const pictures: Picture[] = [];
  for await (const picture of clip.frames({ start: 0, end: 0.8, width, height, fps, ...cut }))
    pictures.push(picture);
  return pictures;
}

const leftsOf = (pictures: readonly Picture[]) =>
  pictures.map((picture) => yellowOf(picture)?.[0] ?? Number.NaN);

/** Lossy pictures blur an edge by a pixel. */
function expectLefts(lefts: readonly number[], indices: readonly number[]): void {
  expect(lefts.length).toBe(indices.length);
  for (const [i, index] of indices.entries())
    expect(Math.abs((lefts[i] ?? Number.NaN) - leftOf(index)), `${lefts}`).toBeLessThanOrEqual(1);
}

describe.each(Object.entries(made))('a clip in %s', (kind, file) => {
  test('is what it was made as', async () => {
    const { facts } = must(await openClip(clipInput(file)));
    expect(facts).toMatchObject({ width: 64, height: 48, hasSound: kind !== 'gif' });
    expect(facts.fps).toBeCloseTo(10, 1);
    expect(Math.abs(facts.seconds - 0.8)).toBeLessThan(0.03);
  });

  test('gives each moment the frame that is shown then, at any rate and from any start', async () => {
    const clip = must(await openClip(clipInput(file)));
    expectLefts(leftsOf(await picturesOf(clip)), [0, 1, 2, 3, 4, 5, 6, 7]);
    expectLefts(
      leftsOf(await picturesOf(clip, { fps: 20, start: 0.2, end: 0.5 })),
      [2, 2, 3, 3, 4, 4],
    );
    expectLefts(leftsOf(await picturesOf(clip, { fps: 5 })), [0, 2, 4, 6]);
    expectLefts(leftsOf(await picturesOf(clip, { start: 0.6, end: 1.1 })), [6, 7, 7, 7, 7]);
  });
});

test('the frames have the size that was asked for, and each may be painted on', async () => {
  const clip = must(await openClip(clipInput(made.mp4)));
  const pictures = clip.frames({ start: 0.5, end: 0.6, width: 33, height: 20, fps: 30 });
  const seen: (readonly [number, number] | undefined)[] = [];
  for await (const picture of pictures) {
    expect([picture.width, picture.height, picture.pixels.length]).toEqual([33, 20, 33 * 20 * 4]);
    seen.push(yellowOf(picture));
    picture.pixels.fill(0);
  }
  expect(seen.every((yellow) => yellow !== undefined)).toBe(true);
});

test('closing a clip ends the frames that are under way', async () => {
  const clip = must(await openClip(clipInput(made.mp4)));
  const frames = clip.frames({ start: 0, end: 600, width: 64, height: 48, fps: 30 });
  expect((await frames.next()).done).toBe(false);
  await clip.close();
  expect((await frames.next()).done).toBe(true);
});

test('a clip that a telephone filmed on its side stands upright', async () => {
  const bytes = await readFile(made.mp4);
  // The display matrix of the track's header: 40 bytes into its content, in 16.16 numbers.
  const at = bytes.indexOf('tkhd') + 4 + 40;
  for (const [i, value] of [0, 1, 0, -1, 0, 0].entries())
    bytes.writeInt32BE(value * 65_536, at + i * 4);
  const file = join(folder, 'side.mp4');
  await writeFile(file, bytes);
  const clip = must(await openClip(clipInput(file)));
  expect(clip.facts).toMatchObject({ width: 48, height: 64 });
  // What was on the left and above the middle is, a quarter turn clockwise, above and to the right.
  const [first] = await picturesOf(clip, { end: 0.1 });
  const yellow = first && yellowOf(first);
  expect(yellow?.[0]).toBeCloseTo(48 - 12 - 12, -0.5);
  expect(yellow?.[1]).toBeCloseTo(leftOf(0), -0.5);
});

test('pixels that are wider than high make a clip wider', async () => {
  const bytes = await readFile(made.gif);
  // GIF's header: (113 + 15) / 64 is 2.
  bytes[12] = 113;
  const file = join(folder, 'wide.gif');
  await writeFile(file, bytes);
  expect(must(await openClip(clipInput(file))).facts).toMatchObject({ width: 128, height: 48 });
});

test('a part goes as far as the clip, and one after its end is an error that names the clip', async () => {
  const clip = must(await openClip(clipInput(made.mp4)));
  const part = must(partOf(clip, { start: 0.5, end: 4 }, clipInput(made.mp4)));
  expect(part).toEqual({ start: 0.5, end: clip.facts.seconds });
  const late = partOf(clip, { start: 3, end: 4 }, clipInput(made.mp4));
  expect(late).toMatchObject({ ok: false, error: { code: 'invalid_parameters' } });
  expect(JSON.stringify(late)).toContain('assets.video_file_path');
});

test('for a clip that is elsewhere there is a card, as long as one likes', async () => {
  const clip = must(await openClip(clipInput(undefined)));
  const pictures = await picturesOf(clip, { width: 96, height: 54, fps: 5 });
  expect(pictures.map(({ width, height }) => `${width}x${height}`)).toEqual(Array(4).fill('96x54'));
});

test('sizes are even, of the same proportions, and enlarged only where it is asked for', () => {
  expect(sizeWith(1920, 1080, 480)).toEqual({ width: 854, height: 480 });
  expect(sizeWith(320, 240, 480)).toEqual({ width: 640, height: 480 });
  expect(sizeWithin(320, 241, 480)).toEqual({ width: 320, height: 242 });
  expect(sizeWithin(1, 1, 480)).toEqual({ width: 96, height: 96 });
  expect(sizeWith(1, 4000, 480)).toEqual({ width: 480, height: 2560 });
});
