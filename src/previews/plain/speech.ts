// The voice tools: a tone as long as the text would take to say, whose pitch comes from the request and from
// the content of the voice sample. A real WAV file: PCM, 16 bit, mono, 16 kHz.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ok } from '../../contract/base/result.ts';
import { hueOf } from '../pictures/card.ts';
import { digestOfFile, keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { spokenText } from '../sound/spoken-text.ts';
import { wavOf } from '../sound/wav.ts';

const rate = 16_000;
/** How fast a text is spoken, about. */
const lettersPerSecond = 15;

export async function renderSpeech(request: RenderRequest): Promise<RenderOutcome> {
  const { body, inputs, folder } = request;
  const text = spokenText(body);
  if (!text.ok) return text;
  const letters = [...text.value].length;
  const samples = inputs.flatMap(({ file }) => (file === undefined ? [] : [file]));
  const contents = await Promise.all(samples.map(digestOfFile));
  const pitch = 110 + hueOf([keyOf(request), ...contents].join(' '));
  await writeFile(join(folder, '0.wav'), tone(Math.max(0.2, letters / lettersPerSecond), pitch));
  return ok([{ name: '0.wav' }]);
}

/** A WAV file of one steady tone that swells and fades a little; `pitch` in hertz. */
export function tone(seconds: number, pitch: number): Buffer {
  const samples = Float64Array.from({ length: Math.round(seconds * rate) }, (_, sample) => {
    const at = sample / rate;
    const loudness = 0.15 * (0.6 + 0.4 * Math.sin(2 * Math.PI * 2.5 * at));
    return Math.sin(2 * Math.PI * pitch * at) * loudness;
  });
  return wavOf(samples, rate);
}
