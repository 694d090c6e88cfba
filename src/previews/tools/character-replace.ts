// character-replace: the character's still takes the place of whoever moves through the clip, or moves as they do.
import { fieldOf, isObject, type JsonObject } from '../../contract/base/json.ts';
import { requiredInput, sideIn, textIn } from '../base/fields.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderFrames } from '../clips/render-frames.ts';
import { shorterSideFor, sizeWith } from '../clips/size.ts';
import { renderChanged, type SourceClip, withClip } from '../clips/source-clip.ts';
import { cutOut, largestFace } from '../matte/cut-out.ts';
import { animated } from '../motion/animate.ts';
import { pathOf } from '../motion/path.ts';
import { replacerOf } from '../motion/replace.ts';
import { type SmallFrames, smallFramesOf } from '../motion/small-frames.ts';
import { type SelectedPoint, subjectOf } from '../motion/subject.ts';
import type { Picture } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';

/** Pixels of the longer side of the still that is worked on. */
const stillSide = 720;
/** Pixels of the shorter side of the output: the default of `resolution`. */
const usualSide = 480;

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const image = requiredInput(request, 'assets.image_file_path');
  const still = await readPicture(image, stillSide);
  if (!still.ok) return still;
  return withClip(request, sideIn(request, usualSide), (source) =>
    rendered(request, source, still.value, image),
  );
}

async function rendered(
  request: RenderRequest,
  source: SourceClip,
  still: Picture,
  { faces }: RenderInput,
): Promise<RenderOutcome> {
  const { size, fps, seconds, sound } = source;
  const small = await smallFramesOf(source.clip, source.span);
  const subject = subjectOf(small, pointsOf(request, source, small));
  const path = pathOf(subject.boxes, small);
  if (textIn(request, 'style.mode') === 'animate') {
    const side = sideIn(request, usualSide);
    const own = sizeWith(
      still.width,
      still.height,
      shorterSideFor(still.width, still.height, side, request.longest),
    );
    return renderFrames(request, { ...own, fps, seconds }, await animated(still, own, path), sound);
  }
  const figure = await cutOut(still, largestFace(faces));
  const replace = await replacerOf(size, figure, path, subject, small);
  return renderChanged(request, source, fps, replace);
}

/** The selected points in small pixels; a point outside the part or the picture counts as at its edge. */
function pointsOf(
  { body }: RenderRequest,
  { clip: { facts }, span: { start } }: SourceClip,
  small: SmallFrames,
): readonly SelectedPoint[] {
  if (fieldOf(body, 'style.selection_mode') !== 'point') return [];
  const points = fieldOf(body, 'style.points');
  const within = (value: number, size: number): number => Math.max(0, Math.min(size - 1, value));
  const at = (point: JsonObject, name: string): number => Number(point[name] ?? 0);
  return (Array.isArray(points) ? points.filter(isObject) : []).map((point) => ({
    x: within((at(point, 'position_x') / facts.width) * small.width, small.width),
    y: within((at(point, 'position_y') / facts.height) * small.height, small.height),
    index: Math.round(within((at(point, 'time_seconds') - start) * small.fps, small.frames.length)),
  }));
}
