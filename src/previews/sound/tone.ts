// A soft chord for clips that are to have sound when there is none to take: it says "here is sound", and nothing else.

/** Samples a second, one channel. */
export const bedRate = 24_000;
/** How loud, of full scale. */
const loudness = 0.09;
/** Two notes and the fifth between them, each a little out of tune, as ratios of the lowest. */
const notes = [1, 1.5, 2.003, 2.497];
/** The chord swells this often a second. */
const swell = 0.22;
/** Seconds of fading in and out. */
const fading = 0.25;

/** `pitch` in hertz. */
export function toneBed(seconds: number, pitch: number): Float32Array {
  const samples = new Float32Array(Math.max(1, Math.round(seconds * bedRate)));
  const turns = notes.map((note) => (2 * Math.PI * pitch * note) / bedRate);
  for (let i = 0; i < samples.length; i++) {
    let sum = 0;
    for (const [note, turn] of turns.entries()) {
      const breath =
        0.6 + 0.4 * Math.sin(2 * Math.PI * ((swell * i) / bedRate + note / notes.length));
      sum += Math.sin(turn * i) * breath;
    }
    const edge = Math.min(i, samples.length - i) / (fading * bedRate);
    samples[i] = (sum / notes.length) * loudness * Math.min(1, edge);
  }
  return samples;
}
