// How often to look at a job that runs for seconds or for minutes (interface.md: exponential backoff).

/**
 * Pauses between looks, in milliseconds: the first look is at once, since some tools finish too fast to
 * notice; then pauses grow by half from a sixteenth of the tool's median to a quarter of it, at most 30 s.
 */
export function* pauses(medianSeconds: number): Generator<number, never> {
  const median = medianSeconds * 1000;
  const longest = Math.min(30_000, Math.max(2_000, median / 4));
  let pause = Math.min(longest, Math.max(250, median / 16));
  for (;;) {
    yield pause;
    pause = Math.min(longest, pause * 1.5);
  }
}
