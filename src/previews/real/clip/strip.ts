// The rehearsal strip on the frames of a clip: blended in place, since there are many.
import type { Picture } from '../../pictures/picture.ts';

/** Paints an opaque-enough strip over the lower edge of a picture of its width. */
export function layStrip({ pixels, width, height }: Picture, strip: Picture): void {
  const start = width * (height - strip.height) * 4;
  for (let i = 0; i < strip.pixels.length; i += 4) {
    const alpha = strip.pixels[i + 3] ?? 0;
    const at = start + i;
    for (let channel = 0; channel < 3; channel++) {
      const below = pixels[at + channel] ?? 0;
      const above = strip.pixels[i + channel] ?? 0;
      pixels[at + channel] = Math.round(below + ((above - below) * alpha) / 255);
    }
    pixels[at + 3] = Math.max(alpha, pixels[at + 3] ?? 0);
  }
}
