// Repeats a request to a store while the store may still do it.
import { err, type Result } from '../../../base/result.ts';
import type { JobContext } from '../job-context.ts';
import type { StoreAnswer, StoreFailure } from '../ports.ts';
import { backoffAfter } from '../retry.ts';

const stopping: StoreFailure = { reason: 'aborted', message: 'the run is stopping' };

/** Makes at most `attempts` tries, with growing pauses. */
export async function retryWhileAway<T>(
  attempts: number,
  { clock, backoffMs, stop }: Pick<JobContext, 'clock' | 'backoffMs' | 'stop'>,
  call: () => StoreAnswer<T>,
): Promise<Result<T, StoreFailure>> {
  for (let tries = 1; ; tries++) {
    if (stop.aborted) return err(stopping);
    const answer = await call();
    if (answer.ok || answer.error.reason !== 'unavailable' || tries >= attempts) return answer;
    await clock.sleep(backoffAfter(tries, backoffMs, clock.chance()), stop);
  }
}
