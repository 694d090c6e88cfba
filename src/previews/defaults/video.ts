// The clip of a tool without a renderer of its own: the clip that it takes, visibly changed, or else a card of its parameters
// and its pictures with a running clock.

import { ok, type Result } from '../../base/result.ts';
import { clipOf } from '../../contract/api/clip.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { aspectRatioIn, numberIn, sideIn, textIn } from '../base/fields.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderCardClip, usualFps } from '../clips/card-clip.ts';
import { shorterSideFor, sizeWith } from '../clips/size.ts';
import type { Sound } from '../clips/sound.ts';
import { renderLabelled, withClip } from '../clips/source-clip.ts';
import type { Size } from '../pictures/picture.ts';
import { cardOf } from '../pictures/request-card.ts';
import { openVoice, toneFor } from '../sound/voice.ts';

export function render(request: RenderRequest): Promise<RenderOutcome> {
  return takesClip(request) ? changedClip(request) : cardClip(request);
}

/** The clip of a link is not fetched, so it is not among the inputs. */
const takesClip = (request: RenderRequest): boolean =>
  request.inputs.some(({ media }) => media === 'video') ||
  textIn(request, 'assets.video_source') !== '';

/** With its own sound. */
const changedClip = (request: RenderRequest): Promise<RenderOutcome> =>
  withClip(request, sideIn(request, request.most), (source) => {
    const words = textIn(request, 'style.prompt') || request.tool.title;
    return renderLabelled(request, source, source.fps, words);
  });

async function cardClip(request: RenderRequest): Promise<RenderOutcome> {
  const card = await cardOf(request);
  if (!card.ok) return card;
  const track = await trackOf(request);
  if (!track.ok) return track;
  const { seconds, sound } = track.value;
  const size = sizeFor(request, card.value.thumbnails[0]?.picture);
  return renderCardClip(request, card.value, { ...size, fps: usualFps, seconds }, sound);
}

interface Track {
  readonly seconds: number;
  readonly sound: Sound | undefined;
}

/** The sound that the tool takes decides the length; without one, the request decides the length, and whether there is sound. */
async function trackOf(request: RenderRequest): Promise<Result<Track, ProjectError>> {
  const part = clipOf(request.body);
  const input = request.inputs.find(({ media }) => media === 'audio');
  if (input !== undefined) return openVoice(input, part);
  const { seconds } = part;
  const sound = request.body['audio'] === true ? toneFor(seconds, keyOf(request)) : undefined;
  return ok({ seconds, sound });
}

/** `width` and `height` if the request gives both, else `aspect_ratio`, else the shape of the first picture. */
function sizeFor(request: RenderRequest, first: Size = { width: 16, height: 9 }): Size {
  const [width, height] = [numberIn(request, 'width'), numberIn(request, 'height')];
  if (width !== undefined && height !== undefined && Math.min(width, height) >= 1)
    return sizeOf(request, { width, height }, Math.min(width, height, request.most));
  const ratio = aspectRatioIn(request);
  const shape = ratio === undefined ? first : { width: ratio, height: 1 };
  return sizeOf(request, shape, sideIn(request));
}

const sizeOf = ({ longest }: RenderRequest, { width, height }: Size, side: number): Size =>
  sizeWith(width, height, shorterSideFor(width, height, side, longest));
