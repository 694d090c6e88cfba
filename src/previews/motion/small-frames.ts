// A clip in small frames: large enough to find its subject, small enough to keep all frames in memory.
import type { Clip, Span } from '../clips/open.ts';
import type { Picture } from '../pictures/picture.ts';

/** Pixels of the longer side. */
const longer = 200;
/** The most frames: a longer clip has fewer of them per second. */
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

/** The brightness of each pixel. */
export function lightOf({ pixels, width, height }: Picture): Uint8Array {
  const light = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < light.length; i++, at += 4)
    light[i] =
      ((pixels[at] ?? 0) * 77 + (pixels[at + 1] ?? 0) * 150 + (pixels[at + 2] ?? 0) * 29) >> 8;
  return light;
}
