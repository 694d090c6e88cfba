// Adds the places of faces to a request's pictures, for tools that work without them but better with them: a cut-out then
// keeps the heads.
import type { RenderInput, RenderRequest } from '../base/request.ts';
import { readPicture } from '../pictures/read-picture.ts';
import { findFaces } from './find.ts';
import { sureFace } from './source-face.ts';

/** Faces that detection found before stay. A picture that cannot be read stays as it is: its tool reports the error. */
export async function withKnownFaces(request: RenderRequest): Promise<RenderRequest> {
  const inputs: RenderInput[] = [];
  for (const input of request.inputs) inputs.push(await known(input));
  return { ...request, inputs };
}

async function known(input: RenderInput): Promise<RenderInput> {
  if (input.media !== 'image' || input.file === undefined || input.faces.length > 0) return input;
  const picture = await readPicture(input);
  if (!picture.ok) return input;
  const faces = await findFaces(picture.value, sureFace);
  return { ...input, faces: faces.map(({ region }) => region) };
}
