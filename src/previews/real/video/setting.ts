// Where a clip begins that nobody has filmed: the picture that is given, else a scene of the words.
import type { ProjectError } from '../../../contract/api/project.ts';
import { chanceOf } from '../../../contract/base/chance.ts';
import { ok, type Result } from '../../../contract/base/result.ts';
import { hueOf } from '../../pictures/card.ts';
import { keyOf } from '../../base/key.ts';
import type { Picture } from '../../pictures/picture.ts';
import { readPicture } from '../../pictures/read-picture.ts';
import type { RenderRequest } from '../../base/request.ts';
import { scene } from '../photo/scene.ts';
import type { FrameSize } from '../../pictures/canvas.ts';
import { inputIn } from '../../base/fields.ts';

/** The picture of a field; undefined where the request names none. */
export async function pictureIn(
  request: RenderRequest,
  field: string,
): Promise<Result<Picture | undefined, ProjectError>> {
  const input = inputIn(request, field);
  return input === undefined ? ok(undefined) : readPicture(input);
}

/** Words as a place, of a size. */
export function sceneOf(words: string, request: RenderRequest, size: FrameSize): Promise<Picture> {
  return scene(words, size, chanceOf(request.seed, hueOf(keyOf(request))));
}
