// Stand-ins: outputs that cost next to nothing. Their inputs are checked and their size, length and count are right, but
// nothing is drawn. Tests that are about money and files use them, and so does a tool whose libraries are not installed.
import { constants } from 'node:fs';
import { copyFile, link, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extensionOf, mediaTypeOf } from '../../contract/api/asset.ts';
import { clipOf } from '../../contract/api/clip.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { ok, type Result } from '../../contract/base/result.ts';
import { imageCountOf } from '../base/fields.ts';
import { digestOfFile, hueOf, keyOf } from '../base/key.ts';
import type { FaceAnswer, FaceQuestion, FoundFace } from '../base/renderer.ts';
import type { RenderedFile, RenderOutcome, RenderRequest } from '../base/request.ts';
import { colourOf } from '../pictures/canvas.ts';
import { withinPlan } from '../pictures/output.ts';
import { pixelsOf, type Size } from '../pictures/picture.ts';
import { pictureSize } from '../pictures/read-picture.ts';
import { renderSpeech } from '../sound/speech.ts';
import { tinyGif, tinyPng } from './tiny-files.ts';

/** The size of an output where the request names no picture. */
const usualSize: Size = { width: 768, height: 768 };
/** The GIFs of the hosted service have no published length. */
const gifSeconds = 2;

export async function renderStandIn(request: RenderRequest): Promise<RenderOutcome> {
  const { tool, inputs } = request;
  if (tool.record === 'audio') return renderSpeech(request, await contentKey(request));
  const first = await firstSize(request);
  if (!first.ok) return first;
  const size = withinPlan(first.value ?? usualSize, request);
  if (tool.record === 'video') {
    const clip = inputs.find(({ media, file }) => media === 'video' && file !== undefined)?.file;
    if (clip !== undefined) return sameClip(clip, request);
    return movingPicture(request, size, clipOf(request.body).seconds);
  }
  if (tool.name === 'ai-gif-generator') return movingPicture(request, size, gifSeconds);
  return pictures(request, size);
}

/** The size of the first picture; undefined when the request names none. An error: one of them cannot be read. */
async function firstSize({
  inputs,
}: RenderRequest): Promise<Result<Size | undefined, ProjectError>> {
  let first: Size | undefined;
  for (const input of inputs.filter(({ media }) => media === 'image')) {
    const size = await pictureSize(input);
    if (!size.ok) return size;
    first ??= size.value;
  }
  return ok(first);
}

/** Differs for requests whose files differ. */
async function contentKey(request: RenderRequest): Promise<string> {
  const contents = request.inputs.map(({ file, reference }) =>
    file === undefined ? reference : digestOfFile(file),
  );
  return [keyOf(request), ...(await Promise.all(contents))].join(' ');
}

const colourFor = (key: string) => colourOf(hueOf(key), 0.4, 0.5);

async function pictures(request: RenderRequest, size: Size): Promise<RenderOutcome> {
  const key = await contentKey(request);
  const files: RenderedFile[] = [];
  for (let index = 0; index < imageCountOf(request); index++) {
    const name = `${index}.png`;
    const png = tinyPng(size, colourFor(`${key} ${index}`), `${key} ${index}`);
    await writeFile(join(request.folder, name), png);
    files.push({ name, ...size });
  }
  return ok(files);
}

/** In the format of a GIF, whatever was asked for. */
async function movingPicture(
  request: RenderRequest,
  size: Size,
  seconds: number,
): Promise<RenderOutcome> {
  const key = await contentKey(request);
  const name = '0.gif';
  await writeFile(join(request.folder, name), tinyGif(size, seconds, colourFor(key), key));
  return ok([{ name, ...size }]);
}

/** The clip that was given, byte for byte: stored files are replaced, never changed, so one copy can serve both. */
async function sameClip(clip: string, { folder }: RenderRequest): Promise<RenderOutcome> {
  const name = `0.${extensionOf(clip)}`;
  const file = join(folder, name);
  await link(clip, file).catch(() => copyFile(clip, file, constants.COPYFILE_FICLONE));
  return ok([{ name }]);
}

/** Where the one face of every picture is said to be. */
const usualPlace = { x: 0.35, y: 0.15, width: 0.3, height: 0.4 };

/** One face in every picture, and none in a clip. */
export async function findStandInFaces(
  { input }: FaceQuestion,
  report: (face: FoundFace) => Promise<void>,
): Promise<FaceAnswer> {
  const { file } = input;
  if (file === undefined || mediaTypeOf(extensionOf(file)) !== 'image') return ok(undefined);
  const size = await pictureSize(input);
  if (!size.ok) return size;
  const key = await digestOfFile(file);
  const crop = tinyPng(pixelsOf(usualPlace, size.value), colourFor(key), key);
  await report({ name: '0-0.png', crop, region: usualPlace });
  return ok(undefined);
}
