// What is said against the answer to a specimen: by the reader of pictures alone, and by a whole renderer.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { isObject, type Json } from '../../../src/base/json.ts';
import { withDefaults } from '../../../src/base/schema.ts';
import type { ProjectError } from '../../../src/contract/api/project.ts';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import type {
  RenderedFile,
  RenderInput,
  RenderOutcome,
  RenderRequest,
} from '../../../src/previews/base/request.ts';
import type { Picture } from '../../../src/previews/pictures/picture.ts';
import { readPicture } from '../../../src/previews/pictures/read-picture.ts';
import { type Expectation, fields, type Specimen } from './specimens/specimen.ts';

/** What is wrong, in words; undefined when all is as it must be. */
export type Complaint = string | undefined;

export type Render = (request: RenderRequest) => Promise<RenderOutcome>;

const pictureInput = (file: string, field: string): RenderInput => ({
  field,
  media: 'image',
  file,
  reference: 'api-assets/7/specimen',
  face: undefined,
  faces: [],
});

/** Reads a specimen that was written to a file. */
export async function complaintOfReading(specimen: Specimen, file: string): Promise<Complaint> {
  const { name, expected } = specimen;
  const complain = (words: string): string => `${name}: ${words}`;
  try {
    const answer = await readPicture(pictureInput(file, 'assets.image_file_path'));
    const complaint = answer.ok
      ? complaintOfPicture(answer.value, expected)
      : complaintOfError(answer.error, expected, ['invalid_file_format', 'file_too_large'], file);
    return complaint === undefined ? undefined : complain(complaint);
  } catch (reason) {
    return complain(`threw ${reason}`);
  }
}

function complaintOfPicture(picture: Picture, expected: Expectation): Complaint {
  const { width, height, pixels } = picture;
  if (expected.kind === 'error') return `was read, and should be ${expected.code}`;
  if (pixels.length !== width * height * 4) return 'has not four bytes for each pixel';
  if (Math.max(width, height) > 1600 || Math.min(width, height) < 96)
    return `is ${width} by ${height}, which nobody works on`;
  if (expected.kind !== 'ok') return undefined;
  if (width !== expected.width || height !== expected.height)
    return `is ${width} by ${height}, not ${expected.width} by ${expected.height}`;
  const { upright } = expected;
  if (upright === undefined) return undefined;
  const wrong = fields.filter(({ x, y, colour }) => {
    const [red = 0, green = 0, blue = 0, alpha] = pixels.subarray((y * width + x) * 4);
    const off = [red, green, blue].map((value, channel) =>
      Math.abs(value - (colour[channel] ?? 0)),
    );
    return alpha !== 255 || Math.max(...off) > upright;
  });
  return wrong.length === 0 ? undefined : `has another colour at ${JSON.stringify(wrong)}`;
}

/** Words of the libraries underneath. */
const noise = /vips|libpng|tiff2|heif:|webp2|gifload|corrupt header|seek|strip|scanline|\n/i;

function complaintOfError(
  { code, message }: ProjectError,
  expected: Expectation,
  codes: readonly string[],
  file: string,
): Complaint {
  if (expected.kind === 'error' ? code !== expected.code : expected.kind !== 'undecided')
    return `is ${code} (${message}), and should be ${JSON.stringify(expected)}`;
  if (!codes.includes(code)) return `is ${code}, which is no code for a file`;
  if (noise.test(message) || message.includes(file))
    return `says what is not for people: ${message}`;
  const named =
    /^The picture of assets\.\S+ \(api-assets\/7\/specimen\) (cannot be read|is too large): \w/;
  return named.test(message) ? undefined : `does not say which file it is about: ${message}`;
}

/** A request of a tool whose pictures are all this file. */
function requestOf(name: string, file: string, clip: string, folder: string): RenderRequest {
  const tool = toolNamed(name);
  const [example] = tool?.examples ?? [];
  if (tool === undefined || example === undefined) throw new Error(`no example of ${name}`);
  const body = withDefaults(tool.request, example);
  if (!isObject(body)) throw new Error(`the example of ${name} is no object`);
  const inputs = assetsIn(body, '').map(([field, asset]): RenderInput => {
    const picture = pictureInput(file, field);
    return asset === 'asset:image' ? picture : { ...picture, media: 'video', file: clip };
  });
  return { tool, body, inputs, folder, seed: 1, most: 576 };
}

function assetsIn(value: Json, path: string): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return value.startsWith('asset:') ? [[path, value]] : [];
  const members: readonly (readonly [string, Json])[] = Array.isArray(value)
    ? value.map((member, index) => [`${index}`, member])
    : isObject(value)
      ? Object.entries(value)
      : [];
  return members.flatMap(([name, member]) =>
    assetsIn(member, path === '' ? name : `${path}.${name}`),
  );
}

/** What a renderer may say of a picture that it could read. */
const codesOfContent = ['no_source_face', 'invalid_parameters'];

/** Gives a specimen that was written to a file to a whole renderer, in place of all its pictures. */
export async function complaintOfRendering(
  { name, expected }: Specimen,
  file: string,
  how: { readonly tool: string; readonly render: Render; readonly clip: string },
  folder: string,
): Promise<Complaint> {
  const complain = (words: string): string => `${name} with ${how.tool}: ${words}`;
  mkdirSync(folder, { recursive: true });
  try {
    const outcome = await how.render(requestOf(how.tool, file, how.clip, folder));
    if (outcome.ok) {
      if (expected.kind === 'error')
        return complain(`was rendered, and should be ${expected.code}`);
      const complaints = await Promise.all(
        outcome.value.map((one) => complaintOfFile(one, folder)),
      );
      const complaint = complaints.find((one) => one !== undefined);
      return complaint === undefined ? undefined : complain(complaint);
    }
    if (expected.kind !== 'error' && codesOfContent.includes(outcome.error.code)) return undefined;
    const complaint = complaintOfError(
      outcome.error,
      expected,
      ['invalid_file_format', 'file_too_large'],
      file,
    );
    return complaint === undefined ? undefined : complain(complaint);
  } catch (reason) {
    return complain(`threw ${reason}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A picture that was rendered is as large as it is said to be. */
async function complaintOfFile(file: RenderedFile, folder: string): Promise<Complaint> {
  if (!/\.(png|webp|gif)$/.test(file.name)) return undefined;
  const { width, height } = await sharp(join(folder, file.name)).metadata();
  if (width !== file.width || height !== file.height)
    return `${file.name} is ${width} by ${height}, and is said to be ${file.width} by ${file.height}`;
  return Math.min(width, height) > 576 ? `${file.name} is larger than the plan has` : undefined;
}
