// What the voice tools render: a tone as long as the text takes to say. Its pitch stands for the voice.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { textIn } from '../base/fields.ts';
import { hueOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { toneOf, toneRate, wavOf } from './tone.ts';

/** interface.md, Limits: for all users. */
const mostLetters = 1000;
/** How fast a text is spoken, pauses included. */
const lettersPerSecond = 13;
/** Even a text without letters makes a file with sound. */
const leastSeconds = 0.2;

/** `voice` decides the pitch. */
export async function renderSpeech(request: RenderRequest, voice: string): Promise<RenderOutcome> {
  const text = spokenText(request);
  if (!text.ok) return text;
  return renderTone(
    request,
    voice,
    Math.max(leastSeconds, [...text.value].length / lettersPerSecond),
  );
}

/** `voice` decides the pitch. */
export async function renderTone(
  { folder, seed }: RenderRequest,
  voice: string,
  seconds: number,
): Promise<RenderOutcome> {
  const name = '0.wav';
  const samples = toneOf(seconds, 110 + (hueOf(`${voice} ${seed}`) % 200));
  await writeFile(join(folder, name), wavOf(samples, toneRate));
  return ok([{ name }]);
}

function spokenText(request: RenderRequest): Result<string, ProjectError> {
  const text = textIn(request, 'style.prompt');
  const letters = [...text].length;
  if (letters <= mostLetters) return ok(text);
  return err({
    code: 'text_too_long',
    message: `The text has ${letters} characters; at most ${mostLetters} are spoken`,
  });
}
