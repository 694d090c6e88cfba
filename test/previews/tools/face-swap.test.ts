// Faces in clips: a clip is made here of a pan over a real photo of two women.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faceSwap } from '../../../src/contract/tools/face-swap.ts';
import type { FoundFace, RenderInput, RenderOutcome } from '../../../src/previews/base/request.ts';
import { openClip } from '../../../src/previews/clips/open.ts';
import { writeClip } from '../../../src/previews/clips/write.ts';
import { findFacesInClip } from '../../../src/previews/faces/search.ts';
import { type Picture, pictureOf, sharpOf } from '../../../src/previews/pictures/picture.ts';
import { renderFaceSwap as renderFaceSwapClip } from '../../../src/previews/tools/face-swap.ts';
import { longTest } from '../../sweep.ts';
import { clipInput, shortWalk, tone, walkClip } from '../clips/samples.ts';
import { sample } from '../faces/sample.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-clip-faces-'));
const at = (name: string): string => join(folder, name);
const size = { width: 288, height: 216 };
const pace = { ...size, fps: 12 };
const count = 4;
/** The lower edge, where the mark is. */
const strip = 20;
let photo: Picture;
const found: FoundFace[] = [];

/** A part of the photo, further to the right with each index. */
const frameAt = (index: number, width = size.width): Promise<Picture> =>
  pictureOf(sharpOf(photo).extract({ left: 330 + index * 2, top: 24, ...size, width }));
const blank: Picture = { ...size, pixels: Buffer.alloc(size.width * size.height * 4, 128) };

async function* pan(): AsyncGenerator<Picture> {
  for (let index = 0; index < count; index++) yield frameAt(index);
}
const pictureInput = (field: string, name: string): RenderInput => ({
  ...{ field, media: 'image', file: at(name), reference: name, face: undefined, faces: [] },
});
const swap = (file: string, ...inputs: readonly RenderInput[]): Promise<RenderOutcome> =>
  renderFaceSwapClip({
    tool: faceSwap,
    body: { start_seconds: 0, end_seconds: 5, assets: { video_source: 'file' } },
    inputs: [clipInput(at(file)), ...inputs],
    ...{ folder, seed: 1, most: 1000 },
  });
async function framesOf(file: string): Promise<readonly Picture[]> {
  const clip = await openClip(clipInput(at(file)));
  if (!clip.ok) throw new Error(clip.error.message);
  const { width, height, fps, seconds, hasSound } = clip.value.facts;
  expect(hasSound).toBe(true);
  const pictures: Picture[] = [];
  for await (const picture of clip.value.frames({ start: 0, end: seconds, width, height, fps }))
    pictures.push(picture);
  return pictures;
}

beforeAll(async () => {
  photo = await sample(3, 640);
  const picture = await sample(6, 640);
  const source = { left: 450, top: 30, width: 170, height: 200 };
  await sharpOf(picture).extract(source).toFile(at('source.png'));
  await sharpOf(blank).toFile(at('wall.png'));
  await writeClip({ file: at('pan.mp4'), ...pace, frames: pan(), sound: tone(count / pace.fps) });
  await walkClip(at('nobody.mp4'), { ...shortWalk, count: 2 });
  const question = { input: clipInput(at('pan.mp4')), confidence: 0.5 };
  const answer = await findFacesInClip(question, async (face) => {
    found.push(face);
  });
  expect(answer.ok).toBe(true);
  for (const { name, crop } of found) writeFileSync(at(name), crop);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a search tells each person of a clip once', () => {
  expect(found.map(({ name }) => name)).toEqual(['0-0.png', '0-1.png']);
  expect(found.map(({ region }) => Math.round(region.x * 10)).toSorted()).toEqual([1, 5]);
});

test('a file that is no clip is an error of a search and of a swap', async () => {
  writeFileSync(at('broken.mp4'), 'no clip');
  const input = clipInput(at('broken.mp4'));
  const answer = await findFacesInClip({ input, confidence: 0.5 }, async () => {});
  expect(answer).toMatchObject({ ok: false, error: { code: 'invalid_video_file' } });
  expect(await swap('broken.mp4')).toEqual(answer);
});

longTest(
  'a mapped face changes on each frame and nothing else does, and the sound stays',
  async () => {
    const [one, other] = found;
    if (one === undefined || other === undefined) throw new Error('no two faces');
    const mapping = 'assets.face_mappings.0';
    const inputs = [
      pictureInput(`${mapping}.original_face`, one.name),
      pictureInput(`${mapping}.new_face`, 'source.png'),
    ];
    const outcome = await swap('pan.mp4', ...inputs);
    expect(outcome).toEqual({ ok: true, value: [{ name: '0.mp4', ...pace }] });
    const [before, after] = [await framesOf('pan.mp4'), await framesOf('0.mp4')];
    expect(after).toHaveLength(count);
    for (const [index, picture] of after.entries()) {
      const changeAt = ({ region }: FoundFace): number => {
        let sum = 0;
        let bytes = 0;
        // The pan moves a face to the left by two pixels a frame.
        const left = Math.max(0, Math.round(region.x * size.width) - index * 2);
        const right = left + Math.round(region.width * size.width);
        const bottom = Math.min(size.height - strip, (region.y + region.height) * size.height);
        for (let y = Math.round(region.y * size.height); y < bottom; y++)
          for (let at = (y * size.width + left) * 4; at < (y * size.width + right) * 4; at++) {
            sum += Math.abs((before[index]?.pixels[at] ?? 0) - (picture.pixels[at] ?? 0));
            bytes += 1;
          }
        return sum / bytes;
      };
      expect(changeAt(one)).toBeGreaterThan(7);
      expect(changeAt(other)).toBeLessThan(3);
    }
  },
);

longTest(
  'a picture without a face lends none, and a clip without faces stays as it is',
  async () => {
    const field = 'assets.image_file_path';
    const refused = await swap('nobody.mp4', pictureInput(field, 'wall.png'));
    expect(refused).toMatchObject({ ok: false, error: { code: 'invalid_parameters' } });
    expect(refused.ok ? '' : refused.error.message).toContain(`${field} (wall.png)`);
    const kept = await swap('nobody.mp4', pictureInput(field, 'source.png'));
    expect(kept).toMatchObject({ ok: true, value: [{ name: '0.mp4', fps: 10 }] });
  },
);

longTest('each frame has the faces of the nearest of two looks a second', async () => {
  async function* frames(): AsyncGenerator<Picture> {
    const there = await frameAt(0);
    for (const picture of [there, there, blank, blank])
      yield { ...picture, pixels: Buffer.from(picture.pixels) };
  }
  const file = at('leaving.mp4');
  await writeClip({ file, ...size, fps: 4, frames: frames(), sound: tone(1) });
  const outcome = await swap('leaving.mp4', pictureInput('assets.image_file_path', 'source.png'));
  expect(outcome.ok).toBe(true);
  const [before, after] = [await framesOf('leaving.mp4'), await framesOf('0.mp4')];
  const changes = after.map(({ pixels }, index) => {
    const bytes = (size.height - strip) * size.width * 4;
    let sum = 0;
    for (let byte = 0; byte < bytes; byte++)
      sum += Math.abs((before[index]?.pixels[byte] ?? 0) - (pixels[byte] ?? 0));
    return sum / bytes > 1.5;
  });
  expect(changes).toEqual([true, false, false, false]);
});
