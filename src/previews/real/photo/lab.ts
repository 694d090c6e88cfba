// Pictures in Oklab, where equal distances look equally far: colours are compared, shifted and put together here,
// never in RGB.
import type { Picture } from '../../pictures/picture.ts';
import { layOklab, toOklab } from '../../pictures/oklab.ts';

/** A picture as three planes: `lightness` 0 to 1, `a` green to red, `b` blue to yellow, both about -0.3 to 0.3. */
export interface Lab {
  readonly lightness: Float32Array;
  readonly a: Float32Array;
  readonly b: Float32Array;
  readonly width: number;
  readonly height: number;
}

export function labOf({ pixels, width, height }: Picture): Lab {
  const size = width * height;
  const lightness = new Float32Array(size);
  const a = new Float32Array(size);
  const b = new Float32Array(size);
  const colour = new Float32Array(3);
  for (let i = 0, at = 0; i < size; i++, at += 4) {
    toOklab(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, colour, 0);
    lightness[i] = colour[0] ?? 0;
    a[i] = colour[1] ?? 0;
    b[i] = colour[2] ?? 0;
  }
  return { lightness, a, b, width, height };
}

/** Writes a colour at `at` of RGBA bytes; the alpha there stays. */
export function putLab(pixels: Uint8Array, at: number, light: number, a: number, b: number): void {
  layOklab(light, a, b, 1, pixels, at);
}
