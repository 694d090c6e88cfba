// The voice tools: tones of the right length, with a pitch for each voice.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderAudio, renderVoiceCloner } from '../../../src/previews/tools/sounds.ts';
import { filesOf, type Rehearsed, rehearse } from '../rehearse.ts';

const text = 'Hello, how are you? I am fine, thank you.';
const say = (prompt: string, voice = 'Narrator') =>
  rehearse(renderAudio, 'ai-voice-generator', { style: { prompt, voice_name: voice } });

/** A WAV file of 16 bits and one channel. */
async function heard(rehearsed: Rehearsed) {
  const [file] = filesOf(rehearsed);
  const bytes = await readFile(join(rehearsed.folder, file?.name ?? ''));
  expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12)).toBe('RIFFWAVE');
  const rate = bytes.readUInt32LE(24);
  const samples = Array.from({ length: (bytes.length - 44) / 2 }, (_, i) =>
    bytes.readInt16LE(44 + i * 2),
  );
  const waves = samples.filter((value, i) => value >= 0 && (samples[i - 1] ?? 0) < 0).length;
  const seconds = samples.length / rate;
  return { bytes, seconds, hertz: waves / seconds, loudest: Math.max(...samples.slice(0, 50_000)) };
}

describe('a sound of a tool without a renderer of its own', () => {
  test('lasts as long as a person would speak, and the same again', async () => {
    const speech = await heard(await say(text));
    expect(speech.seconds).toBeGreaterThan(text.length / 16);
    expect(speech.seconds).toBeLessThan(text.length / 8);
    expect(speech.loudest).toBeGreaterThan(2000);
    expect((await heard(await say(text))).bytes.equals(speech.bytes)).toBe(true);
    expect((await heard(await say(`${text} ${text}`))).seconds).toBeGreaterThan(
      speech.seconds * 1.9,
    );
  });

  test('gives each name a pitch of its own, and every script a length', async () => {
    const pitches = await Promise.all(
      ['Narrator', 'Emma', 'Zoë'].map(async (name) =>
        Math.round((await heard(await say(text, name))).hertz),
      ),
    );
    expect(new Set(pitches).size).toBe(3);
    expect((await heard(await say('Привет, мир! 你好'))).seconds).toBeGreaterThan(0.8);
    expect((await heard(await say(''))).seconds).toBeGreaterThan(0.1);
  });

  test('of a request without a text is as long as the request asks for', async () => {
    const body = { start_seconds: 1, end_seconds: 3 };
    const { seconds } = await heard(await rehearse(renderAudio, 'ai-voice-generator', body));
    expect(seconds).toBeCloseTo(2, 2);
  });

  test('refuses more than a thousand characters', async () => {
    expect((await say('a'.repeat(1001))).outcome).toMatchObject({
      ok: false,
      error: { code: 'text_too_long' },
    });
  });
});

test('the voice cloner takes recordings, each as another voice, and refuses what is none', async () => {
  const field = 'assets.audio_file_path';
  const clone = (file: string | undefined) =>
    rehearse(
      renderVoiceCloner,
      'ai-voice-cloner',
      { style: { prompt: text } },
      { files: { [field]: file } },
    );
  const { folder } = await say('a');
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
