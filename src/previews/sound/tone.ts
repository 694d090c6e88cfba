// A soft tone for sound that a rehearsal does not make: it has the right length, and says nothing else.

/** Samples per second, one channel. */
export const toneRate = 16_000;
/** Loudness, of full scale. */
const loudness = 0.12;
/** Seconds of fading in and out. */
const fading = 0.1;

/** `pitch` in hertz. */
export function toneOf(seconds: number, pitch: number): Float32Array {
  const samples = new Float32Array(Math.max(1, Math.round(seconds * toneRate)));
  const step = (2 * Math.PI * pitch) / toneRate;
  for (let i = 0; i < samples.length; i++) {
    const edge = Math.min(i, samples.length - i) / (fading * toneRate);
    samples[i] = Math.sin(step * i) * loudness * Math.min(1, edge);
  }
  return samples;
}
