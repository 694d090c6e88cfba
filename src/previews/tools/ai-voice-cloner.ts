// ai-voice-cloner: a tone as long as the text, with a pitch for each recording.
import { requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderSpeech } from '../sound/speech.ts';
import { voiceOf } from '../sound/voice-sample.ts';

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const voice = await voiceOf(requiredInput(request, 'assets.audio_file_path'));
  return voice.ok ? renderSpeech(request, voice.value) : voice;
}
