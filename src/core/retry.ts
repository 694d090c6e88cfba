// Repeats a call only if that is safe: api/failure.ts decides, and p-retry counts the tries.
import pRetry from 'p-retry';
import { err, type Result } from '../base/result.ts';
import { type ApiFailure, type CallKind, remedy } from '../contract/api/failure.ts';
import type { Clock } from './ports.ts';

interface Patience {
  readonly clock: Clock;
  /** If it is aborted, all waits end. */
  readonly stop: AbortSignal;
  /** The first pause, in milliseconds. */
  readonly backoffMs: number;
}

/** In milliseconds. */
export const maxPauseMs = 30_000;

/** The pause after this many tries, in milliseconds: it doubles, up to 30 seconds, with a jitter of one half. */
export function backoffAfter(tries: number, firstMs: number, chance: number): number {
  return Math.min(maxPauseMs, firstMs * 2 ** (tries - 1)) * (0.5 + chance);
}

/** How long the service asks to wait, in milliseconds. */
export const askedPause = (failure: ApiFailure): number =>
  'retryAfterMs' in failure ? (failure.retryAfterMs ?? 0) : 0;

/** Waits before a request is sent again: as long as the service asks, plus a jittered, doubling pause. */
export async function pauseAfter(
  failure: ApiFailure,
  tries: number,
  { clock, backoffMs, stop }: Patience,
): Promise<void> {
  const ms = askedPause(failure) + backoffAfter(tries, backoffMs, clock.chance());
  await clock.sleep(ms, stop);
}

/** Carries an expected failure through p-retry, which uses exceptions. */
class Unsuccessful extends Error {
  readonly code = 'UNSUCCESSFUL';
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Makes at most `attempts` tries. p-retry counts them; we wait ourselves, by the injected clock. */
export async function patiently<T>(
  kind: CallKind,
  attempts: number,
  context: Patience,
  call: () => Promise<Result<T, ApiFailure>>,
): Promise<Result<T, ApiFailure>> {
  let stopped = false;
  try {
    return await pRetry(
      async () => {
        const answer = await call();
        if (answer.ok || remedy(kind, answer.error) !== 'retry') return answer;
        throw new Unsuccessful(answer.error);
      },
      {
        retries: attempts - 1,
        minTimeout: 0,
        async onFailedAttempt({ error, attemptNumber, retriesLeft }) {
          if (!(error instanceof Unsuccessful) || retriesLeft === 0) return;
          await pauseAfter(error.failure, attemptNumber, context);
          stopped = context.stop.aborted;
        },
        shouldRetry: ({ error }) => error instanceof Unsuccessful && !stopped,
      },
    );
  } catch (error) {
    if (!(error instanceof Unsuccessful)) throw error;
    return err(stopped ? { reason: 'aborted', message: '' } : error.failure);
  }
}
