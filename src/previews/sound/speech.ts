// The two voice tools: the text said by a synthesiser of the oldest kind. It has the length, the rhythm and the melody
// of the speech that would come, in a voice of its own for each name and each recording; the words cannot be made out.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chanceOf } from '../../contract/base/chance.ts';
import { fieldOf } from '../../contract/base/json.ts';
import { ok } from '../../contract/base/result.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { spokenText } from './spoken-text.ts';
import { wavOf } from './wav.ts';
import { voiceSample } from '../real/sound/sample.ts';
import { rate, spoken, type Voice } from '../real/sound/voice.ts';

const lowestPitch = 85;
const highestPitch = 250;

export function renderVoiceGenerator(request: RenderRequest): Promise<RenderOutcome> {
  const name = `${fieldOf(request.body, 'style.voice_name') ?? ''}`;
  return said(request, voiceOf(name, undefined));
}

export async function renderVoiceCloner(request: RenderRequest): Promise<RenderOutcome> {
  const input = request.inputs.find(({ field }) => field === 'assets.audio_file_path');
  if (input === undefined) throw new Error('bug: a cloned voice has a recording');
  const sample = await voiceSample(input);
  if (!sample.ok) return sample;
  return said(request, voiceOf(sample.value.digest, sample.value.pitch));
}

/** A voice that is always the same for the same name; high voices have small mouths. */
function voiceOf(name: string, heard: number | undefined): Voice {
  const digest = createHash('sha256').update(name).digest();
  const lot = (at: number): number => digest.readUInt16BE(at) / 65_536;
  const pitch = heard ?? lowestPitch * (highestPitch / lowestPitch) ** lot(0);
  const height = Math.log(pitch / lowestPitch) / Math.log(highestPitch / lowestPitch);
  return { pitch, scale: 0.94 + 0.18 * height + 0.1 * (lot(2) - 0.5), pace: 1.25 + 0.25 * lot(4) };
}

async function said(request: RenderRequest, voice: Voice): Promise<RenderOutcome> {
  const { body, folder, seed } = request;
  const text = spokenText(body);
  if (!text.ok) return text;
  const name = '0.wav';
  await writeFile(
    join(folder, name),
    wavOf(spoken(text.value, voice, chanceOf(seed, text.value.length)), rate),
  );
  return ok([{ name }]);
}
