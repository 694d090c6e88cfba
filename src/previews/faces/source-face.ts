// The face that a picture of the request lends to a swap.

import { err, ok, type Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import type { RenderInput } from '../base/request.ts';
import type { Picture } from '../pictures/picture.ts';
import { isPlaceholder, readPicture } from '../pictures/read-picture.ts';
import { type Face, findFaces } from './find.ts';

/** The default of `confidence_score` (facts.md, Face detection). */
export const sureFace = 0.5;
/** Less confidence is enough in a picture that was given for its face. */
export const believedFace = 0.2;

export interface SourceFace {
  readonly picture: Picture;
  /** Undefined for a picture that was not fetched or cannot be decoded. */
  readonly face: Face | undefined;
}

/** The largest face of an input's picture; a picture without faces is the project's error. */
export async function sourceFaceIn(input: RenderInput): Promise<Result<SourceFace, ProjectError>> {
  const read = await readPicture(input);
  if (!read.ok) return read;
  const picture = read.value;
  if (await isPlaceholder(input)) return ok({ picture, face: undefined });
  const faces = await findFaces(picture, believedFace);
  const surest = faces.toSorted((a, b) => b.score - a.score)[0];
  const face = faces.find(({ score }) => score >= sureFace) ?? surest;
  return face === undefined ? noFaceIn(input) : ok({ picture, face });
}

export function noFaceIn({ field, reference }: RenderInput): Result<never, ProjectError> {
  return err({
    code: 'no_source_face',
    message: `No face was found in the picture of ${field} (${reference})`,
  });
}
