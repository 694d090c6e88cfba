// audio-to-video: the sound itself, over the picture or a scene of the words, with bars that show how loud it is.
import { clipOf } from '../../contract/api/clip.ts';
import { hueOf } from '../pictures/card.ts';
import { keyOf, wordsOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderFrames } from '../clips/render-frames.ts';
import { sizeWith } from '../clips/size.ts';
import { fromHue } from '../real/video/art-styles.ts';
import { seen, stillFor } from '../real/video/camera.ts';
import { paintBars } from '../real/video/level-bars.ts';
import { levelAt } from '../sound/levels.ts';
import { moveOf } from '../real/video/moves.ts';
import { inputIn, sideIn, textIn } from '../base/fields.ts';
import { pictureIn, sceneOf } from '../real/video/setting.ts';
import { openVoice } from '../sound/voice.ts';
import { weatherOf } from '../real/video/weather.ts';

const fps = 24;

export async function renderAudioToVideo(request: RenderRequest): Promise<RenderOutcome> {
  const { body, seed } = request;
  const picture = await pictureIn(request, 'assets.image_file_path');
  if (!picture.ok) return picture;
  const input = inputIn(request, 'assets.audio_file_path');
  if (input === undefined) throw new Error('bug: audio-to-video has a sound');
  const voice = await openVoice(input, clipOf(body));
  if (!voice.ok) return voice;

  const { levels, seconds, sound } = voice.value;
  const { width, height } = picture.value ?? { width: 16, height: 9 };
  const size = sizeWith(width, height, sideIn(request));
  const key = keyOf(request);
  const prompt = textIn(request, 'style.prompt');
  const base = picture.value ?? (await sceneOf(wordsOf(request), request, size));
  const still = await stillFor(base, size);
  const move = moveOf(`${prompt} beat`, seconds, key);
  const weather = weatherOf(prompt, seed);
  const colour = fromHue(hueOf(key), 0.8, 0.66);
  return renderFrames(
    request,
    { ...size, fps, seconds },
    (time) => {
      const frame = seen(still, move(time, levelAt(levels, time, 0.12) * 0.5), size);
      weather?.(frame, time);
      paintBars(frame, levels, time, colour);
      return frame;
    },
    sound,
  );
}
