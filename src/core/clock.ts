// The real clock and random numbers.
import type { Clock } from './ports.ts';

/** Node fires a longer timer at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Those who wake when a signal is aborted. Fifty thousand waiting projects have one listener: a signal looks through all of its own. */
interface Audience {
  readonly wakes: Set<() => void>;
  readonly onAbort: () => void;
}

const audiences = new Map<AbortSignal, Audience>();

function listen(signal: AbortSignal, wake: () => void): void {
  let audience = audiences.get(signal);
  if (audience === undefined) {
    const wakes = new Set<() => void>();
    const onAbort = (): void => {
      for (const one of wakes) one();
    };
    audience = { wakes, onAbort };
    audiences.set(signal, audience);
    signal.addEventListener('abort', audience.onAbort);
  }
  audience.wakes.add(wake);
}

function leave(signal: AbortSignal, wake: () => void): void {
  const audience = audiences.get(signal);
  audience?.wakes.delete(wake);
  if (audience?.wakes.size !== 0) return;
  signal.removeEventListener('abort', audience.onAbort);
  audiences.delete(signal);
}

function sleep(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return Promise.resolve();
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout;
    const wake = (): void => {
      clearTimeout(timer);
      for (const signal of signals) leave(signal, wake);
      resolve();
    };
    const wait = (left: number): void => {
      const part = Math.min(left, maxTimerMs);
      timer = setTimeout(() => (left > part ? wait(left - part) : wake()), part);
    };
    wait(ms > 0 ? ms : 0);
    for (const signal of signals) listen(signal, wake);
  });
}

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  chance: () => Math.random(),
  sleep,
};
