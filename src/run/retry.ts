// Sends a call again only when that is safe: api/failure.ts says when, p-retry how long to wait.
import pRetry from 'p-retry';
import { type ApiFailure, type CallKind, remedy } from '../api/failure.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { World } from './world.ts';

/** Carries an expected failure through p-retry, which speaks in exceptions. */
class Unsuccessful extends Error {
  readonly code = 'UNSUCCESSFUL';
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

type Patience = Pick<World, 'clock' | 'stop' | 'backoffMs'>;

const longestMs = 30_000;

/** Waits before a request is sent again: as long as the service asks, then a jittered, doubling pause. */
export async function pauseAfter(
  failure: ApiFailure,
  tries: number,
  world: Patience,
): Promise<void> {
  const { clock, backoffMs, stop } = world;
  if ('retryAfterMs' in failure && failure.retryAfterMs !== undefined)
    await clock.sleep(failure.retryAfterMs, stop);
  const pause = Math.min(longestMs, backoffMs * 2 ** (tries - 1));
  await clock.sleep(pause * (0.5 + clock.chance()), stop);
}

/** At most `attempts` tries in all, with exponential backoff, jitter and the service's own Retry-After. */
export async function patiently<T>(
  kind: CallKind,
  attempts: number,
  world: Patience,
  call: () => Promise<Result<T, ApiFailure>>,
): Promise<Result<T, ApiFailure>> {
  const first = await call();
  if (first.ok || remedy(kind, first.error) !== 'retry' || attempts <= 1) return first;
  let last: Result<T, ApiFailure> | undefined = first;
  const waitAsAsked = async (): Promise<void> => {
    const failure = last === undefined || last.ok ? undefined : last.error;
    const ms =
      failure !== undefined && 'retryAfterMs' in failure ? failure.retryAfterMs : undefined;
    if (ms !== undefined) await world.clock.sleep(ms, world.stop);
  };
  try {
    await pauseAfter(first.error, 1, world);
    const value = await pRetry(
      async () => {
        last = undefined;
        last = await call();
        if (last.ok) return last.value;
        throw new Unsuccessful(last.error);
      },
      {
        retries: attempts - 2,
        minTimeout: world.backoffMs * 2,
        maxTimeout: longestMs,
        factor: 2,
        randomize: true,
        signal: world.stop,
        shouldRetry: ({ error }) =>
          error instanceof Unsuccessful && remedy(kind, error.failure) === 'retry',
        onFailedAttempt: async ({ retriesLeft }) => {
          if (retriesLeft > 0) await waitAsAsked();
        },
      },
    );
    return ok(value);
  } catch (error) {
    if (error instanceof Unsuccessful) return err(error.failure);
    if (!world.stop.aborted || last === undefined) throw error;
    // Once stopped, p-retry drops the answer that came meanwhile. It may say that something was paid.
    if (last.ok || remedy(kind, last.error) !== 'retry') return last;
    return err({ reason: 'aborted', message: '' });
  }
}
