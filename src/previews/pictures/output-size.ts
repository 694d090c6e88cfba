// How large the output of a prompt's picture is: from the words for its shape and its resolution.
import { fieldOf, type Json, type JsonObject } from '../../contract/base/json.ts';
import type { CardSize } from './card.ts';

/** The longest side in pixels, by the resolution that was asked for. The service publishes none; the name says it. */
const sides: Readonly<Record<string, number>> = {
  '640px': 640,
  '1k': 1024,
  '2k': 2048,
  '4k': 4096,
};
const orientations: Readonly<Record<string, string>> = {
  landscape: '16:9',
  portrait: '9:16',
  square: '1:1',
};

/** The longest side that `resolution` names; undefined for `auto`, nothing, and what is not known. */
export function sideOf(resolution: Json | undefined): number | undefined {
  return typeof resolution === 'string' ? sides[resolution] : undefined;
}

/** Width by height as `aspect_ratio` or the older `orientation` says; undefined when the request leaves it open. */
export function shapeOf(body: JsonObject): number | undefined {
  const orientation = fieldOf(body, 'orientation');
  const older = typeof orientation === 'string' ? orientations[orientation] : undefined;
  const asked = fieldOf(body, 'aspect_ratio') ?? older;
  const parts = /^(\d+):(\d+)$/.exec(`${asked}`);
  const shape = parts === null ? Number.NaN : Number(parts[1]) / Number(parts[2]);
  return shape > 0.1 && shape < 10 ? shape : undefined;
}

/** A size of a shape with a longest side. */
export function sizeOf(shape: number, side: number, most: number): CardSize {
  const shorter = Math.min(shape, 1 / shape);
  // The plan's limit is on the shorter side: nothing larger is drawn only to be made small again.
  const longest = Math.min(side, most / shorter);
  return {
    width: Math.round(shape >= 1 ? longest : longest * shape),
    height: Math.round(shape >= 1 ? longest / shape : longest),
  };
}
