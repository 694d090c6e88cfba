// A picture in memory: upright, sRGB with alpha, small enough to work on.
import sharp, { type Sharp } from 'sharp';
import type { Region } from '../../contract/api/asset.ts';

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Picture extends Size {
  /** RGBA, one byte each. */
  readonly pixels: Buffer;
}

export async function pictureOf(source: Sharp): Promise<Picture> {
  const { data, info } = await source
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}

export function sharpOf({ pixels, width, height }: Picture): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 4 } });
}

/** A picture of exactly this size. */
export function resized(picture: Picture, { width, height }: Size): Promise<Picture> {
  return pictureOf(sharpOf(picture).resize(width, height, { fit: 'fill' }));
}

/** A region of a picture in whole pixels: at least one wide and high, and inside the picture. */
export function pixelsOf(region: Region, { width, height }: Size) {
  const left = Math.min(width - 1, Math.max(0, Math.round(region.x * width)));
  const top = Math.min(height - 1, Math.max(0, Math.round(region.y * height)));
  return {
    left,
    top,
    width: Math.max(1, Math.min(width - left, Math.round(region.width * width))),
    height: Math.max(1, Math.min(height - top, Math.round(region.height * height))),
  };
}
