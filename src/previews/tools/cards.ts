// Cards: the outputs of tools that a rehearsal does not draw. A card shows the parameters and the pictures of its request.
import { isObject, type Json } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { aspectRatioIn, longestSideIn, requiredInput } from '../base/fields.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { sourceFaceIn } from '../faces/search.ts';
import { type Card, drawCard, type Thumbnail } from '../pictures/card.ts';
import { allFinished, sizeWithRatio, withinPlan } from '../pictures/output.ts';
import type { Size } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';

/** Where neither the request nor a picture says how large the output is. */
const defaultSize: Size = { width: 1024, height: 1024 };
const memeSize: Size = { width: 800, height: 800 };

/**
 * The pictures of a tool without a renderer of its own, in the shape, the size and the number that the request asks for. A
 * request that names no size, or `auto`, means the shape and the size of its first picture.
 */
export const renderImage = (request: RenderRequest): Promise<RenderOutcome> =>
  renderCard(request, (first = defaultSize) =>
    sizeWithRatio(
      aspectRatioIn(request) ?? first.width / first.height,
      longestSideIn(request) ?? Math.max(first.width, first.height),
    ),
  );

/** ai-meme-generator */
export const renderMeme = (request: RenderRequest): Promise<RenderOutcome> =>
  renderCard(request, () => memeSize);

/** ai-face-editor: a card as large as the picture. A picture without a face is an error. */
export async function renderFaceEditor(request: RenderRequest): Promise<RenderOutcome> {
  const face = await sourceFaceIn(requiredInput(request, 'assets.image_file_path'));
  return face.ok ? renderCard(request, (picture = defaultSize) => picture) : face;
}

/** Renders an image tool as cards. `sizeFor` gets the size of the first picture, if there is one. */
async function renderCard(
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
