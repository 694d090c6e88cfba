// Time as the service sees it: what the hour is, and being woken later. Handed in, so that tests never sleep.

export interface ServiceClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `then` once after `ms` milliseconds; the function it returns takes that back. */
  after(ms: number, then: () => void): () => void;
}

/** The real timer. It does not keep a process alive that has nothing else to do. */
export function wakeAfter(ms: number, then: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    const step = Math.min(left, longestTimerMs);
    timer = setTimeout(() => (left > step ? wait(left - step) : then()), step);
    timer.unref();
  };
  wait(ms);
  return () => clearTimeout(timer);
}

/** About 24 days: a longer timer of Node's would fire at once. */
const longestTimerMs = 2 ** 31 - 1;
