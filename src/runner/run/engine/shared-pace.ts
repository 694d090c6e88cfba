// Turns under a request rate that all workers of a run share: the database hands them out, several at a time.
import type { Clock } from '../jobs/ports.ts';
import { insistently, type Patience } from './patience.ts';
import type { WorkerDesk } from './ports.ts';

export interface SharedPaceOptions extends Patience {
  readonly desk: Pick<WorkerDesk, 'turns'>;
  readonly clock: Clock;
  readonly perMinute: number | undefined;
  /** If it is aborted, all waits end. */
  readonly stop: AbortSignal;
}

/** Waits until a request may be sent. */
export function sharedPace(options: SharedPaceOptions): () => Promise<void> {
  const { desk, clock, perMinute, stop } = options;
  if (perMinute === undefined) return async () => undefined;
  let waiting: PromiseWithResolvers<number>[] = [];
  let busy = false;
  const take = async (): Promise<void> => {
    while (waiting.length > 0) {
      const now = waiting;
      waiting = [];
      try {
        const turns = await insistently(options, () => desk.turns(now.length, perMinute));
        for (const [index, one] of now.entries()) one.resolve(turns[index] ?? 0);
      } catch (error) {
        for (const one of now) one.reject(error);
      }
    }
    busy = false;
  };
  return async () => {
    if (stop.aborted) return;
    const turn = Promise.withResolvers<number>();
    waiting.push(turn);
    if (!busy) {
      busy = true;
      void take();
    }
    const ms = await turn.promise;
    if (ms > 0) await clock.sleep(ms, stop);
  };
}
