// Gives pictures a look (look.ts). All that is slow is done at half size; the one loop over whole frames only looks
// things up in tables that are made once for a clip.

import type { Picture } from '../../pictures/picture.ts';
import { packed } from '../../pictures/packed.ts';
import { blank, type Colour, type FrameSize, mixed } from '../../pictures/canvas.ts';
import type { Look } from './look.ts';
import { type Smoothing, smoothingOf } from './smoothing.ts';
import { textureOf, textureSide } from './texture.ts';

/** Makes a new picture of each; they all have one size. */
export type Restyling = (picture: Picture) => Picture;

export function restylingOf(look: Look, size: FrameSize): Restyling {
  const tables = tablesOf(look, size);
  const needsHalf = look.smooth > 0 || look.edge.strength > 0;
  const small = { width: (size.width + 1) >> 1, height: (size.height + 1) >> 1 };
  const smoothing = look.smooth > 0 ? smoothingOf(small, look.smooth) : undefined;
  const side =
    look.squares === 0
      ? 0
      : Math.max(2, Math.round(Math.min(size.width, size.height) / look.squares));
  return (picture) => {
    const base = side > 0 ? squared(picture, side) : picture;
    const half = needsHalf ? halved(base, small) : undefined;
    if (half !== undefined) outline(half, !look.edge.shines);
    if (half !== undefined) smoothing?.(half.pixels);
    return coloured(base, half, smoothing, look, tables);
  };
}

interface Tables {
  /** By brightness: the brightness that it becomes. */
  readonly curve: Int32Array;
  /** By brightness: how far the channels go from it, in 256ths. */
  readonly chroma: Int32Array;
  /** By brightness: the palette's colour, packed. */
  readonly palette: Uint32Array;
  readonly texture: Int8Array;
  /** How much light is left at a row and a column, in 256ths. */
  readonly rows: Int32Array;
  readonly columns: Int32Array;
}

/** Colours of what is dark are not drawn out further than this: they are noise. */
const mostGain = 1.8;

function tablesOf(look: Look, { width, height }: FrameSize): Tables {
  const lights = Array.from({ length: 256 }, (_, light) => light / 255);
  const wanted = lights.map((light) => Math.min(1, Math.max(0, look.curve(light))));
  const gainAt = (light: number): number =>
    Math.min(mostGain, (wanted[light] ?? 0) / Math.max(0.02, light / 255));
  const left = (length: number): Int32Array =>
    Int32Array.from({ length }, (_, i) => {
      const off = (2 * i) / Math.max(1, length - 1) - 1;
      return Math.round(256 * (1 - look.vignette * 0.6 * off * off * Math.abs(off)));
    });
  return {
    curve: Int32Array.from(wanted, (light) => Math.round(light * 255)),
    chroma: Int32Array.from(lights, (_, light) =>
      Math.round(256 * look.saturation * gainAt(light)),
    ),
    palette: Uint32Array.from(wanted, (light) => paletteAt(look.palette, light)),
    texture: textureOf(look.texture, look.rough),
    rows: left(height),
    columns: left(width),
  };
}

function paletteAt(palette: readonly Colour[], share: number): number {
  const place = share * (palette.length - 1);
  const first = palette[Math.floor(place)] ?? [0, 0, 0];
  const second = palette[Math.ceil(place)] ?? first;
  return mixed(packedOf(first), packedOf(second), Math.round((place % 1) * 256));
}

const packedOf = ([red, green, blue]: Colour): number =>
  (red | (green << 8) | (blue << 16) | 0xff000000) >>> 0;

/** Half the size: the mean of each four pixels. */
function halved(picture: Picture, size: FrameSize): Picture {
  const half = blank(size);
  const from = packed(picture);
  const to = packed(half);
  for (let y = 0; y < size.height; y++) {
    const upper = 2 * y * picture.width;
    const lower = Math.min(picture.height - 1, 2 * y + 1) * picture.width;
    for (let x = 0; x < size.width; x++) {
      const next = Math.min(picture.width - 1, 2 * x + 1);
      const above = mixed(from[upper + 2 * x] ?? 0, from[upper + next] ?? 0, 128);
      const below = mixed(from[lower + 2 * x] ?? 0, from[lower + next] ?? 0, 128);
      to[y * size.width + x] = mixed(above, below, 128);
    }
  }
  return half;
}

/** Writes into alpha how strong an outline goes through each pixel; `thin` leaves only the middle of a line. */
function outline({ pixels, width, height }: Picture, thin: boolean): void {
  const light = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < light.length; i++, at += 4) {
    light[i] = ((pixels[at] ?? 0) + 2 * (pixels[at + 1] ?? 0) + (pixels[at + 2] ?? 0)) >> 2;
    pixels[at + 3] = 0;
  }
  const steep = new Int32Array(width * height);
  const upright = new Uint8Array(width * height);
  for (let y = 1; y < height - 1; y++)
    for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
      const a = light[at - width - 1] ?? 0;
      const b = light[at - width + 1] ?? 0;
      const c = light[at + width - 1] ?? 0;
      const d = light[at + width + 1] ?? 0;
      const across = Math.abs(b + d - a - c + 2 * ((light[at + 1] ?? 0) - (light[at - 1] ?? 0)));
      const down = Math.abs(
        c + d - a - b + 2 * ((light[at + width] ?? 0) - (light[at - width] ?? 0)),
      );
      steep[at] = across + down;
      upright[at] = across > down ? 1 : 0;
    }
  for (let at = width; at < steep.length - width; at++) {
    const found = steep[at] ?? 0;
    if (found <= faint) continue;
    const side = upright[at] === 1 ? 1 : width;
    if (thin && (found < (steep[at - side] ?? 0) || found < (steep[at + side] ?? 0))) continue;
    pixels[at * 4 + 3] = Math.min(255, found - faint);
  }
}

/** Steps of brightness that are no outline. */
const faint = 70;

/** The last step, over every pixel of the frame. */
function coloured(
  base: Picture,
  half: Picture | undefined,
  smoothing: Smoothing | undefined,
  look: Look,
  { curve, chroma, palette, texture, rows, columns }: Tables,
): Picture {
  const { width, height } = base;
  const result = blank(base);
  const out = new Uint8ClampedArray(result.pixels.buffer);
  const from = packed(base);
  const small = half === undefined ? undefined : packed(half);
  const smallWidth = half?.width ?? 0;
  const smallHeight = half?.height ?? 0;
  const tint = look.tint.map((share) => Math.round(share * 256));
  const [red, green, blue] = [tint[0] ?? 256, tint[1] ?? 256, tint[2] ?? 256];
  const toward = Math.round(look.toward * 256);
  const { colour: ink, strength, shines } = look.edge;
  const inked = Math.round(strength * 256);
  for (let y = 0; y < height; y++) {
    const above = Math.max(0, (y - 1) >> 1);
    const upper = above * smallWidth;
    const lower = Math.min(smallHeight - 1, above + 1) * smallWidth;
    const v = (y & 1) === 0 ? 192 : 64;
    const row = rows[y] ?? 256;
    const grain = (y % textureSide) * textureSide;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      let pixel = from[at] ?? 0;
      let edge = 0;
      if (small !== undefined) {
        const left = Math.max(0, (x - 1) >> 1);
        const right = Math.min(smallWidth - 1, left + 1);
        const u = (x & 1) === 0 ? 192 : 64;
        const soft = mixed(
          mixed(small[upper + left] ?? 0, small[upper + right] ?? 0, u),
          mixed(small[lower + left] ?? 0, small[lower + right] ?? 0, u),
          v,
        );
        edge = soft >>> 24;
        if (smoothing !== undefined) pixel = soft;
      }
      let r = pixel & 255;
      let g = (pixel >>> 8) & 255;
      let b = (pixel >>> 16) & 255;
      const light = (r + g + g + b) >> 2;
      const rough = light + (texture[grain + (x % textureSide)] ?? 0);
      const lit = rough < 0 ? 0 : rough > 255 ? 255 : rough;
      const grey = curve[lit] ?? 0;
      const gain = chroma[lit] ?? 256;
      r = Math.imul(grey + (Math.imul(r - light, gain) >> 8), red) >> 8;
      g = Math.imul(grey + (Math.imul(g - light, gain) >> 8), green) >> 8;
      b = Math.imul(grey + (Math.imul(b - light, gain) >> 8), blue) >> 8;
      if (toward > 0) {
        const drawn = palette[lit] ?? 0;
        r += Math.imul((drawn & 255) - r, toward) >> 8;
        g += Math.imul(((drawn >>> 8) & 255) - g, toward) >> 8;
        b += Math.imul(((drawn >>> 16) & 255) - b, toward) >> 8;
      }
      if (edge > 0 && inked > 0) {
        const share = Math.min(256, Math.imul(edge, inked) >> 8);
        r += Math.imul(shines ? ink[0] : ink[0] - r, share) >> 8;
        g += Math.imul(shines ? ink[1] : ink[1] - g, share) >> 8;
        b += Math.imul(shines ? ink[2] : ink[2] - b, share) >> 8;
      }
      const left = Math.imul(row, columns[x] ?? 256) >> 8;
      const to = at * 4;
      out[to] = Math.imul(r, left) >> 8;
      out[to + 1] = Math.imul(g, left) >> 8;
      out[to + 2] = Math.imul(b, left) >> 8;
      out[to + 3] = 255;
    }
  }
  return result;
}

/** Squares of one colour: the mean of what is in them. */
function squared(picture: Picture, side: number): Picture {
  const { width, height } = picture;
  const result = blank(picture);
  const from = picture.pixels;
  const to = packed(result);
  for (let top = 0; top < height; top += side)
    for (let left = 0; left < width; left += side) {
      const right = Math.min(width, left + side);
      const bottom = Math.min(height, top + side);
      const sum = [0, 0, 0];
      for (let channel = 0; channel < 3; channel++) {
        let total = 0;
        for (let y = top; y < bottom; y++)
          for (let x = left; x < right; x++) total += from[(y * width + x) * 4 + channel] ?? 0;
        sum[channel] = Math.round(total / ((right - left) * (bottom - top)));
      }
      const colour = packedOf([sum[0] ?? 0, sum[1] ?? 0, sum[2] ?? 0]);
      for (let y = top; y < bottom; y++) to.fill(colour, y * width + left, y * width + right);
    }
  return result;
}
