// ai-voice-cloner: a tone as long as the text, with a pitch for each recording.

import { open } from 'node:fs/promises';
import { err, ok, type Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { requiredInput } from '../base/fields.ts';
import { digestOfFile } from '../base/key.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';
import { readFormat } from '../pictures/file-format.ts';
import { renderSpeech } from '../sound/speech.ts';

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const voice = await voiceOf(requiredInput(request, 'assets.audio_file_path'));
  return voice.ok ? renderSpeech(request, voice.value) : voice;
}

// The recording of a cloned voice: whether it is a sound, and what tells it from other recordings.

/** A text that differs from recording to recording; of somebody else's URL, which is not fetched, the URL. */
async function voiceOf({
  file,
  reference,
  field,
}: RenderInput): Promise<Result<string, ProjectError>> {
  if (file === undefined) return ok(reference);
  const handle = await open(file);
  try {
    const format = await readFormat(handle);
    if (format.kind !== 'sound')
      return err({
        code: 'invalid_voice',
        message: `The recording of ${field} (${reference}) cannot be read: its sound format is not supported`,
      });
  } finally {
    await handle.close();
  }
  return ok(await digestOfFile(file));
}
