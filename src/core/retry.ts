// Repeats a call only if that is safe, which api/failure.ts decides.
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

const maxPauseMs = 30_000;

/** The pause after this many tries, in milliseconds: it doubles, up to 30 seconds, with a jitter of one half. */
export const backoffAfter = (tries: number, firstMs: number, chance: number): number =>
  Math.min(maxPauseMs, firstMs * 2 ** (tries - 1)) * (0.5 + chance);

/** How long the service asks to wait, in milliseconds. */
export const askedPause = (failure: ApiFailure): number =>
  'retryAfterMs' in failure ? (failure.retryAfterMs ?? 0) : 0;

/** Makes at most `attempts` tries; between them it waits as long as the service asks, and a pause more. */
export async function patiently<T>(
  kind: CallKind,
  attempts: number,
  { clock, stop, backoffMs }: Patience,
  call: () => Promise<Result<T, ApiFailure>>,
): Promise<Result<T, ApiFailure>> {
  for (let tries = 1; ; tries++) {
    const answer = await call();
    if (answer.ok || tries >= attempts || remedy(kind, answer.error) !== 'retry') return answer;
    const pauseMs = backoffAfter(tries, backoffMs, clock.chance());
    await clock.sleep(askedPause(answer.error) + pauseMs, stop);
    if (stop.aborted) return err({ reason: 'aborted', message: '' });
  }
}
