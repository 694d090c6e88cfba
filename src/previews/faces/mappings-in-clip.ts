// Who gets which face in a clip: all the same one, or those that a mapping names another's, told by who they are.
import type { ProjectError } from '../../contract/api/project.ts';
import { fieldOf } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { RenderInput, RenderRequest } from '../base/request.ts';
import { describeFace } from './find.ts';
import { type Lender, lenderOf } from './source-face.ts';
import { type Likeness, likenessOf } from './face-texture.ts';
import { apart, samePersonAgain } from './match.ts';
import { mappingsIn } from '../tools/face-swap-photo.ts';
import type { Choice } from './track.ts';

export async function choiceOf({
  body,
  inputs,
}: Pick<RenderRequest, 'body' | 'inputs'>): Promise<Result<Choice, ProjectError>> {
  const named = new Map(inputs.map((input) => [input.field, input]));
  const giver = named.get('assets.image_file_path');
  const mode = fieldOf(body, 'assets.face_swap_mode');
  const mappings = mappingsIn(named);
  if (giver === undefined || (mode === 'individual-faces' && mappings.length > 0))
    return chosen(mappings);
  const mask = await maskOf(giver);
  return mask.ok ? ok(() => Promise.resolve(mask.value)) : mask;
}

interface Mapped {
  /** Undefined: the picture of the one who is meant is not here. */
  readonly who: Float32Array | undefined;
  readonly mask: Likeness | undefined;
}

async function chosen(
  mappings: ReturnType<typeof mappingsIn>,
): Promise<Result<Choice, ProjectError>> {
  const mapped: Mapped[] = [];
  for (const { original, giver } of mappings) {
    const lender = await lentBy(original);
    if (!lender.ok) return lender;
    const mask = await maskOf(giver);
    if (!mask.ok) return mask;
    const { picture, face } = lender.value;
    const who = face === undefined ? undefined : await describeFace(picture, face);
    mapped.push({ who, mask: mask.value });
  }
  return ok(async (picture, face) => {
    const descriptor = await describeFace(picture, face);
    let least = samePersonAgain;
    // Whoever is nobody that we know may be the one whose picture is not here.
    let mask = mapped.find(({ who }) => who === undefined)?.mask;
    for (const one of mapped) {
      const distance = one.who === undefined ? least : apart(one.who, descriptor);
      if (distance < least) [least, mask] = [distance, one.mask];
    }
    return mask;
  });
}

async function maskOf(giver: RenderInput): Promise<Result<Likeness | undefined, ProjectError>> {
  const lender = await lentBy(giver);
  if (!lender.ok) return lender;
  const { picture, face } = lender.value;
  return ok(face === undefined ? undefined : likenessOf(picture, face));
}

/** The list of codes for clips (interface.md, Events) has none for a face that is missing. */
async function lentBy(input: RenderInput): Promise<Result<Lender, ProjectError>> {
  const lender = await lenderOf(input);
  if (lender.ok || lender.error.code !== 'no_source_face') return lender;
  return err({ code: 'invalid_parameters', message: lender.error.message });
}
