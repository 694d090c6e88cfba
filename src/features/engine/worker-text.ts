// What a worker says while it works.
import { printable } from '../../base/printable.ts';
import { count } from '../../base/text.ts';
import type { RunEvent } from '../../run/run-event.ts';

/** What happens to a worker, besides the events of its runs. */
export type WorkerEvent =
  /** It waits for a run. `others`: open runs whose folder this host does not see. */
  | { readonly type: 'idle'; readonly others: number }
  | {
      readonly type: 'serving';
      readonly run: string;
      readonly pipeline: string;
      readonly worker: string;
    }
  | { readonly type: 'served'; readonly run: string; readonly left: boolean }
  /** The database is away, and why, or it is back. */
  | { readonly type: 'database'; readonly away?: string }
  | RunEvent;

/** Undefined for an event that people need not see. */
export function workerText(event: WorkerEvent): string | undefined {
  switch (event.type) {
    case 'idle':
      return event.others === 0
        ? 'There is no run: waiting for one. Ctrl-C stops this worker.'
        : `Waiting for a run of this folder: ${count(event.others, 'run')} in the database belong to other folders. If one of them is yours, check --root.`;
    case 'serving':
      return `Working on "${printable(event.pipeline)}" (run ${printable(event.run)}) as ${printable(event.worker)}`;
    case 'served':
      return event.left
        ? `Left the run ${printable(event.run)}`
        : `The run ${printable(event.run)} needs this worker no longer`;
    case 'database':
      return event.away === undefined
        ? 'the database is back'
        : `waiting: the database is away: ${printable(event.away)}`;
    case 'warning':
      return `warning: ${printable(event.message)}`;
    case 'waiting':
      return `waiting: ${printable(event.why)}`;
    case 'back':
      return 'the service is back';
    default:
      return undefined;
  }
}
