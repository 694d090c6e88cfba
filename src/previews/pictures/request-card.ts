// The card of a request: its parameters and its pictures.

import { isObject, type Json } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { type Card, drawCard, type Thumbnail } from './card.ts';
import { allFinished, withinPlan } from './output.ts';
import type { Size } from './picture.ts';
import { readPicture } from './read-picture.ts';

/** Where neither the request nor a picture says how large the output is. */
export const defaultCardSize: Size = { width: 1024, height: 1024 };

/** An error: one of its pictures cannot be read. */
export async function cardOf(request: RenderRequest): Promise<Result<Card, ProjectError>> {
  const thumbnails: Thumbnail[] = [];
  for (const input of request.inputs.filter(({ media }) => media === 'image')) {
    const picture = await readPicture(input);
    if (!picture.ok) return picture;
    thumbnails.push({ label: labelOf(input.field), picture: picture.value });
  }
  const lines = parametersOf(request);
  return ok({ title: request.tool.title, lines, thumbnails, key: keyOf(request) });
}

/** Renders an image tool as cards. `sizeFor` gets the size of the first picture, if there is one. */
export async function renderCard(
  request: RenderRequest,
  sizeFor: (first: Size | undefined) => Size,
): Promise<RenderOutcome> {
  const card = await cardOf(request);
  if (!card.ok) return card;
  const size = withinPlan(sizeFor(card.value.thumbnails[0]?.picture), request);
  return allFinished(request, (index) =>
    drawCard({ ...card.value, key: `${card.value.key} ${index}` }, size),
  );
}

/** The size with a ratio (width divided by height) and a longest side. */
export const sizeWithRatio = (ratio: number, longest: number): Size => ({
  width: Math.round(ratio >= 1 ? longest : longest * ratio),
  height: Math.round(ratio >= 1 ? longest / ratio : longest),
});

/** Every field of the body but its name and its files, a line each. */
function parametersOf({ body, inputs }: RenderRequest): readonly string[] {
  const left = new Set(['name', ...inputs.map(({ field }) => field)]);
  return leavesOf(body, '')
    .filter(([path]) => !left.has(path))
    .map(([path, value]) => `${labelOf(path)}: ${value}`);
}

function leavesOf(value: Json, path: string): readonly (readonly [string, string])[] {
  if (value === null) return [];
  if (!isObject(value) && !Array.isArray(value)) return [[path, `${value}`]];
  return Object.entries(value).flatMap(([name, member]) =>
    leavesOf(member, path === '' ? name : `${path}.${name}`),
  );
}

/** `assets.image_file_path` is called `image`. */
const labelOf = (field: string): string =>
  field.replace(/^(?:assets|style)\./, '').replace(/_file_path(?=$|s\.)/, '');
