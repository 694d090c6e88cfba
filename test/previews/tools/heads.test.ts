// Tools that need a head in a photo, on two real ones.
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import type { RenderRequest } from '../../../src/previews/base/request.ts';
import { type Face, findFaces } from '../../../src/previews/faces/find.ts';
import { describeFace, descriptorDistance } from '../../../src/previews/faces/match.ts';
import { type Picture, pictureOf, sharpOf } from '../../../src/previews/pictures/picture.ts';
import { renderFaceEditor } from '../../../src/previews/tools/cards.ts';
import { renderHeadSwap, renderHeadshot } from '../../../src/previews/tools/people.ts';
import { longTest } from '../../sweep.ts';
import { sample } from '../faces/sample.ts';

const folder = mkdtempSync(join(tmpdir(), 'shotlist-heads-'));
const at = (name: string): string => join(folder, name);
const picture = 'assets.image_file_path';
const body = 'assets.body_file_path';
const head = 'assets.head_file_path';

let woman: Picture;
let other: Picture;
let face: Face;
let otherFace: Face;

function requestOf(
  name: string,
  files: Readonly<Record<string, string>>,
  more: RenderRequest['body'] = {},
): RenderRequest {
  const tool = toolNamed(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const inputs = Object.entries(files).map(([field, reference]) => ({
    ...{ field, reference, media: 'image' as const, file: at(reference) },
    ...{ face: undefined, faces: [] },
  }));
  return { tool, body: { assets: files, ...more }, inputs, folder, seed: 1, most: 1000 };
}
const output = async (): Promise<Picture> => pictureOf(sharp(await readFile(at('0.png'))));
async function faceOf(of: Picture): Promise<Face> {
  const [largest] = await findFaces(of, 0.3);
  if (largest === undefined) throw new Error('no face');
  return largest;
}
beforeAll(async () => {
  const cut = async (number: number, left: number, top: number): Promise<Picture> =>
    pictureOf(sharpOf(await sample(number, 960)).extract({ left, top, width: 260, height: 300 }));
  woman = await cut(3, 480, 40);
  other = await cut(6, 690, 50);
  await sharpOf(woman).toFile(at('woman.png'));
  await sharpOf(other).toFile(at('other.png'));
  await sharp({ create: { width: 150, height: 150, channels: 3, background: 'olive' } }).toFile(
    at('wall.png'),
  );
  face = await faceOf(woman);
  otherFace = await faceOf(other);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the face editor makes a card as large as the picture', async () => {
  const style = { mouth_smile: 100 };
  const request = requestOf('ai-face-editor', { [picture]: 'woman.png' }, { style });
  const { width, height } = woman;
  const outcome = await renderFaceEditor(request);
  expect(outcome).toEqual({ ok: true, value: [{ name: '0.png', width, height }] });
});

longTest(
  'a swapped head is the other’s, on the body that was there, within max_resolution',
  async () => {
    const files = { [body]: 'woman.png', [head]: 'other.png' };
    const outcome = await renderHeadSwap(requestOf('head-swap', files, { max_resolution: 270 }));
    expect(outcome).toEqual({ ok: true, value: [{ name: '0.png', width: 234, height: 270 }] });
    const after = await output();
    const swapped = await describeFace(after, await faceOf(after));
    const [here, there] = [await describeFace(woman, face), await describeFace(other, otherFace)];
    expect(descriptorDistance(swapped, there)).toBeLessThan(descriptorDistance(swapped, here));
  },
);

longTest('a headshot has the face in its upper middle', async () => {
  const outcome = await renderHeadshot(
    requestOf('ai-headshot-generator', { [picture]: 'woman.png' }),
  );
  expect(outcome.ok).toBe(true);
  const portrait = await output();
  const { x, y, width } = (await faceOf(portrait)).region;
  expect(Math.abs(x + width / 2 - 0.5)).toBeLessThan(0.2);
  expect(y).toBeLessThan(0.5);
  expect(portrait.height).toBeGreaterThan(portrait.width);
});

longTest('a picture without a face is refused, and the answer names it', async () => {
  const refusals = [
    [picture, await renderFaceEditor(requestOf('ai-face-editor', { [picture]: 'wall.png' }))],
    [picture, await renderHeadshot(requestOf('ai-headshot-generator', { [picture]: 'wall.png' }))],
    [
      body,
      await renderHeadSwap(requestOf('head-swap', { [body]: 'wall.png', [head]: 'other.png' })),
    ],
    [
      head,
      await renderHeadSwap(requestOf('head-swap', { [body]: 'woman.png', [head]: 'wall.png' })),
    ],
  ] as const;
  for (const [field, outcome] of refusals) {
    expect(outcome).toMatchObject({ ok: false, error: { code: 'no_source_face' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain(`${field} (wall.png)`);
  }
});
