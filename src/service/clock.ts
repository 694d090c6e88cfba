// The service's clock: the current time, and timers. Tests pass in a clock of their own and never sleep.

export interface ServiceClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `then` once after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, then: () => void): () => void;
}

/** A real timer. A process with nothing else to do does not wait for it. */
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

/** About 24 days. Node.js fires a longer timer immediately. */
const longestTimerMs = 2 ** 31 - 1;
