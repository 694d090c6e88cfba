// ai-voice-generator: a tone as long as the text, with a pitch for each named voice.
import { textIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderSpeech } from '../sound/speech.ts';

export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  renderSpeech(request, textIn(request, 'style.voice_name'));
