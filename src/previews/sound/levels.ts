// How loud a sound is, moment by moment: what makes mouths open, bars rise and words light up.

export interface Levels {
  /** Moments a second. */
  readonly rate: number;
  /** 0: silent, 1: as loud as the loud parts of this sound. */
  readonly values: Float32Array;
}

/** Moments a second: short enough for syllables. */
const levelRate = 100;
/** Quieter than this is silence, however quiet all of it is: -54 dB of full scale. */
const silence = 0.002;
/** What is louder than this share of all moments counts as loud. */
const loudShare = 0.92;

/** `rate` samples a second and channel; the channels lie side by side. */
export function levelsOf(pieces: Iterable<Float32Array>, rate: number, channels: number): Levels {
  const step = Math.round((rate * channels) / levelRate);
  const found: number[] = [];
  let energy = 0;
  let counted = 0;
  for (const piece of pieces)
    for (const sample of piece) {
      energy += sample * sample;
      counted += 1;
      if (counted < step) continue;
      found.push(Math.sqrt(energy / counted));
      energy = 0;
      counted = 0;
    }
  if (counted > 0) found.push(Math.sqrt(energy / counted));
  const loud = found.toSorted((a, b) => a - b)[Math.floor(found.length * loudShare)] ?? 0;
  const full = Math.max(loud, silence * 4);
  const values = Float32Array.from(found, (level) =>
    Math.min(1, Math.max(0, (level - silence) / (full - silence))),
  );
  return { rate: levelRate, values };
}

/** The mean level around a time in seconds, over `width` seconds; 0 outside of the sound. */
export function levelAt({ rate, values }: Levels, time: number, width = 0.05): number {
  const first = Math.floor((time - width / 2) * rate);
  const count = Math.max(1, Math.round(width * rate));
  let sum = 0;
  for (let i = first; i < first + count; i++) sum += values[i] ?? 0;
  return sum / count;
}
