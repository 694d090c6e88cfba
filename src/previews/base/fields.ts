// How tools read their requests: words, numbers, inputs, counts and the size of the output.
import { fieldOf } from '../../base/json.ts';
import type { RenderInput, RenderRequest } from './request.ts';

type Fields = Pick<RenderRequest, 'body'>;

/** The text of a field; empty if it has none. */
export function textIn({ body }: Fields, field: string): string {
  const value = fieldOf(body, field);
  return typeof value === 'string' ? value : '';
}

export function numberIn({ body }: Fields, field: string): number | undefined {
  const value = fieldOf(body, field);
  return typeof value === 'number' ? value : undefined;
}

/** Undefined: the request names no file there. */
export function inputIn(
  { inputs }: Pick<RenderRequest, 'inputs'>,
  field: string,
): RenderInput | undefined {
  return inputs.find((input) => input.field === field);
}

/** The input of a field that the tool's schema requires. */
export function requiredInput(request: RenderRequest, field: string): RenderInput {
  const input = inputIn(request, field);
  if (input === undefined) throw new Error(`bug: ${request.tool.name} has no ${field}`);
  return input;
}

/** The pairs of `assets.face_mappings`. */
export function mappingsIn(request: Pick<RenderRequest, 'inputs'>) {
  const mappings: { readonly original: RenderInput; readonly newFace: RenderInput }[] = [];
  for (let index = 0; ; index++) {
    const original = inputIn(request, `assets.face_mappings.${index}.original_face`);
    const newFace = inputIn(request, `assets.face_mappings.${index}.new_face`);
    if (original === undefined || newFace === undefined) return mappings;
    mappings.push({ original, newFace });
  }
}

/** More pictures than any model makes in one request. */
const maxPictures = 16;

export function imageCountOf(request: Fields): number {
  const count = numberIn(request, 'image_count') ?? 1;
  return Math.max(1, Math.min(maxPictures, Math.floor(count)));
}

/** The shorter side of a clip where the request does not name a resolution: what every plan has. */
const usualSide = 576;

/** The shorter side of an output clip in pixels: `resolution`, within the plan's limit. */
export function sideIn(request: Pick<RenderRequest, 'body' | 'most'>, usual = usualSide): number {
  const resolution = textIn(request, 'resolution');
  const lines = /^(\d+)p$/.exec(resolution)?.[1];
  const asked = resolution === '4k' ? 2160 : lines === undefined ? usual : Number(lines);
  return Math.min(asked, request.most);
}

const orientations: Readonly<Record<string, string>> = {
  landscape: '16:9',
  portrait: '9:16',
  square: '1:1',
};

/** Width divided by height, from `aspect_ratio` or the older `orientation`; undefined if the request names neither. */
export function aspectRatioIn(request: Fields): number | undefined {
  const asked =
    textIn(request, 'aspect_ratio') || orientations[textIn(request, 'orientation')] || '';
  const parts = /^(\d+):(\d+)$/.exec(asked);
  const ratio = parts === null ? Number.NaN : Number(parts[1]) / Number(parts[2]);
  return ratio > 0.1 && ratio < 10 ? ratio : undefined;
}

/** The longest side in pixels by `resolution` of an image tool. The service publishes none; the name says it. */
const longestSides: Readonly<Record<string, number>> = {
  '640px': 640,
  '1k': 1024,
  '2k': 2048,
  '4k': 4096,
};

/** The longest side that `resolution` names; undefined for `auto`, none, and unknown names. */
export const longestSideIn = (request: Fields): number | undefined =>
  longestSides[textIn(request, 'resolution')];
