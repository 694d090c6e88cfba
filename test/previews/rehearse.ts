// A renderer of the photo and sound rooms called as a worker calls it: with a real tool, real files and a folder.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { JsonObject } from '../../src/base/json.ts';
import type { Region } from '../../src/contract/api/asset.ts';
import { tools } from '../../src/contract/tools/all.ts';
import type {
  RenderedFile,
  RenderInput,
  RenderOutcome,
  RenderRequest,
} from '../../src/previews/base/request.ts';
import { type Picture, pictureOf } from '../../src/previews/pictures/picture.ts';

type Render = (request: RenderRequest) => Promise<RenderOutcome>;

export interface Given {
  /** Absolute paths by field; undefined: somebody else's URL. */
  readonly files?: Readonly<Record<string, string | undefined>>;
  readonly faces?: readonly Region[];
  readonly seed?: number;
  readonly most?: number;
}

export interface Rehearsed {
  readonly outcome: RenderOutcome;
  readonly folder: string;
}

export async function rehearse(
  render: Render,
  name: string,
  body: JsonObject,
  given: Given = {},
): Promise<Rehearsed> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const folder = await mkdtemp(join(tmpdir(), 'shotlist-render-'));
  const { files = {}, faces = [], seed = 1, most = 2160 } = given;
  const media = tool.record === 'audio' ? 'audio' : 'image';
  const inputs = Object.entries(files).map(
    ([field, file]): RenderInput => ({
      field,
      file,
      media,
      reference: `ref/${field}`,
      face: undefined,
      faces,
    }),
  );
  return { outcome: await render({ tool, body, inputs, folder, seed, most }), folder };
}

/** The outputs of a rendering that has to succeed. */
export function filesOf({ outcome }: Rehearsed): readonly RenderedFile[] {
  if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
  return outcome.value;
}

/** The pixels of one output of a rendering that has to succeed. */
export async function pictureIn(rehearsed: Rehearsed, index = 0): Promise<Picture> {
  const file = filesOf(rehearsed)[index];
  if (file === undefined) throw new Error(`there is no output ${index}`);
  const picture = await pictureOf(sharp(join(rehearsed.folder, file.name)));
  if (picture.width !== file.width || picture.height !== file.height)
    throw new Error(`${file.name} is not as large as it is said to be`);
  return picture;
}

/** A drawing as a PNG file. */
export async function drawn(
  name: string,
  width: number,
  height: number,
  drawing: string,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'shotlist-drawn-'));
  const file = join(folder, `${name}.png`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drawing}</svg>`;
  await writeFile(file, await sharp(Buffer.from(svg)).png().toBuffer());
  return file;
}

/** The share of pixels, the mark's strip left out, for which something is true. */
export function shareOf(
  { width, height }: Picture,
  test: (at: number, x: number, y: number) => boolean,
): number {
  const rows = Math.floor(height * 0.85);
  let count = 0;
  for (let i = 0; i < width * rows; i++)
    if (test(i * 4, i % width, Math.floor(i / width))) count += 1;
  return count / (width * rows);
}

/** How far two pictures of one size are apart, 0 to 255, the mark's strip left out. */
export function apart(one: Picture, two: Picture): number {
  if (one.width !== two.width || one.height !== two.height) return 255;
  const bytes = Math.floor(one.height * 0.85) * one.width * 4;
  let sum = 0;
  for (let at = 0; at < bytes; at++) sum += Math.abs((one.pixels[at] ?? 0) - (two.pixels[at] ?? 0));
  return sum / bytes;
}
