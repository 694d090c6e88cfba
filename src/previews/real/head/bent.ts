// Bends part of a picture: each pixel is fetched from where a map says, and the map is asked on a grid only, since it is
// smooth and asking takes long.

import type { Picture } from '../../pictures/picture.ts';
import type { Warp } from '../../faces/spline.ts';
import { packed } from '../../pictures/packed.ts';
import type { Box } from '../photo/figure.ts';
import { copyOf } from '../../pictures/canvas.ts';
import { sampled } from '../../pictures/sampling.ts';

/** A copy in which each pixel of the box comes from where `source` says; outside it is as it was. */
export function bent(picture: Picture, box: Box, step: number, source: Warp): Picture {
  const { width, height } = picture;
  const left = Math.max(0, Math.floor(box.left));
  const top = Math.max(0, Math.floor(box.top));
  const right = Math.min(width, Math.ceil(box.left + box.width));
  const bottom = Math.min(height, Math.ceil(box.top + box.height));
  const to = copyOf(picture);
  if (right <= left || bottom <= top) return to;
  const columns = Math.ceil((right - left) / step) + 2;
  const rows = Math.ceil((bottom - top) / step) + 2;
  // How far away each node's colour comes from.
  const offsets = new Float32Array(columns * rows * 2);
  for (let node = 0; node < columns * rows; node++) {
    const x = left + (node % columns) * step;
    const y = top + Math.floor(node / columns) * step;
    const from = source(x, y);
    offsets[node * 2] = from.x - x;
    offsets[node * 2 + 1] = from.y - y;
  }
  const pixels = packed(picture);
  const painted = packed(to);
  for (let y = top; y < bottom; y++) {
    const row = Math.floor((y - top) / step);
    const south = (y - top) / step - row;
    for (let x = left; x < right; x++) {
      const column = Math.floor((x - left) / step);
      const east = (x - left) / step - column;
      const at = (row * columns + column) * 2;
      const below = at + columns * 2;
      const between = (axis: 0 | 1): number => {
        const upper = (offsets[at + axis] ?? 0) * (1 - east) + (offsets[at + 2 + axis] ?? 0) * east;
        const lower =
          (offsets[below + axis] ?? 0) * (1 - east) + (offsets[below + 2 + axis] ?? 0) * east;
        return upper * (1 - south) + lower * south;
      };
      const [dx, dy] = [between(0), between(1)];
      if (Math.abs(dx) + Math.abs(dy) < 0.02) continue;
      painted[y * width + x] = sampled(pixels, width, height, x + dx, y + dy);
    }
  }
  return to;
}
