// Oklab: colours as the eye measures them, lightness apart from hue (Björn Ottosson, 2020). L is 0 to 1, a and b are
// about -0.4 to 0.4.

/** A light's share of full light, by its sRGB byte. */
const lightOf = Float32Array.from({ length: 256 }, (_, byte) => {
  const share = byte / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

const steps = 4095;
const byteOf = Uint8Array.from({ length: steps + 1 }, (_, step) => {
  const light = step / steps;
  const share = light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
  return Math.round(share * 255);
});

/** Writes the Oklab of an sRGB colour (bytes) at `at`. */
export function toOklab(
  red: number,
  green: number,
  blue: number,
  into: Float32Array,
  at: number,
): void {
  const r = lightOf[red] ?? 0;
  const g = lightOf[green] ?? 0;
  const b = lightOf[blue] ?? 0;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  into[at] = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  into[at + 1] = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  into[at + 2] = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
}

/** Lays an Oklab colour over the sRGB pixel at `at`, `share` of it (0 to 1). */
export function layOklab(
  lightness: number,
  a: number,
  b: number,
  share: number,
  pixels: Uint8Array,
  at: number,
): void {
  const l = cubed(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const m = cubed(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const s = cubed(lightness - 0.0894841775 * a - 1.291485548 * b);
  lay(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, share, pixels, at);
  lay(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, share, pixels, at + 1);
  lay(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s, share, pixels, at + 2);
}

const cubed = (value: number): number => value * value * value;

function lay(light: number, share: number, pixels: Uint8Array, at: number): void {
  const byte = byteOf[(Math.min(1, Math.max(0, light)) * steps + 0.5) | 0] ?? 0;
  const under = pixels[at] ?? 0;
  pixels[at] = (under + (byte - under) * share + 0.5) | 0;
}
