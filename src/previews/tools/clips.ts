// The clips without faces: the clip that a tool takes, visibly changed, or else a card with a running clock.
import { join } from 'node:path';
import sharp from 'sharp';
import { ok, type Result } from '../../base/result.ts';
import { clipOf } from '../../contract/api/clip.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { aspectRatioIn, inputIn, numberIn, sideIn, textIn } from '../base/fields.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { type OutputClip, renderStill, sizeWith, usualFps, withClock } from '../clips/output.ts';
import { openVoice, type Sound, toneFor } from '../clips/sound.ts';
import { renderChanged, type SourceClip, withClip } from '../clips/source-clip.ts';
import { type Card, drawCard } from '../pictures/card.ts';
import { mark, paintClock, paintWords } from '../pictures/mark.ts';
import type { Size } from '../pictures/picture.ts';
import { cardOf } from './cards.ts';

/** The clip of a tool without a renderer of its own. */
export function renderVideo(request: RenderRequest): Promise<RenderOutcome> {
  // The clip of a link is not fetched, so it is not among the inputs.
  const takesClip =
    request.inputs.some(({ media }) => media === 'video') ||
    textIn(request, 'assets.video_source') !== '';
  if (!takesClip) return cardClip(request);
  return withClip(request, sideIn(request, request.most), (source) => {
    const words = textIn(request, 'style.prompt') || request.tool.title;
    return renderLabelled(request, source, source.fps, words);
  });
}

/** auto-subtitle-generator: the clip with the look of the subtitles. Nothing here understands speech. */
export const renderAutoSubtitles = (request: RenderRequest): Promise<RenderOutcome> =>
  withClip(request, request.most, (source) => {
    const words = `Subtitles: ${textIn(request, 'style.template') || 'custom'}`;
    return renderLabelled(request, source, source.fps, words);
  });

/** video-to-video: the clip with its art style written on it. */
export const renderVideoToVideo = (request: RenderRequest): Promise<RenderOutcome> =>
  withClip(request, request.most, (source) => {
    const fps = textIn(request, 'fps_resolution') === 'HALF' ? source.fps / 2 : source.fps;
    const fields = ['style.art_style', 'style.model', 'style.prompt'];
    const words = fields.map((field) => textIn(request, field)).filter((text) => text !== '');
    return renderLabelled(request, source, fps, words.join(', '));
  });

/** The clip with words on it, a running clock, and its own sound. */
function renderLabelled(
  request: RenderRequest,
  source: SourceClip,
  fps: number,
  words: string,
): Promise<RenderOutcome> {
  return renderChanged(request, source, fps, (frame, time) => {
    paintWords(frame, words);
    paintClock(frame, time, source.seconds);
  });
}

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
    return sizeWith(width, height, Math.min(width, height, request.most), request.longest);
  const ratio = aspectRatioIn(request);
  const shape = ratio === undefined ? first : { width: ratio, height: 1 };
  return sizeWith(shape.width, shape.height, sideIn(request), request.longest);
}

/** Frames per second of an animation: beyond these no player goes, or no movement is left. */
const animationFps = { min: 1, max: 60, usual: 12 };

/** animation: a card in the size and at the rate that were asked for, over the music. */
export async function renderAnimation(request: RenderRequest): Promise<RenderOutcome> {
  const card = await cardOf(request);
  if (!card.ok) return card;
  const { seconds } = clipOf(request.body);
  const sound = await musicOf(request, seconds);
  if (!sound.ok) return sound;
  const { most, longest } = request;
  const width = numberIn(request, 'width') ?? most;
  const height = numberIn(request, 'height') ?? most;
  const side = Math.min(width, height, most);
  const { min, max, usual } = animationFps;
  const fps = Math.min(max, Math.max(min, numberIn(request, 'fps') ?? usual));
  const clip = { ...sizeWith(width, height, side, longest), fps, seconds };
  return renderCardClip(request, card.value, clip, sound.value);
}

/** Undefined: the animation is to be silent. */
async function musicOf(
  request: RenderRequest,
  seconds: number,
): Promise<Result<Sound | undefined, ProjectError>> {
  const source = textIn(request, 'assets.audio_source');
  // The music of a link is not fetched.
  if (source === 'youtube') return ok(toneFor(seconds, textIn(request, 'assets.youtube_url')));
  const music = inputIn(request, 'assets.audio_file_path');
  if (source !== 'file' || music === undefined) return ok(undefined);
  const voice = await openVoice(music, { start: 0, end: seconds });
  return voice.ok ? ok(voice.value.sound) : voice;
}

/** The hosted service's GIFs have no published length, rate and size; these are usual ones. */
const usualGif = { width: 480, height: 480, fps: 10, seconds: 2 };

/** ai-gif-generator: a card, as a GIF, an MP4 or a WebM. */
export async function renderGif(request: RenderRequest): Promise<RenderOutcome> {
  const card = await cardOf(request);
  if (!card.ok) return card;
  const extension = textIn(request, 'output_format') || 'gif';
  return extension === 'gif'
    ? renderAsGif(request, card.value)
    : renderCardClip(request, card.value, { ...usualGif, extension });
}

async function renderAsGif(request: RenderRequest, card: Card): Promise<RenderOutcome> {
  const { width, height, fps, seconds } = usualGif;
  const picture = await drawCard(card, usualGif);
  const frames = Array.from({ length: fps * seconds }, (_, index) => {
    const frame = withClock(picture, index / fps, seconds);
    mark(frame, request.tool.name, keyOf(request));
    return frame.pixels;
  });
  const raw = { width, height: height * frames.length, channels: 4, pageHeight: height } as const;
  const name = '0.gif';
  await sharp(Buffer.concat(frames), { raw })
    .gif({ delay: 1000 / fps, loop: 0, effort: 1 })
    .toFile(join(request.folder, name));
  return ok([{ name, width, height, fps }]);
}

async function renderCardClip(
  request: RenderRequest,
  card: Card,
  clip: OutputClip,
  sound?: Sound,
): Promise<RenderOutcome> {
  return renderStill(request, await drawCard(card, clip), clip, sound);
}
