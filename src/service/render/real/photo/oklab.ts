// Pictures in Oklab, where equal distances look equally far: colours are compared, shifted and put together here,
// never in RGB.
import type { Picture } from '../../picture.ts';

/** A picture as three planes: `lightness` 0 to 1, `a` green to red, `b` blue to yellow, both about -0.3 to 0.3. */
export interface Lab {
  readonly lightness: Float32Array;
  readonly a: Float32Array;
  readonly b: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** How finely the curves are kept as tables. */
const steps = 4095;

const linear = Float32Array.from({ length: 256 }, (_, byte) => {
  const value = byte / 255;
  return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
});
const root = Float32Array.from({ length: steps + 1 }, (_, step) => Math.cbrt(step / steps));
const encoded = Uint8Array.from({ length: steps + 1 }, (_, step) => {
  const value = step / steps;
  return Math.round(
    255 * (value <= 0.003_130_8 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055),
  );
});

const rooted = (value: number): number => root[Math.round(value * steps)] ?? 1;
const byteOf = (value: number): number =>
  encoded[value <= 0 ? 0 : value >= 1 ? steps : Math.round(value * steps)] ?? 0;

export function labOf({ pixels, width, height }: Picture): Lab {
  const size = width * height;
  const lightness = new Float32Array(size);
  const a = new Float32Array(size);
  const b = new Float32Array(size);
  for (let i = 0; i < size; i++) {
    const red = linear[pixels[i * 4] ?? 0] ?? 0;
    const green = linear[pixels[i * 4 + 1] ?? 0] ?? 0;
    const blue = linear[pixels[i * 4 + 2] ?? 0] ?? 0;
    const l = rooted(0.412_221_47 * red + 0.536_332_54 * green + 0.051_445_99 * blue);
    const m = rooted(0.211_903_5 * red + 0.680_699_55 * green + 0.107_396_96 * blue);
    const s = rooted(0.088_302_46 * red + 0.281_718_84 * green + 0.629_978_7 * blue);
    lightness[i] = 0.210_454_26 * l + 0.793_617_79 * m - 0.004_072_05 * s;
    a[i] = 1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s;
    b[i] = 0.025_904_04 * l + 0.782_771_77 * m - 0.808_675_77 * s;
  }
  return { lightness, a, b, width, height };
}

/** Writes a colour at `at` of RGBA bytes; the alpha there stays. */
export function putLab(pixels: Uint8Array, at: number, light: number, a: number, b: number): void {
  const l = (light + 0.396_337_78 * a + 0.215_803_76 * b) ** 3;
  const m = (light - 0.105_561_35 * a - 0.063_854_17 * b) ** 3;
  const s = (light - 0.089_484_18 * a - 1.291_485_5 * b) ** 3;
  pixels[at] = byteOf(4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s);
  pixels[at + 1] = byteOf(-1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s);
  pixels[at + 2] = byteOf(-0.004_196_09 * l - 0.703_418_6 * m + 1.707_614_7 * s);
}
