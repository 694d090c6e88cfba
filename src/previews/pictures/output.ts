// How every photo tool begins and ends: the picture of a field of the request comes in, marked pictures go out.
import type { ProjectError } from '../../contract/api/project.ts';
import { ok, type Result } from '../../contract/base/result.ts';
import { imageCountOf } from '../image-count.ts';
import { keep } from '../keep.ts';
import { keyOf } from '../base/key.ts';
import { marked } from './mark.ts';
import type { Picture } from './picture.ts';
import { readPicture } from './read-picture.ts';
import type { RenderedFile, RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';

/** The input that a field of the body names; undefined: the request names none there. */
export function inputOf({ inputs }: RenderRequest, field: string): RenderInput | undefined {
  return inputs.find((input) => input.field === field);
}

/** The picture of a field that the tool's schema requires. */
export function pictureAt(
  request: RenderRequest,
  field: string,
): Promise<Result<Picture, ProjectError>> {
  const input = inputOf(request, field);
  if (input === undefined) throw new Error(`bug: ${request.tool.name} has ${field}`);
  return readPicture(input);
}

/** The one output of a request: marked and written. */
export async function finished(request: RenderRequest, picture: Picture): Promise<RenderOutcome> {
  const stamped = await marked(picture, request.tool.name, keyOf(request));
  return ok([await keep(stamped, request, '0.png')]);
}

/** As many outputs as `image_count` says, made one after the other. */
export async function allFinished(
  request: RenderRequest,
  draw: (index: number) => Promise<Picture>,
): Promise<RenderOutcome> {
  const count = imageCountOf(request);
  const { name } = request.tool;
  const files: RenderedFile[] = [];
  for (let index = 0; index < count; index++) {
    const caption = count === 1 ? name : `${name} ${index + 1}/${count}`;
    const stamped = await marked(await draw(index), caption, `${keyOf(request)} ${index}`);
    files.push(await keep(stamped, request, `${index}.png`));
  }
  return ok(files);
}
