// Tells what a worker's desk hears and writes, and changes none of it.
import type { WorkerWatch } from '../../report/engine-watch.ts';
import { DatabaseAway } from '../../run/engine/away.ts';
import type { OrderEnd, WorkerDesk } from '../../run/engine/ports.ts';

export interface DeskWatch extends Pick<WorkerWatch, 'beat' | 'ended'> {
  /** The database has gone away, because of `why`; undefined: it is back. */
  readonly database: (why: string | undefined) => void;
}

export function watchedDesk(desk: WorkerDesk, watch: DeskWatch): WorkerDesk {
  let isAway = false;
  const tell = (why: string | undefined): void => {
    const now = why !== undefined;
    if (now !== isAway) watch.database(why);
    isAway = now;
  };
  const seen = async <T>(call: Promise<T>): Promise<T> => {
    try {
      const answer = await call;
      tell(undefined);
      return answer;
    } catch (error) {
      if (error instanceof DatabaseAway) tell(error.message);
      throw error;
    }
  };
  return {
    fetch: (most) => seen(desk.fetch(most)),
    turns: (count, perMinute) => seen(desk.turns(count, perMinute)),
    slowDown: (ms) => seen(desk.slowDown(ms)),
    async commit(batch) {
      const answer = await seen(desk.commit(batch));
      for (const [index, end] of batch.ends.entries())
        if (answer.ends[index] === true) watch.ended(outcomeOf(end));
      return answer;
    },
    async beat(leases, busy) {
      const beat = await seen(desk.beat(leases, busy));
      watch.beat(busy);
      return beat;
    },
  };
}

/** A word for the end of an order. */
function outcomeOf(end: OrderEnd): string {
  if (end.is === 'parked') return 'parked';
  return end.outcome.is === 'ended' ? end.outcome.ending : end.outcome.is;
}
