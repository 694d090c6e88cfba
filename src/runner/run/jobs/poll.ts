// How often to look at a job that runs for seconds or for minutes (interface.md: exponential backoff).

/**
 * Pauses between looks, in milliseconds. The first look is at once, since some tools finish too fast to notice;
 * then pauses grow by half, from an eightieth of the tool's median to a quarter of it, at most 30 s: about ten
 * looks for a job of median length, however long that is.
 */
export function* pauses(medianSeconds: number): Generator<number, never> {
  const median = medianSeconds * 1000;
  const longest = Math.min(30_000, Math.max(1_000, median / 4));
  let pause = Math.min(longest, Math.max(20, median / 80));
  for (;;) {
    yield pause;
    pause = Math.min(longest, pause * 1.5);
  }
}

/** With the service's events, looking is only for those that get lost and for what has none, such as `canceled`. */
export const rarerWithInbox = 4;
