// What falls or flies through a scene: snow, rain, sparks, bubbles. Each particle's way comes from its number and the
// time alone, so that any frame can be painted without the ones before it.

import { chanceOf } from '../../../contract/base/chance.ts';
import type { Picture } from '../../pictures/picture.ts';
import { packed } from '../../pictures/packed.ts';
import { type Colour, mixed } from '../../pictures/canvas.ts';

interface Weather {
  readonly words: RegExp;
  readonly colour: Colour;
  readonly count: number;
  /** Radius in shares of the shorter side, of the nearest. */
  readonly size: number;
  /** Heights of the picture a second; below zero it rises. */
  readonly speed: number;
  /** How far it drifts to the side, and how far it swings. */
  readonly wind: number;
  readonly swing: number;
  /** How much longer than wide it is. */
  readonly length: number;
  readonly alpha: number;
}

const weathers: readonly Weather[] = [
  {
    words: /snow|blizzard|winter|christmas/,
    colour: [255, 255, 255],
    count: 170,
    size: 0.011,
    speed: 0.24,
    wind: 0.05,
    swing: 0.02,
    length: 1,
    alpha: 0.85,
  },
  {
    words: /\brain|storm|downpour|monsoon/,
    colour: [200, 215, 235],
    count: 220,
    size: 0.0032,
    speed: 1.7,
    wind: 0.12,
    swing: 0,
    length: 16,
    alpha: 0.4,
  },
  {
    words: /\bfire|spark|ember|lava|firework|explo/,
    colour: [255, 170, 60],
    count: 90,
    size: 0.007,
    speed: -0.3,
    wind: 0.04,
    swing: 0.03,
    length: 1.4,
    alpha: 0.9,
  },
  {
    words: /underwater|bubble|\bsea bed/,
    colour: [210, 240, 255],
    count: 60,
    size: 0.012,
    speed: -0.18,
    wind: 0,
    swing: 0.02,
    length: 1,
    alpha: 0.45,
  },
  {
    words: /leaves|autumn|petal|confetti|blossom/,
    colour: [235, 120, 50],
    count: 70,
    size: 0.011,
    speed: 0.2,
    wind: 0.12,
    swing: 0.05,
    length: 0.6,
    alpha: 0.9,
  },
  {
    words: /firefl|magic|sparkl|fairy|glitter|stars/,
    colour: [255, 246, 190],
    count: 80,
    size: 0.006,
    speed: -0.04,
    wind: 0.02,
    swing: 0.04,
    length: 1,
    alpha: 0.9,
  },
];

/** Paints on a picture at a time in seconds. */
export type Painting = (picture: Picture, time: number) => void;

/** Undefined: the words speak of no weather. */
export function weatherOf(words: string, seed: number): Painting | undefined {
  const text = words.toLowerCase();
  const weather = weathers.find(({ words: pattern }) => pattern.test(text));
  return weather === undefined ? undefined : (picture, time) => paint(picture, time, weather, seed);
}

function paint(picture: Picture, time: number, weather: Weather, seed: number): void {
  const { width, height } = picture;
  const { count, size, speed, wind, swing, colour, alpha, length } = weather;
  const small = Math.min(width, height);
  const tint = (colour[0] | (colour[1] << 8) | (colour[2] << 16) | 0xff000000) >>> 0;
  const pixels = packed(picture);
  for (let number = 0; number < count; number++) {
    const chance = chanceOf(seed, number);
    // Far ones are small, slow and pale.
    const near = 0.35 + 0.65 * chance();
    const radius = Math.max(0.6, size * small * near);
    const wave = Math.sin(time * (1 + chance()) * 2 + chance() * 7) * swing;
    const across = chance() + wind * near * time + wave;
    const down = chance() + speed * near * time;
    const x = (across - Math.floor(across)) * width;
    const y = (down - Math.floor(down)) * (height + 4 * radius * length) - 2 * radius * length;
    dab(pixels, picture, x, y, radius, radius * length, tint, alpha * near);
  }
}

/** A soft oval. */
function dab(
  pixels: Uint32Array,
  { width, height }: Picture,
  x: number,
  y: number,
  wide: number,
  high: number,
  colour: number,
  alpha: number,
): void {
  const lastY = Math.min(height - 1, Math.ceil(y + high));
  const lastX = Math.min(width - 1, Math.ceil(x + wide));
  for (let row = Math.max(0, Math.floor(y - high)); row <= lastY; row++)
    for (let column = Math.max(0, Math.floor(x - wide)); column <= lastX; column++) {
      const off = ((column - x) / wide) ** 2 + ((row - y) / high) ** 2;
      if (off >= 1) continue;
      const at = row * width + column;
      const share = Math.round(256 * alpha * Math.min(1, (1 - off) * 1.6));
      pixels[at] = mixed(pixels[at] ?? 0, colour, share);
    }
}
