// The two voice tools: what they say can be heard in the files that they write.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pitchOf } from '../../../../src/previews/real/sound/pitch.ts';
import { recordingOf } from '../../../../src/previews/real/sound/recording.ts';
import {
  renderVoiceCloner,
  renderVoiceGenerator,
} from '../../../../src/previews/sound/speech.ts';
import { wavOf } from '../../../../src/previews/sound/wav.ts';
import { filesOf, type Rehearsed, rehearse } from '../rehearse.ts';

const rate = 16_000;
const text = 'Hello, how are you? I am fine, thank you.';

const onEvent = (prompt: string, voice = 'Narrator') =>
  rehearse(renderVoiceGenerator, 'ai-voice-generator', { style: { prompt, voice_name: voice } });

async function heard(rehearsed: Rehearsed) {
  const [file] = filesOf(rehearsed);
  const bytes = await readFile(join(rehearsed.folder, file?.name ?? ''));
  const recording = recordingOf(bytes);
  if (recording === undefined) throw new Error('the output is no WAV file');
  return { bytes, ...recording, seconds: recording.samples.length / recording.rate };
}

describe('the voice generator', () => {
  test('speaks as long as a person would, with sound and pauses, and the same again', async () => {
    const speech = await heard(await onEvent(text));
    expect(speech.rate).toBeGreaterThanOrEqual(16_000);
    expect(speech.seconds).toBeGreaterThan(text.length / 20);
    expect(speech.seconds).toBeLessThan(text.length / 9);
    const size = Math.round(speech.rate * 0.02);
    const levels = Array.from({ length: Math.floor(speech.samples.length / size) }, (_, i) =>
      Math.max(...speech.samples.subarray(i * size, (i + 1) * size).map(Math.abs)),
    );
    expect(levels.filter((level) => level < 0.02).length).toBeGreaterThan(levels.length * 0.05);
    expect(levels.filter((level) => level > 0.1).length).toBeGreaterThan(levels.length * 0.3);
    expect((await heard(await onEvent(text))).bytes.equals(speech.bytes)).toBe(true);
  });

  test('gives each name a voice of its own, and every script a sound', async () => {
    const pitches = await Promise.all(
      ['Narrator', 'Emma', 'Zoë'].map(async (name) =>
        pitchOf(await heard(await onEvent(text, name))),
      ),
    );
    expect(new Set(pitches).size).toBe(3);
    expect((await heard(await onEvent('Привет, мир! 你好'))).seconds).toBeGreaterThan(0.8);
    expect((await heard(await onEvent(''))).seconds).toBeGreaterThan(0.1);
  });

  test('refuses more than a thousand characters', async () => {
    expect((await onEvent('a'.repeat(1001))).outcome).toMatchObject({
      ok: false,
      error: { code: 'text_too_long' },
    });
  });
});

describe('the voice cloner', () => {
  const field = 'assets.audio_file_path';
  const clone = (file: string | undefined) =>
    rehearse(
      renderVoiceCloner,
      'ai-voice-cloner',
      { style: { prompt: text } },
      { files: { [field]: file } },
    );

  test.each([110, 205])('speaks about as high as the recorded voice: %i hertz', async (pitch) => {
    const { folder } = await onEvent('a');
    const file = join(folder, 'sample.wav');
    // A buzz of four harmonics.
    const buzz = Float32Array.from({ length: rate }, (_, i) =>
      [1, 2, 3, 4].reduce(
        (sum, n) => sum + (0.2 / n) * Math.sin((2 * Math.PI * pitch * n * i) / rate),
        0,
      ),
    );
    await writeFile(file, wavOf(buzz, rate));
    const own = pitchOf(await heard(await clone(file))) ?? 0;
    expect(Math.abs(Math.log2(own / pitch))).toBeLessThan(0.25);
  });

  test('takes recordings that it cannot hear, each as another voice, and refuses what is none', async () => {
    const { folder } = await onEvent('a');
    const file = join(folder, 'sample.mp3');
    await writeFile(file, Buffer.from('4944330400000000', 'hex'));
    const speech = await heard(await clone(file));
    expect((await heard(await clone(undefined))).bytes.equals(speech.bytes)).toBe(false);
    await writeFile(file, 'these are words');
    expect((await clone(file)).outcome).toMatchObject({
      ok: false,
      error: { code: 'invalid_voice', message: expect.stringContaining(field) },
    });
  });
});
