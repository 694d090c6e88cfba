// character-replace: `replace` lays an oval of the still over the place that is selected in the clip, or over its middle;
// `animate` shows the still with the clip whose movement it is to have.
import { fieldOf, isObject } from '../../base/json.ts';
import { numberIn, requiredInput, sideIn, textIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderPictures, sizeWith, sizeWithin } from '../clips/output.ts';
import { framesOf, renderChanged, type SourceClip, withClip } from '../clips/source-clip.ts';
import { copyOf, ovalOf, paste } from '../pictures/canvas.ts';
import { type Picture, resized } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';

/** Pixels of the shorter side of the output: the default of `resolution`. */
const usualSide = 480;
/** How high the still is in the clip, of the clip's height. */
const figureHeight = 0.6;

export async function renderCharacterReplace(request: RenderRequest): Promise<RenderOutcome> {
  const still = await readPicture(requiredInput(request, 'assets.image_file_path'));
  if (!still.ok) return still;
  const make = textIn(request, 'style.mode') === 'animate' ? animated : replaced;
  return withClip(request, sideIn(request, usualSide), (source) =>
    make(request, source, still.value),
  );
}

async function replaced(
  request: RenderRequest,
  source: SourceClip,
  still: Picture,
): Promise<RenderOutcome> {
  const { size, fps, span } = source;
  const scale = (size.height * figureHeight) / still.height;
  const width = Math.max(1, Math.round(still.width * scale));
  const figure = ovalOf(await resized(still, { width, height: Math.round(still.height * scale) }));
  const points = pointsOf(request, source);
  return renderChanged(request, source, fps, (frame, time) => {
    const off = (point: SelectedPoint): number => Math.abs(point.seconds - span.start - time);
    const [point] = points.toSorted((a, b) => off(a) - off(b));
    const { x, y } = point ?? { x: size.width / 2, y: size.height / 2 };
    paste(frame, figure, Math.round(x - figure.width / 2), Math.round(y - figure.height / 2));
  });
}

/** A place in pixels of the output, at a time of the clip. */
interface SelectedPoint {
  readonly x: number;
  readonly y: number;
  readonly seconds: number;
}

/** A point outside the picture counts as at its edge. */
function pointsOf(
  request: RenderRequest,
  { clip: { facts }, size }: SourceClip,
): readonly SelectedPoint[] {
  if (textIn(request, 'style.selection_mode') !== 'point') return [];
  const points = fieldOf(request.body, 'style.points');
  return (Array.isArray(points) ? points.filter(isObject) : []).map((body) => ({
    x: Math.min(1, (numberIn({ body }, 'position_x') ?? 0) / facts.width) * size.width,
    y: Math.min(1, (numberIn({ body }, 'position_y') ?? 0) / facts.height) * size.height,
    seconds: numberIn({ body }, 'time_seconds') ?? 0,
  }));
}

async function animated(
  request: RenderRequest,
  source: SourceClip,
  still: Picture,
): Promise<RenderOutcome> {
  const { width, height } = still;
  const { clip, fps, seconds, sound } = source;
  const size = sizeWith(width, height, sideIn(request, usualSide), request.longest);
  const large = await resized(still, size);
  const third = Math.min(size.width, size.height) / 3;
  const small = sizeWithin(clip.facts.width, clip.facts.height, third);
  async function* pictures(): AsyncGenerator<Picture> {
    for await (const frame of framesOf({ ...source, size: small }, fps)) {
      const picture = copyOf(large);
      paste(picture, frame, size.width - small.width, 0);
      yield picture;
    }
  }
  return renderPictures(request, { ...size, fps, seconds }, pictures(), sound);
}
