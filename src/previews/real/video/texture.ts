// The surface that a look is drawn on: a small tile of brightness, laid over the whole picture.
import { chanceOf } from '../../../contract/base/chance.ts';
import type { Texture } from './look.ts';

/** The tile's side in pixels; the patterns repeat within it. */
export const textureSide = 64;

/** How much brighter or darker each of the tile's pixels makes what it lies on. */
export function textureOf(texture: Texture, rough: number): Int8Array {
  const chance = chanceOf(1, 1);
  const noise = Float32Array.from({ length: textureSide * textureSide }, () => chance() * 2 - 1);
  const tile = new Int8Array(noise.length);
  for (let y = 0; y < textureSide; y++)
    for (let x = 0; x < textureSide; x++) {
      const height = surface(texture, x, y, noise);
      tile[y * textureSide + x] = Math.round(Math.max(-1, Math.min(1, height)) * rough * 127);
    }
  return tile;
}

/** -1 to 1. */
function surface(texture: Texture, x: number, y: number, noise: Float32Array): number {
  const last = textureSide - 1;
  const at = (dx: number, dy: number): number =>
    noise[((y + dy) & last) * textureSide + ((x + dx) & last)] ?? 0;
  switch (texture) {
    case 'none':
      return 0;
    case 'grain':
      return at(0, 0);
    case 'paper':
      // Fibres: noise drawn out a little to the side and downwards.
      return (at(0, 0) + at(1, 0) + at(2, 0) + at(0, 1) + at(1, 1) + at(0, 2)) / 2.5;
    case 'dots':
      return Math.cos((x + y) * (Math.PI / 4)) * Math.cos((x - y) * (Math.PI / 4));
    case 'hatching':
      return Math.cos((x + y) * (Math.PI / 4)) * 0.7 + at(0, 0) * 0.3;
    case 'lines':
      return Math.cos(y * (Math.PI / 2));
  }
}
