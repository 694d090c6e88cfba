// The renderer of stand-ins, on the thread of whoever asks.
import { extensionOf, mediaTypeOf } from '../../contract/api/asset.ts';
import { ok } from '../../contract/base/result.ts';
import { DecodeBudget } from '../base/decode-budget.ts';
import { decodingWithin, usualDecodeBytes } from '../base/decode-memory.ts';
import { pixelsOf, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import type { FaceAnswer, FaceQuestion, FoundFace, Renderer } from '../base/renderer.ts';
import { guessFace } from '../plain/faces.ts';
import { renderPlainly } from './stand-in.ts';

export function openPlainRenderer(decodeBytes = usualDecodeBytes): Renderer {
  const budget = new DecodeBudget(decodeBytes);
  async function within<T>(work: () => Promise<T>): Promise<T> {
    const holder = budget.holder();
    try {
      return await decodingWithin(holder, work);
    } finally {
      holder.close();
    }
  }
  return {
    render: (request) => within(() => renderPlainly(request)),
    findFaces: (question, tell) => within(() => guessFaces(question, tell)),
    close: async () => {},
  };
}

/** Exactly one face in every picture, and none in a clip, which is not decoded. */
export async function guessFaces(
  { input }: FaceQuestion,
  tell: (face: FoundFace) => Promise<void>,
): Promise<FaceAnswer> {
  // Nothing of somebody else's URL is fetched.
  if (input.file === undefined || mediaTypeOf(extensionOf(input.file)) !== 'image')
    return ok(undefined);
  const picture = await readPicture(input);
  if (!picture.ok) return picture;
  const region = await guessFace(picture.value);
  const crop = await sharpOf(picture.value)
    .extract(pixelsOf(region, picture.value))
    .png({ compressionLevel: 2 })
    .toBuffer();
  await tell({ name: '0-0.png', crop, region });
  return ok(undefined);
}
