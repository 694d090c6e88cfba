// The inputs beside the main one, as small pictures in its corner: what was given is seen to have been given.
import { layer, type Picture, pictureOf, sharpOf } from './picture.ts';

/** The side of an inset in pixels. */
export const insetSide = ({ width, height }: Picture): number =>
  Math.max(16, Math.round(Math.min(width, height) / 4));

/** A column of small pictures from the upper right corner down, as far as there is room. */
export async function withInsets(base: Picture, insets: readonly Picture[]): Promise<Picture> {
  if (insets.length === 0) return base;
  const side = insetSide(base);
  const gap = Math.max(1, Math.round(side / 16));
  const rows = Math.max(1, Math.floor((base.height * 0.85) / (side + gap)));
  const layers = await Promise.all(
    insets.slice(0, rows).map(async (inset, row) => {
      const small = await pictureOf(sharpOf(inset).resize(side, side, { fit: 'cover' }));
      return layer(small, base.width - side - gap, gap + row * (side + gap));
    }),
  );
  return pictureOf(sharpOf(base).composite(layers));
}
