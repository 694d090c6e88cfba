// The voice tools: a tone as long as the text would take to say, whose pitch comes from the request and from
// the content of the voice sample. A real WAV file: PCM, 16 bit, mono, 16 kHz.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldOf } from '../../../base/json.ts';
import { err, ok } from '../../../base/result.ts';
import { hueOf } from '../card.ts';
import { digestOfFile, keyOf } from '../key.ts';
import type { RenderOutcome, RenderRequest } from '../request.ts';

const rate = 16_000;
/** How fast a text is spoken, about. */
const lettersPerSecond = 15;
/** interface.md, Limits: for all users. */
const mostLetters = 1000;

export async function renderSpeech(request: RenderRequest): Promise<RenderOutcome> {
  const { body, inputs, folder } = request;
  const text = `${fieldOf(body, 'style.prompt') ?? ''}`;
  const letters = [...text].length;
  if (letters > mostLetters)
    return err({
      code: 'text_too_long',
      message: `The text has ${letters} characters; at most ${mostLetters} are spoken`,
    });
  const samples = inputs.flatMap(({ file }) => (file === undefined ? [] : [file]));
  const contents = await Promise.all(samples.map(digestOfFile));
  const pitch = 110 + hueOf([keyOf(request), ...contents].join(' '));
  await writeFile(join(folder, '0.wav'), tone(Math.max(0.2, letters / lettersPerSecond), pitch));
  return ok([{ name: '0.wav' }]);
}

/** A WAV file of one steady tone that swells and fades a little; `pitch` in hertz. */
export function tone(seconds: number, pitch: number): Buffer {
  const samples = Math.round(seconds * rate);
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(samples * 2, 40);
  for (let sample = 0; sample < samples; sample++) {
    const at = sample / rate;
    const loudness = 0.15 * (0.6 + 0.4 * Math.sin(2 * Math.PI * 2.5 * at));
    const value = Math.sin(2 * Math.PI * pitch * at) * loudness;
    wav.writeInt16LE(Math.round(value * 32_767), 44 + sample * 2);
  }
  return wav;
}
