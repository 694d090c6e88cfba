// The picture of a clip: a frame from its first second, where the video library is installed.
import type { Sharp } from 'sharp';
import { systemCode } from '../../../contract/files/system-error.ts';

/** At this time a clip has begun, and seldom is still black; in seconds. */
const moment = 0.5;

/** Undefined without the library, and for a file that is no clip. */
export async function posterOf(file: string, side: number): Promise<Sharp | undefined> {
  try {
    const { openClip } = await import('../../../previews/clips/open.ts');
    const { sharpOf } = await import('../../../previews/pictures/picture.ts');
    const nameless = { field: 'clip', reference: 'clip', face: undefined, faces: [] };
    const opened = await openClip({ file, media: 'video', ...nameless });
    if (!opened.ok) return undefined;
    const { facts } = opened.value;
    const scale = Math.min(1, side / Math.max(facts.width, facts.height));
    const size = {
      width: Math.max(1, Math.round(facts.width * scale)),
      height: Math.max(1, Math.round(facts.height * scale)),
    };
    const start = Math.min(moment, facts.seconds / 2);
    const frames = opened.value.frames({ start, end: start + 0.5, fps: 2, ...size });
    const { value, done } = await frames.next();
    await opened.value.close();
    return done === true ? undefined : sharpOf(value);
  } catch (error) {
    if (systemCode(error) === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
