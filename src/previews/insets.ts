// The inputs beside the main one, as small pictures in its corner: what was given is seen to have been given.
import { layer, type Picture, pictureOf, sharpOf } from './pictures/picture.ts';

/** The side of an inset in pixels: no longer than the picture's own sides. */
export function insetSide({ width, height }: Picture): number {
  const shorter = Math.min(width, height);
  return Math.min(shorter, Math.max(16, Math.round(shorter / 4)));
}

/** A column of small pictures from the upper right corner down, as far as there is room. */
export async function withInsets(base: Picture, insets: readonly Picture[]): Promise<Picture> {
  if (insets.length === 0) return base;
  const side = insetSide(base);
  const gap = Math.max(1, Math.round(side / 16));
  const rows = Math.max(1, Math.floor((base.height * 0.85) / (side + gap)));
  const layers = await Promise.all(
    insets.slice(0, rows).map(async (inset, row) => {
      const small = await pictureOf(sharpOf(inset).resize(side, side, { fit: 'cover' }));
      const left = Math.max(0, base.width - side - gap);
      return layer(small, left, gap + row * (side + gap));
    }),
  );
  return pictureOf(sharpOf(base).composite(layers));
}
