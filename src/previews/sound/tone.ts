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
  // Each sine follows from the two before it, which is several times as fast as Math.sin.
  const factor = 2 * Math.cos(step);
  let before = -loudness * Math.sin(step);
  let now = 0;
  for (let i = 0; i < samples.length; i++) {
    samples[i] = now;
    const next = factor * now - before;
    before = now;
    now = next;
  }
  const faded = Math.min(fading * toneRate, samples.length / 2);
  for (let i = 0; i < faded; i++) {
    const edge = i / (fading * toneRate);
    samples[i] = (samples[i] ?? 0) * edge;
    const last = samples.length - 1 - i;
    samples[last] = (samples[last] ?? 0) * edge;
  }
  return samples;
}
