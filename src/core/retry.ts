// Repeats a call if that is safe and may help.
import { err, type Result } from '../base/result.ts';
import { type ApiFailure, remedy } from '../contract/api/failure.ts';
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
export const askedPause = (failure: object): number =>
  'retryAfterMs' in failure && typeof failure.retryAfterMs === 'number' ? failure.retryAfterMs : 0;

/** Makes at most `attempts` tries; between them it waits as long as the other side asks, and a pause more. */
export async function patiently<T, E extends { readonly reason: string }>(
  attempts: number,
  { clock, stop, backoffMs }: Patience,
  isWorthIt: (failure: E) => boolean,
  call: () => Promise<Result<T, E>>,
): Promise<Result<T, E | Stopped>> {
  for (let tries = 1; ; tries++) {
    const answer = await call();
    if (answer.ok || tries >= attempts || !isWorthIt(answer.error)) return answer;
    const pauseMs = backoffAfter(tries, backoffMs, clock.chance());
    await clock.sleep(askedPause(answer.error) + pauseMs, stop);
    if (stop.aborted) return err({ reason: 'aborted', message: 'the run is stopping' });
  }
}

interface Stopped {
  readonly reason: 'aborted';
  readonly message: string;
}

/** A read, a delete: nothing is done twice. */
export const isFreeAgain = (failure: ApiFailure): boolean => remedy('free', failure) === 'retry';
