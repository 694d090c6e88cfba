// Who gets which face in a clip: all the same one, or those that a mapping names another's, told by who they are.
import type { ProjectError } from '../../contract/api/project.ts';
import { fieldOf } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { mappingsIn } from '../base/fields.ts';
import type { RenderInput, RenderRequest } from '../base/request.ts';
import { type FaceTexture, faceTextureOf } from './face-texture.ts';
import { describeFace } from './find.ts';
import { descriptorDistance, samePersonAgain } from './match.ts';
import { type SourceFace, sourceFaceIn } from './source-face.ts';
import type { TextureChoice } from './track.ts';

export async function textureChoiceFor({
  body,
  inputs,
}: Pick<RenderRequest, 'body' | 'inputs'>): Promise<Result<TextureChoice, ProjectError>> {
  const named = new Map(inputs.map((input) => [input.field, input]));
  const newFace = named.get('assets.image_file_path');
  const mode = fieldOf(body, 'assets.face_swap_mode');
  const mappings = mappingsIn(named);
  if (newFace === undefined || (mode === 'individual-faces' && mappings.length > 0))
    return chosen(mappings);
  const texture = await textureOf(newFace);
  return texture.ok ? ok(() => Promise.resolve(texture.value)) : texture;
}

interface MappedFace {
  /** Undefined: the picture of the one who is meant is not here. */
  readonly who: Float32Array | undefined;
  readonly texture: FaceTexture | undefined;
}

async function chosen(
  mappings: ReturnType<typeof mappingsIn>,
): Promise<Result<TextureChoice, ProjectError>> {
  const mapped: MappedFace[] = [];
  for (const { original, newFace } of mappings) {
    const source = await faceOf(original);
    if (!source.ok) return source;
    const texture = await textureOf(newFace);
    if (!texture.ok) return texture;
    const { picture, face } = source.value;
    const who = face === undefined ? undefined : await describeFace(picture, face);
    mapped.push({ who, texture: texture.value });
  }
  return ok(async (picture, face) => {
    const descriptor = await describeFace(picture, face);
    let least = samePersonAgain;
    // Whoever is nobody that we know may be the one whose picture is not here.
    let texture = mapped.find(({ who }) => who === undefined)?.texture;
    for (const one of mapped) {
      const distance = one.who === undefined ? least : descriptorDistance(one.who, descriptor);
      if (distance < least) [least, texture] = [distance, one.texture];
    }
    return texture;
  });
}

async function textureOf(
  newFace: RenderInput,
): Promise<Result<FaceTexture | undefined, ProjectError>> {
  const source = await faceOf(newFace);
  if (!source.ok) return source;
  const { picture, face } = source.value;
  return ok(face === undefined ? undefined : faceTextureOf(picture, face));
}

/** The list of codes for clips (interface.md, Events) has none for a face that is missing. */
async function faceOf(input: RenderInput): Promise<Result<SourceFace, ProjectError>> {
  const source = await sourceFaceIn(input);
  if (source.ok || source.error.code !== 'no_source_face') return source;
  return err({ code: 'invalid_parameters', message: source.error.message });
}
