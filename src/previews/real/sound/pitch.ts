// How high a recorded voice is: the period at which its sound repeats itself best.
import type { Recording } from './recording.ts';

/** The voices of grown people and children, in hertz. */
const lowest = 70;
const highest = 380;
/** The length of the stretch that is looked at, in seconds, and how many there are over the recording. */
const stretch = 0.05;
const stretches = 40;
/** Of itself, how much of a sound must come back after a period for it to be a voice. */
const leastLikeness = 0.5;
/** Samples a second are enough for a pitch. */
const enough = 8000;

/** The median over the recording, in hertz; undefined when nothing in it repeats. */
export function pitchOf({ samples, rate }: Recording): number | undefined {
  const skip = Math.max(1, Math.round(rate / enough));
  const slow = rate / skip;
  const length = Math.round(stretch * slow);
  const reach = Math.ceil(slow / lowest);
  const size = Math.floor(samples.length / skip) - length - reach;
  if (size < 1 || slow < 2000) return undefined;
  const found: number[] = [];
  for (let part = 0; part < stretches; part++) {
    const start = Math.floor((part / stretches) * size);
    const period = periodAt(samples, start, skip, length, slow);
    if (period !== undefined) found.push(slow / period);
  }
  return found.sort((one, two) => one - two)[Math.floor(found.length / 2)];
}

function periodAt(
  samples: Float32Array,
  start: number,
  skip: number,
  length: number,
  rate: number,
): number | undefined {
  const at = (index: number): number => samples[(start + index) * skip] ?? 0;
  let energy = 0;
  for (let i = 0; i < length; i++) energy += at(i) ** 2;
  if (energy / length < 1e-4) return undefined;
  let best: number | undefined;
  let most = leastLikeness;
  for (let lag = Math.floor(rate / highest); lag <= rate / lowest; lag++) {
    let product = 0;
    let shifted = 1e-9;
    for (let i = 0; i < length; i++) {
      product += at(i) * at(i + lag);
      shifted += at(i + lag) ** 2;
    }
    const likeness = product / Math.sqrt(energy * shifted);
    // A period's multiples repeat as well: only a clearly better one replaces it.
    if (likeness > most + (best === undefined ? 0 : 0.03)) {
      most = likeness;
      best = lag;
    }
  }
  return best;
}
