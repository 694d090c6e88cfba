// One of several people in a cut-out: who stands beside a known head is faded out.
import type { Picture } from '../../pictures/picture.ts';
import type { Box } from './figure.ts';

/** Half the widths, in head widths, that a person may have: around the head, and from the shoulders down. */
const headHalf = 1;
const bodyHalf = 1.75;
/** Over how much the rest fades out, in head widths. */
const softness = 0.25;

export function onePerson(picture: Picture, head: Box): Picture {
  const pixels = Buffer.from(picture.pixels);
  const middle = head.left + head.width / 2;
  for (let y = 0; y < picture.height; y++) {
    const half = head.width * halfAt((y - head.top) / head.height);
    for (let x = 0; x < picture.width; x++) {
      const beyond = (Math.abs(x - middle) - half) / (head.width * softness);
      const at = (y * picture.width + x) * 4 + 3;
      if (beyond > 0) pixels[at] = (pixels[at] ?? 0) * Math.max(0, 1 - beyond);
    }
  }
  return { ...picture, pixels };
}

/** `down` is 0 at the top of the head and 1 at the chin. */
function halfAt(down: number): number {
  const above = (0.4 - down) / 0.75;
  if (above >= 1) return -softness;
  if (above > 0) return headHalf * Math.sqrt(1 - above * above);
  return headHalf + (bodyHalf - headHalf) * Math.max(0, Math.min(1, (down - 0.75) / 0.5));
}
