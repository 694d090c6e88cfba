// The video tools. With a clip among the inputs, the output is that clip, byte for byte, in its own container;
// without one, a moving picture made from the picture that was given, or from the words. Both are limits of the
// rehearsal: nothing here can decode or encode video.
import { constants } from 'node:fs';
import { copyFile, link } from 'node:fs/promises';
import { join } from 'node:path';
import { extensionOf } from '../../contract/api/asset.ts';
import { clipOf } from '../../contract/api/clip.ts';
import { ok } from '../../contract/base/result.ts';
import { card } from '../pictures/card.ts';
import { withInsets } from '../insets.ts';
import { keyOf, wordsOf } from '../base/key.ts';
import { marked } from '../pictures/mark.ts';
import type { Picture } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';
import { animate } from './motion.ts';

export async function renderClip(request: RenderRequest): Promise<RenderOutcome> {
  const { tool, body, inputs, folder } = request;
  const pictures: Picture[] = [];
  const isPicture = ({ media, file }: RenderInput): boolean =>
    // A clip that is somebody else's URL is not fetched: its card stands for it.
    media === 'image' || (media === 'video' && file === undefined);
  for (const input of inputs.filter(isPicture)) {
    const picture = await readPicture(input);
    if (!picture.ok) return picture;
    pictures.push(picture.value);
  }
  const clip = inputs.find(({ media, file }) => media === 'video' && file !== undefined)?.file;
  if (clip !== undefined) {
    const name = `0.${extensionOf(clip)}`;
    await place(clip, join(folder, name));
    return ok([{ name }]);
  }
  const key = keyOf(request);
  const [first, ...others] = pictures;
  const base =
    first === undefined ? await card(wordsOf(request), key) : await withInsets(first, others);
  const stamped = await marked(base, tool.name, key);
  const { fps: _, ...file } = await animate(stamped, clipOf(body).seconds, folder, '0.webp');
  return ok([file]);
}

/** The same bytes under another name. Stored files are replaced, never changed, so one copy can serve both. */
async function place(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_FICLONE));
}
