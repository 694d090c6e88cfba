// The sound of a tool without a renderer of its own: a tone as long as its text takes to say, with a pitch for each named
// voice; without a text, a tone as long as the request asks for.
import { clipOf } from '../../contract/api/clip.ts';
import { textIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderSpeech, renderTone } from '../sound/speech.ts';

export const render = (request: RenderRequest): Promise<RenderOutcome> => {
  const voice = textIn(request, 'style.voice_name');
  return textIn(request, 'style.prompt') === ''
    ? renderTone(request, voice, clipOf(request.body).seconds)
    : renderSpeech(request, voice);
};
