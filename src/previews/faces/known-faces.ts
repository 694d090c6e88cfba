// A request with the places of the faces in its pictures, for tools that go without them but do better with: a cut-out
// keeps its heads, a garment ends at the neck.

import type { RenderInput, RenderRequest } from '../base/request.ts';
import { readPicture } from '../pictures/read-picture.ts';
import { findFaces } from './find.ts';
import { sureFace } from './source-face.ts';

/** What face detection has found before stays; a picture that cannot be read is left to its tool to refuse. */
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
