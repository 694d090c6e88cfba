// A voice: pulses of the throat and breath through three resonances of the mouth, as formant synthesisers have made
// speech since the 1960s. Its melody falls over each sentence, and rises where a question ends.
import { type Sound, soundsOf } from './letters.ts';

/** Samples a second. */
export const rate = 22_050;

export interface Voice {
  /** The middle of its melody, in hertz. */
  readonly pitch: number;
  /** The size of the mouth: formants are this many times higher than a man's. */
  readonly scale: number;
  /** How fast it speaks: 1 is usual. */
  readonly pace: number;
}

/** Silence before and after, in seconds. */
const margin = 0.08;
/** Samples over which one sound goes over into the next, in seconds. */
const glide = 0.022;
/** The root of the mean square of what is spoken, pauses included. */
const loudness = 0.12;
const bandwidths = [80, 110, 170];

interface Spoken extends Sound {
  /** Times the voice's pitch. */
  readonly tune: number;
}

/** The text in the voice, from -1 to 1. */
export function spoken(text: string, voice: Voice, chance: () => number): Float32Array {
  const sounds = tuned(text, chance);
  const seconds = sounds.reduce((sum, { length }) => sum + length, 0) / voice.pace + 2 * margin;
  const samples = new Float32Array(Math.round(seconds * rate));
  const mouth = new Mouth(voice.scale);
  const step = 1 - Math.exp(-1 / (glide * rate));
  const now = { voice: 0, breath: 0, pitch: voice.pitch };
  let phase = 0;
  let at = Math.round(margin * rate);
  for (const sound of [...sounds, silence]) {
    const end = Math.min(samples.length, at + Math.round((sound.length / voice.pace) * rate));
    for (; at < end; at++) {
      now.voice += step * (sound.voice - now.voice);
      now.breath += step * (sound.breath - now.breath);
      now.pitch += step * 0.5 * (voice.pitch * sound.tune - now.pitch);
      mouth.move(sound.formants, step);
      phase += (now.pitch * (1 + 0.012 * Math.sin((at / rate) * 2 * Math.PI * 5.2))) / rate;
      if (phase >= 1) phase -= 1;
      const noise = chance() * 2 - 1;
      samples[at] = mouth.sound(pulse(phase) * now.voice + noise * now.breath * 0.35);
    }
  }
  return evened(samples);
}

const silence: Spoken = { ...stillOf(margin), tune: 0.8 };

function stillOf(length: number): Sound {
  return { length, formants: [500, 1500, 2500], voice: 0, breath: 0 };
}

/** The opening and sudden closing of the throat, over one period from 0 to 1 (after Rosenberg, 1971). */
function pulse(phase: number): number {
  if (phase < 0.4) return 0.5 * (1 - Math.cos((Math.PI * phase) / 0.4)) - 0.3;
  return phase < 0.56 ? Math.cos((Math.PI * (phase - 0.4)) / 0.32) - 0.3 : -0.3;
}

/** The sounds of a text with the melody of its sentences. */
function tuned(text: string, chance: () => number): readonly Spoken[] {
  const sentences = text.match(/[^.!?。…]+[.!?。…]*\s*|[.!?。…]+\s*/gu) ?? [];
  return sentences.flatMap((sentence) => {
    const letters = [...sentence];
    const asks = sentence.includes('?');
    let accent = 1;
    return letters.flatMap((letter, index) => {
      const along = index / Math.max(1, letters.length);
      if (letter === ' ') accent = 0.94 + 0.16 * chance();
      const end = asks
        ? 0.34 * Math.max(0, along - 0.75) * 4
        : -0.08 * Math.max(0, along - 0.8) * 5;
      const last = along > 0.85 ? 1.15 : 1;
      return soundsOf(letter).map((sound) => ({
        ...sound,
        length: sound.length * last * (0.92 + 0.16 * chance()),
        tune: (1.12 - 0.2 * along + end) * accent,
      }));
    });
  });
}

/** Three resonators in a row, whose places glide. */
class Mouth {
  private readonly formants = new Float64Array([500, 1500, 2500]);
  private readonly past = new Float64Array(6);
  private readonly weights = new Float64Array(9);
  private readonly scale: number;
  private until = 0;

  constructor(scale: number) {
    this.scale = scale;
  }

  move(target: readonly number[], step: number): void {
    const { formants } = this;
    for (let f = 0; f < 3; f++)
      formants[f] =
        (formants[f] ?? 0) + step * ((target[f] ?? 0) * this.scale - (formants[f] ?? 0));
    // The weights need not follow every sample.
    if (this.until-- > 0) return;
    this.until = 15;
    for (let f = 0; f < 3; f++) {
      const width = Math.exp((-Math.PI * (bandwidths[f] ?? 0)) / rate);
      const place = Math.min(rate * 0.45, formants[f] ?? 0);
      const first = 2 * width * Math.cos((2 * Math.PI * place) / rate);
      this.weights[f * 3] = 1 - first + width * width;
      this.weights[f * 3 + 1] = first;
      this.weights[f * 3 + 2] = -width * width;
    }
  }

  sound(source: number): number {
    const { past, weights } = this;
    let value = source;
    for (let f = 0; f < 3; f++) {
      const one = past[f * 2] ?? 0;
      const two = past[f * 2 + 1] ?? 0;
      value =
        (weights[f * 3] ?? 0) * value +
        (weights[f * 3 + 1] ?? 0) * one +
        (weights[f * 3 + 2] ?? 0) * two;
      past[f * 2 + 1] = one;
      past[f * 2] = value;
    }
    return value;
  }
}

/** What leaves the lips: less of the depth, as loud as speech is recorded, and no peak that stands out. */
function evened(samples: Float32Array): Float32Array {
  const outside = new Float32Array(samples.length);
  let before = 0;
  let energy = 1e-9;
  for (const [i, value] of samples.entries()) {
    const here = value - 0.93 * before;
    before = value;
    outside[i] = here;
    energy += here * here;
  }
  const gain = loudness / Math.sqrt(energy / samples.length);
  return outside.map((value) => 0.9 * Math.tanh(value * gain));
}
