// animation: a picture or a scene of the words, drawn in the art style and changing its colours at the speed that is
// asked for, under a camera that moves by its effect and with the music.
import { clipOf } from '../../contract/api/clip.ts';
import { keyOf } from '../base/key.ts';
import type { Picture } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderFrames } from '../clips/render-frames.ts';
import { shorterSideFor, sizeWith } from '../clips/size.ts';
import type { Sound } from '../clips/sound.ts';
import { artStyleOf } from '../real/video/art-styles.ts';
import { layBlock } from '../real/video/block.ts';
import { seen, stillFor } from '../real/video/camera.ts';
import { type Colour, type FrameSize, fade } from '../pictures/canvas.ts';
import { captionOf } from '../real/video/caption.ts';
import { type Levels, levelAt } from '../sound/levels.ts';
import { moveOf } from '../real/video/moves.ts';
import { inputIn, numberIn, textIn } from '../base/fields.ts';
import { restylingOf } from '../real/video/restyle.ts';
import { pictureIn, sceneOf } from '../real/video/setting.ts';
import { openVoice, silenceFor } from '../sound/voice.ts';
import { weatherOf } from '../real/video/weather.ts';

/** Frames a second beyond which no player goes, and of which no movement is left. */
const rates = { least: 1, most: 60, usual: 12 };
/** The lights between which the picture changes. */
const lights: readonly Colour[] = [
  [1, 1, 1],
  [1.16, 0.94, 0.84],
  [0.86, 0.98, 1.18],
];
/** Seconds that a light lasts at transition speed 1. */
const slowest = 8;

export async function renderAnimation(request: RenderRequest): Promise<RenderOutcome> {
  const { body, seed, most, longest } = request;
  const { seconds } = clipOf(body);
  const picture = await pictureIn(request, 'assets.image_file_path');
  if (!picture.ok) return picture;
  const music = inputIn(request, 'assets.audio_file_path');
  const heard = textIn(request, 'assets.audio_source') === 'file' && music !== undefined;
  const voice = heard ? await openVoice(music, { start: 0, end: seconds }) : undefined;
  if (voice?.ok === false) return voice;

  const width = numberIn(request, 'width') ?? most;
  const height = numberIn(request, 'height') ?? most;
  const side = shorterSideFor(width, height, Math.min(width, height, most), longest);
  const size = sizeWith(width, height, side);
  const fps = Math.min(rates.most, Math.max(rates.least, numberIn(request, 'fps') ?? rates.usual));
  const words = textIn(request, 'style.prompt') || textIn(request, 'style.art_style');
  const base = picture.value ?? (await sceneOf(words, request, size));
  const stills = litStills(await stillFor(base, size), styleIn(request));
  const speed = Math.min(20, Math.max(0.1, numberIn(request, 'style.transition_speed') ?? 1));
  const move = moveOf(textIn(request, 'style.camera_effect'), seconds, keyOf(request));
  const weather = weatherOf(words, seed);
  const caption = await captionOf(saidBelow(request), size);
  const levels: Levels | undefined = voice?.value.levels;
  return renderFrames(
    request,
    { ...size, fps, seconds },
    (time) => {
      const level = levels === undefined ? 0 : levelAt(levels, time, 0.12);
      const view = move(time, level);
      const place = (time * speed) / slowest;
      const frame = seen(stills(Math.floor(place)), view, size);
      const share = Math.min(1, Math.max(0, (place % 1) * 2 - 1));
      if (share > 0) fade(frame, seen(stills(Math.floor(place) + 1), view, size), share);
      weather?.(frame, time);
      layBlock(frame, caption);
      return frame;
    },
    voice?.value.sound ?? soundless(request, seconds),
  );
}

function styleIn(request: RenderRequest): string {
  return `${textIn(request, 'style.art_style')} ${textIn(request, 'style.art_style_custom')}`.trim();
}

/** The still in its style under each light, in turn. */
function litStills(still: Picture, style: string): (number: number) => Picture {
  const look = artStyleOf(style);
  const size: FrameSize = still;
  const stills = lights.map((light) => {
    const [red, green, blue] = look.tint;
    const tint: Colour = [red * light[0], green * light[1], blue * light[2]];
    return restylingOf({ ...look, tint }, size)(still);
  });
  return (number) => stills[number % stills.length] ?? still;
}

/** A link's music is not fetched: the clip has a sound track, and says why it is silent. */
const linked = (request: RenderRequest): boolean =>
  textIn(request, 'assets.audio_source') === 'youtube';

function soundless(request: RenderRequest, seconds: number): Sound | undefined {
  return linked(request) ? silenceFor(seconds) : undefined;
}

function saidBelow(request: RenderRequest): string {
  const prompt = textIn(request, 'style.prompt');
  return linked(request) ? `The linked music is not fetched in a rehearsal. ${prompt}` : prompt;
}
