// Who can ask a run to stop: Ctrl-C, a supervisor, a terminal that is closed, a pipe that nobody reads any more. The
// first of them is asked politely of the run; Ctrl-C or SIGTERM after that end the process at once.
import { onLost } from './output.ts';
import { complain } from './terminal.ts';

export interface Stop {
  readonly signal: AbortSignal;
  off(): void;
}

/** What is said at the first of them. Only a person at a terminal, or a log, still hears it. */
const polite =
  'stopping: waiting for running requests, at most 30 s; press Ctrl-C again to stop at once; both are safe';

export function stopWhenAsked(): Stop {
  const controller = new AbortController();
  const gently = (): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    complain(polite);
  };
  const firmly = (): void => {
    if (controller.signal.aborted) process.exit(130);
    gently();
  };
  process.on('SIGINT', firmly);
  process.on('SIGTERM', firmly);
  // A terminal that is closed says so more than once: by a signal or two, and by every write that fails.
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
