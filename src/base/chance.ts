// Repeatable random numbers: the same seed and sequence give the same numbers on every machine.

/** Numbers in [0, 1) that depend only on the two arguments (mulberry32). */
export function chanceOf(seed: number, sequence: number): () => number {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(sequence | 0, 0x85ebca6b)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
