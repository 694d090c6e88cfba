// Stand-ins: outputs that cost next to nothing. Their inputs are checked and their size, length and count are right, but
// nothing is drawn. Tests that are about money and files use them, and so does a tool whose libraries are not installed.
import { constants } from 'node:fs';
import { copyFile, link, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { ok, type Result } from '../base/result.ts';
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import { clipOf } from '../contract/api/clip.ts';
import type { ProjectError } from '../contract/api/project.ts';
import { imageCountOf } from './base/fields.ts';
import { digestOfFile, hueOf, keyOf } from './base/key.ts';
import type {
  FaceAnswer,
  FaceQuestion,
  FoundFace,
  RenderedFile,
  RenderOutcome,
  RenderRequest,
} from './base/request.ts';
import { type Colour, colourOf } from './pictures/canvas.ts';
import { withinPlan } from './pictures/output.ts';
import { pixelsOf, type Size } from './pictures/picture.ts';
import { pictureSize } from './pictures/read-picture.ts';
import { renderSpeech } from './tools/sounds.ts';

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
  if (tool.fileFormat?.usual === 'gif') return movingPicture(request, size, gifSeconds);
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

// Valid pictures and clips of any size in a few bytes, written by hand: thousands of them are made in tests.

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG of one colour; pictures with different comments have different bytes. */
export function tinyPng({ width, height }: Size, colour: Colour, comment: string): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // One bit a pixel, from a palette of one colour.
  header[8] = 1;
  header[9] = 3;
  const blank = Buffer.alloc(height * (1 + Math.ceil(width / 8)));
  return Buffer.concat([
    pngSignature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colour)),
    chunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1')),
    chunk('IDAT', deflateSync(blank, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** What a GIF can say of one frame, in hundredths of a second. */
const maxDelay = 65_535;

/** A GIF of two frames that are shown for so many seconds together. */
export function tinyGif(
  { width, height }: Size,
  seconds: number,
  colour: Colour,
  comment: string,
): Buffer {
  const screen = Buffer.from([0, 0, 0, 0, 0x80, 0, 0]);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  const said = Buffer.from(comment.slice(0, 255), 'latin1');
  const frame = Buffer.from('21f9040000000000' + '2c00000000010001000002024401' + '00', 'hex');
  frame.writeUInt16LE(Math.min(maxDelay, Math.max(1, Math.round(seconds * 50))), 4);
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    screen,
    Buffer.from([...colour, 0, 0, 0]),
    Buffer.from([0x21, 0xfe, said.length]),
    said,
    Buffer.from([0]),
    frame,
    frame,
    Buffer.from([0x3b]),
  ]);
}
