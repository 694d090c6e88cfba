// A part of a picture that may reach beyond its edges: what lies outside is transparent.
import { type Picture, pictureOf, sharpOf } from '../../pictures/picture.ts';
import type { Box } from './figure.ts';

export function cropped(picture: Picture, box: Box): Promise<Picture> {
  const left = Math.round(box.left);
  const top = Math.round(box.top);
  const width = Math.max(1, Math.round(box.width));
  const height = Math.max(1, Math.round(box.height));
  const from = { left: Math.max(0, left), top: Math.max(0, top) };
  const inside = {
    ...from,
    width: Math.min(picture.width, left + width) - from.left,
    height: Math.min(picture.height, top + height) - from.top,
  };
  if (inside.width < 1 || inside.height < 1)
    return Promise.resolve({ pixels: Buffer.alloc(width * height * 4), width, height });
  return pictureOf(
    sharpOf(picture)
      .extract(inside)
      .extend({
        left: inside.left - left,
        top: inside.top - top,
        right: left + width - inside.left - inside.width,
        bottom: top + height - inside.top - inside.height,
        background: { r: 0, g: 0, b: 0, alpha: 0 },
      }),
  );
}
