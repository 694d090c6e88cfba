// How often to poll a job that takes seconds or minutes (interface.md: exponential backoff).

/**
 * Pauses between polls, in milliseconds. The first poll is immediate, because some tools finish very fast. Then pauses
 * grow by half, from an eightieth of the tool's median to a quarter of it, and at most to 30 s: about ten polls for a
 * job of median length, whatever that length is. `made`: how many polls were made before.
 */
export function* pauses(medianSeconds: number, made = 0): Generator<number, never> {
  const median = medianSeconds * 1000;
  const longest = Math.min(30_000, Math.max(1_000, median / 4));
  let pause = Math.min(longest, Math.max(20, median / 80));
  for (let number = 0; ; number++) {
    if (number >= made) yield pause;
    pause = Math.min(longest, pause * 1.5);
  }
}

/** If the run receives events, polling is only for lost events and for states without one, such as `canceled`. */
export const rarerWithInbox = 4;
