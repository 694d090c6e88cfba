// The ways to ask a run to stop: Ctrl-C, a supervisor, a closed terminal, a pipe without a reader. The first request
// lets the run end in order; another Ctrl-C or SIGTERM ends the process immediately.
import { onLost } from './output.ts';
import { complainProse } from './terminal.ts';

export interface Stop {
  readonly signal: AbortSignal;
  off(): void;
}

/** The message for the first request. Only a terminal that is still open, or a log, receives it. */
const polite = (seconds: number): string =>
  `stopping: waiting for running requests, at most ${seconds} s; press Ctrl-C again to stop at once; both are safe`;

/** `said`: what is said at the first request to stop; a number: how many seconds running requests may take after it. */
export function stopWhenAsked(said: string | number = 30): Stop {
  const controller = new AbortController();
  const gently = (): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    complainProse(typeof said === 'string' ? said : polite(said));
  };
  const firmly = (): void => {
    if (controller.signal.aborted) process.exit(130);
    gently();
  };
  process.on('SIGINT', firmly);
  process.on('SIGTERM', firmly);
  // A closed terminal reports itself more than once: by a signal or two, and by every failed write.
  process.on('SIGHUP', gently);
  const stay = onLost(gently);
  return {
    signal: controller.signal,
    off() {
      process.off('SIGINT', firmly);
      process.off('SIGTERM', firmly);
      process.off('SIGHUP', gently);
      stay();
    },
  };
}

/** Resolves when a person or the system asks the command to stop. */
export const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
