// A camera over a still: which part of it a frame shows. It moves by parts of a pixel, which is why it samples the
// still itself: cutting out whole pixels makes a slow move jump.

import sharp from 'sharp';
import { type Picture, pictureOf, sharpOf } from '../../pictures/picture.ts';
import { packed } from '../../pictures/packed.ts';
import { blank, type FrameSize, mixed } from '../../pictures/canvas.ts';

export interface View {
  /** 1: the still just covers the frame; 2: half of it is seen. */
  readonly zoom: number;
  /** How far the centre is moved, in widths and heights of the frame. */
  readonly x: number;
  readonly y: number;
  /** Clockwise, in radians. */
  readonly turn: number;
}

/** How much larger than the frame a still is kept, so that a camera that goes near it finds detail. */
const detail = 1.2;

/** A picture made ready for the camera: it covers the frame, is opaque, and a little larger. */
export function stillFor(picture: Picture, { width, height }: FrameSize): Promise<Picture> {
  return pictureOf(
    sharpOf(picture)
      .flatten({ background: '#101018' })
      .resize(Math.round(width * detail), Math.round(height * detail), {
        fit: 'cover',
        position: sharp.strategy.attention,
      }),
  );
}

/** What the camera sees. Beyond the still's edges it goes on as in a mirror. */
export function seen(still: Picture, view: View, size: FrameSize): Picture {
  const frame = blank(size);
  const { width, height } = size;
  const scale = Math.min(still.width / width, still.height / height) / view.zoom;
  // 16.16 fixed point: one step to the right in the frame is (dx, dy) in the still.
  const dx = Math.round(Math.cos(view.turn) * scale * 65_536);
  const dy = Math.round(Math.sin(view.turn) * scale * 65_536);
  const left =
    ((still.width - 1) / 2 + view.x * width * scale) * 65_536 -
    (dx * (width - 1) - dy * (height - 1)) / 2;
  const top =
    ((still.height - 1) / 2 + view.y * height * scale) * 65_536 -
    (dy * (width - 1) + dx * (height - 1)) / 2;
  const within = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < (still.width - 1) * 65_536 && y < (still.height - 1) * 65_536;
  const across = dx * (width - 1);
  const down = dy * (width - 1);
  const inside =
    within(left, top) &&
    within(left + across, top + down) &&
    within(left - dy * (height - 1), top + dx * (height - 1)) &&
    within(left + across - dy * (height - 1), top + down + dx * (height - 1));
  const from = packed(still);
  const to = packed(frame);
  const folded = inside ? undefined : foldsOf(still);
  let at = 0;
  for (let row = 0; row < height; row++) {
    let x = Math.round(left - dy * row);
    let y = Math.round(top + dx * row);
    for (let column = 0; column < width; column++, x += dx, y += dy) {
      const corner = folded === undefined ? (y >> 16) * still.width + (x >> 16) : folded(x, y);
      const u = (x >>> 8) & 255;
      const v = (y >>> 8) & 255;
      const upper = mixed(from[corner] ?? 0, from[corner + 1] ?? 0, u);
      const lower = mixed(from[corner + still.width] ?? 0, from[corner + still.width + 1] ?? 0, u);
      to[at++] = mixed(upper, lower, v);
    }
  }
  return frame;
}

/** Where in the still a place beyond its edges is, mirrored back inside. */
function foldsOf({ width, height }: FrameSize): (x: number, y: number) => number {
  const fold = (place: number, length: number): number => {
    const last = length - 2;
    const period = Math.max(1, 2 * last);
    const within = (((place >> 16) % period) + period) % period;
    return within > last ? period - within : within;
  };
  return (x, y) => fold(y, height) * width + fold(x, width);
}
