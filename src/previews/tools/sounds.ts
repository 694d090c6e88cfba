// What the voice tools render: a tone as long as the text takes to say. Its pitch stands for the voice.
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../base/result.ts';
import { clipOf } from '../../contract/api/clip.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { requiredInput, textIn } from '../base/fields.ts';
import { digestOfFile, hueOf } from '../base/key.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';
import { toneOf, toneRate, wavOf } from '../clips/tone.ts';
import { readFormat } from '../pictures/file-format.ts';

/** The sound of a tool without a renderer of its own; without a text, as long as the request asks for. */
export function renderAudio(request: RenderRequest): Promise<RenderOutcome> {
  const voice = textIn(request, 'style.voice_name');
  return textIn(request, 'style.prompt') === ''
    ? renderTone(request, voice, clipOf(request.body).seconds)
    : renderSpeech(request, voice);
}

/** ai-voice-cloner: a pitch for each recording. */
export async function renderVoiceCloner(request: RenderRequest): Promise<RenderOutcome> {
  const voice = await voiceOf(requiredInput(request, 'assets.audio_file_path'));
  return voice.ok ? renderSpeech(request, voice.value) : voice;
}

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

/** interface.md, Limits: for all users. */
const maxLetters = 1000;
/** How fast a text is spoken, pauses included. */
const lettersPerSecond = 13;
/** Even a text without letters makes a file with sound. */
const minSeconds = 0.2;

/** `voice` decides the pitch. */
export async function renderSpeech(request: RenderRequest, voice: string): Promise<RenderOutcome> {
  const letters = [...textIn(request, 'style.prompt')].length;
  if (letters > maxLetters)
    return err({
      code: 'text_too_long',
      message: `The text has ${letters} characters; at most ${maxLetters} are spoken`,
    });
  return renderTone(request, voice, Math.max(minSeconds, letters / lettersPerSecond));
}

/** `voice` decides the pitch. */
async function renderTone(
  { folder, seed }: RenderRequest,
  voice: string,
  seconds: number,
): Promise<RenderOutcome> {
  const name = '0.wav';
  const samples = toneOf(seconds, 110 + (hueOf(`${voice} ${seed}`) % 200));
  await writeFile(join(folder, name), wavOf(samples, toneRate));
  return ok([{ name }]);
}
