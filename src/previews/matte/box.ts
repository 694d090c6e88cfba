// A box around something in a frame.

/** In pixels, or as shares of a frame. */
export interface Box {
  /** The middle. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Interpolates between two boxes: the first at 0, the second at 1. */
export function mixed(a: Box, b: Box, part: number): Box {
  const mix = (from: number, to: number): number => from + (to - from) * part;
  return {
    x: mix(a.x, b.x),
    y: mix(a.y, b.y),
    width: mix(a.width, b.width),
    height: mix(a.height, b.height),
  };
}
