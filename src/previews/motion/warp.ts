// A still that moves as somebody in a clip does: its figure is pulled along, its edges stay where they are.
import type { Picture } from '../pictures/picture.ts';
import type { Box } from '../matte/box.ts';

export interface Pull {
  /** Pixels. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** Radians clockwise. */
  readonly tilt: number;
}

/** How much of the pull is left at the lower edge, where figures go on out of the picture. */
const grounded = 0.25;
/** Over how much of its height. */
const ground = 0.35;

/**
 * Gives the function that renders the still under a pull, which fades towards the edges over `fade`, in parts of the frame:
 * where the background is plain it may go with the figure as it likes.
 */
export function swayOf(still: Picture, figure: Box, fade: number): (pull: Pull) => Picture {
  const { pixels: from, width, height } = still;
  const weights = weightsOf(still, figure, fade);
  const foot = { x: figure.x, y: figure.y + figure.height / 2 };
  return ({ x: dx, y: dy, scale, tilt }) => {
    const [cosine, sine] = [Math.cos(tilt) / scale, Math.sin(tilt) / scale];
    const pixels = Buffer.allocUnsafe(from.length);
    for (let y = 0, i = 0; y < height; y++)
      for (let x = 0; x < width; x++, i++) {
        const weight = weights[i] ?? 0;
        const [rx, ry] = [x - foot.x - dx, y - foot.y - dy];
        const u = x + (foot.x + rx * cosine + ry * sine - x) * weight;
        const v = y + (foot.y - rx * sine + ry * cosine - y) * weight;
        sample(pixels, i * 4, from, width, height, u, v);
      }
    return { pixels, width, height };
  };
}

/** How much of the pull each pixel follows. */
function weightsOf({ width, height }: Picture, figure: Box, fade: number): Float32Array {
  const weights = new Float32Array(width * height);
  const ease = (part: number): number => {
    const inside = Math.max(0, Math.min(1, part));
    return inside * inside * (3 - 2 * inside);
  };
  for (let y = 0, i = 0; y < height; y++) {
    const upper = ease(y / (height * fade));
    const lower = grounded + (1 - grounded) * ease((height - y) / (height * ground));
    for (let x = 0; x < width; x++, i++) {
      const side = ease(Math.min(x, width - 1 - x) / (width * fade));
      const off = Math.max(0, Math.abs(x - figure.x) / (figure.width * 0.5) - 0.8);
      weights[i] = side * upper * lower * Math.exp(-off * off);
    }
  }
  return weights;
}

/** What lies between four pixels. */
function sample(
  to: Buffer,
  at: number,
  from: Buffer,
  width: number,
  height: number,
  u: number,
  v: number,
): void {
  const column = Math.max(0, Math.min(width - 2, Math.floor(u)));
  const row = Math.max(0, Math.min(height - 2, Math.floor(v)));
  const right = Math.max(0, Math.min(1, u - column));
  const low = Math.max(0, Math.min(1, v - row));
  const a = (row * width + column) * 4;
  const b = a + width * 4;
  for (let i = 0; i < 4; i++) {
    const above = (from[a + i] ?? 0) * (1 - right) + (from[a + 4 + i] ?? 0) * right;
    const below = (from[b + i] ?? 0) * (1 - right) + (from[b + 4 + i] ?? 0) * right;
    to[at + i] = above * (1 - low) + below * low + 0.5;
  }
}
