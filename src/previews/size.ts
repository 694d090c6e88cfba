// The size, the length and the frame rate that a request promises.
import { fieldOf, type JsonObject } from '../base/json.ts';
import { clipOf } from '../contract/api/clip.ts';
import type { RenderRequest } from './renderer.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Width over height. */
const ratios: Readonly<Record<string, number>> = {
  ...{ '16:9': 16 / 9, landscape: 16 / 9, '9:16': 9 / 16, portrait: 9 / 16, '1:1': 1, square: 1 },
};

/** In pixels, the longer side of a picture, and the shorter side of a clip. */
const sides: Readonly<Record<string, number>> = {
  ...{ '640px': 640, '1k': 1024, '2k': 2048, '4k': 4096, '480p': 480, '720p': 720, '1080p': 1080 },
};

/** `shape`: of the picture or clip that the request is about. */
export function promisedSize(request: RenderRequest, shape: Size | undefined): Size {
  const { tool, body } = request;
  const isClip = tool.record === 'video';
  const { width, height } = exactSize(request) ?? shapeOf(body, isClip, shape);
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  const side = sides[`${fieldOf(body, 'resolution')}`];
  const longest = Math.min(request.longest, numberIn(body, 'max_resolution') ?? request.longest);
  const scale =
    side === undefined ? (numberIn(body, 'scale_factor') ?? 1) : side / (isClip ? short : long);
  const fit = Math.min(scale, longest / long, request.most / short);
  // Players want even numbers.
  const unit = isClip ? 2 : 1;
  const pixels = (length: number): number =>
    Math.max(unit, Math.round((length * fit) / unit) * unit);
  return { width: pixels(width), height: pixels(height) };
}

/** Of the one tool that requires it. Others ignore the fields: their size follows the input (interface.md, Versioning). */
function exactSize({ tool, body }: RenderRequest): Size | undefined {
  const { required } = tool.request;
  const [width, height] = [numberIn(body, 'width'), numberIn(body, 'height')];
  const isRequired = Array.isArray(required) && required.includes('width');
  return isRequired && width !== undefined && height !== undefined ? { width, height } : undefined;
}

function shapeOf(body: JsonObject, isClip: boolean, shape: Size | undefined): Size {
  const ratio = ratios[`${fieldOf(body, 'aspect_ratio') ?? fieldOf(body, 'orientation')}`];
  if (ratio === undefined && shape !== undefined) return shape;
  const [long, usual] = isClip ? [854, 16 / 9] : [1024, 1];
  const wide = ratio ?? usual;
  return wide >= 1 ? { width: long, height: long / wide } : { width: long * wide, height: long };
}

export function numberIn(body: JsonObject, field: string): number | undefined {
  const value = fieldOf(body, field);
  return typeof value === 'number' ? value : undefined;
}

/** Without a rate in the request or its input. */
const usualFps = 24;

/** `inputFps`: of the clip that the request is about. Nobody waits for more than ten minutes, or 60 frames a second. */
export function promisedClip(body: JsonObject, inputFps = usualFps) {
  const half = fieldOf(body, 'fps_resolution') === 'HALF' ? 2 : 1;
  const fps =
    numberIn(body, 'fps') ?? Math.min(inputFps / half, numberIn(body, 'max_fps_limit') ?? 60);
  return { seconds: Math.min(600, clipOf(body).seconds), fps: Math.min(60, Math.max(1, fps)) };
}
