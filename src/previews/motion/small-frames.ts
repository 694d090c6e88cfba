// A clip looked at in small: enough to see where its subject is, little enough to be held as a whole.

import type { Clip, Span } from '../clips/open.ts';
import type { Picture } from '../pictures/picture.ts';

/** Pixels of the longer side. */
const longer = 200;
/** So many frames at most: a longer clip is looked at less often. */
const mostFrames = 240;

export interface SmallFrames {
  readonly width: number;
  readonly height: number;
  /** Frames a second. */
  readonly fps: number;
  readonly frames: readonly Picture[];
}

export async function smallFramesOf(clip: Clip, { start, end }: Span): Promise<SmallFrames> {
  const { facts } = clip;
  const scale = longer / Math.max(facts.width, facts.height);
  const width = Math.max(8, Math.round(facts.width * scale));
  const height = Math.max(8, Math.round(facts.height * scale));
  const fps = Math.min(facts.fps, 30, mostFrames / (end - start));
  const frames: Picture[] = [];
  for await (const frame of clip.frames({ start, end, width, height, fps })) frames.push(frame);
  return { width, height, fps, frames };
}

/** How light each pixel is. */
export function lightOf({ pixels, width, height }: Picture): Uint8Array {
  const light = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < light.length; i++, at += 4)
    light[i] =
      ((pixels[at] ?? 0) * 77 + (pixels[at + 1] ?? 0) * 150 + (pixels[at + 2] ?? 0) * 29) >> 8;
  return light;
}
