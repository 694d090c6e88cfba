// character-replace: the character's still takes the place of whoever moves through the clip, or moves as they do.
import { clipOf } from '../../contract/api/clip.ts';
import type { Region } from '../../contract/api/region.ts';
import { fieldOf, isObject, type JsonObject } from '../../contract/base/json.ts';
import { requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { type Clip, openClip, partOf, type Span } from '../clips/open.ts';
import { type OutputClip, renderFrames } from '../clips/render-frames.ts';
import { sizeWith } from '../clips/size.ts';
import { nextOf } from '../clips/source-clip.ts';
import { cutOut, largestFace } from '../matte/cut-out.ts';
import { animated } from '../motion/animate.ts';
import { pathOf } from '../motion/path.ts';
import { replacerOf } from '../motion/replace.ts';
import { type SmallFrames, smallFramesOf } from '../motion/small-frames.ts';
import { type Point, subjectOf } from '../motion/subject.ts';
import type { Picture } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';

/** The hosted service's clips have no more frames a second; it is what its prices assume. */
const mostFps = 30;
/** The still is worked on with so many pixels on its longer side. */
const stillSide = 720;
export async function renderCharacterReplace(request: RenderRequest): Promise<RenderOutcome> {
  const video = requiredInput(request, 'assets.video_file_path');
  const image = requiredInput(request, 'assets.image_file_path');
  const still = await readPicture(image, stillSide);
  if (!still.ok) return still;
  const opened = await openClip(video);
  if (!opened.ok) return opened;
  const clip = opened.value;
  try {
    const part = partOf(clip, clipOf(request.body), video);
    if (!part.ok) return part;
    const picture = still.value;
    return await rendered(request, clip, part.value, { picture, faces: image.faces });
  } finally {
    await clip.close();
  }
}

/** The character's still, and where faces are in it. */
interface Still {
  readonly picture: Picture;
  readonly faces: readonly Region[];
}

async function rendered(
  request: RenderRequest,
  clip: Clip,
  part: Span,
  { picture: still, faces }: Still,
): Promise<RenderOutcome> {
  const { body, most } = request;
  const small = await smallFramesOf(clip, part);
  const subject = subjectOf(small, pointsOf(body, clip, part, small));
  const path = pathOf(subject.boxes, small);
  const fps = Math.min(mostFps, clip.facts.fps);
  const pace = { fps, seconds: part.end - part.start };
  const side = Math.min(most, fieldOf(body, 'resolution') === '720p' ? 720 : 480);
  const sound = clip.file === undefined ? undefined : { file: clip.file, ...part };
  if (fieldOf(body, 'style.mode') === 'animate') {
    const size = sizeWith(still.width, still.height, side);
    return renderFrames(request, { ...size, ...pace }, await animated(still, size, path), sound);
  }
  const size = sizeWith(clip.facts.width, clip.facts.height, side);
  const made: OutputClip = { ...size, ...pace };
  const next = nextOf(clip.frames({ ...part, ...size, fps }));
  const replace = await replacerOf(
    size,
    await cutOut(still, largestFace(faces)),
    path,
    subject,
    small,
  );
  return renderFrames(
    request,
    made,
    async (seconds) => {
      const frame = await next();
      replace(frame, seconds);
      return frame;
    },
    sound,
  );
}

/** What is pointed at, in small pixels; points outside the part or the picture count as at its edge. */
function pointsOf(
  body: JsonObject,
  { facts }: Clip,
  { start }: Span,
  small: SmallFrames,
): readonly Point[] {
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
