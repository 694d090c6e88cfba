// Drives the performance of one order: hands over each event, and lets the job continue when it may. Whoever drives
// decides what "recorded" means: the loop's journal, or the tables of a database.
import { unreachable } from '../../../contract/base/result.ts';
import type { NewEvent } from '../../journal/line.ts';
import type { JobOrder, JobOutcome } from './job.ts';
import type { JobContext } from './job-context.ts';
import { perform } from './perform.ts';
import type { Asking, Recorded } from './performance.ts';

export type Intent = Extract<NewEvent, { readonly event: 'intent' }>;

/**
 * - `go`: the creation may be sent now.
 * - `over`: the order ends without sending anything.
 * - `instead`: another order takes its place, because the creation was begun before.
 */
export type Permission =
  | { readonly is: 'go' }
  | { readonly is: 'over'; readonly outcome: JobOutcome }
  | { readonly is: 'instead'; readonly order: JobOrder };

export interface OrderDesk {
  /** Resolves with `go` when the intent is durable. */
  claim(intent: Intent): Promise<Permission>;
  /** The creation was certainly not accepted: may it be sent again? */
  again(): Promise<Permission>;
  /** If the event is `durable`, resolves when it is. */
  record(event: NewEvent, durable: boolean): Promise<void>;
}

export async function drive(
  order: JobOrder,
  context: JobContext,
  desk: OrderDesk,
): Promise<JobOutcome> {
  const performance = perform(order, context);
  for (;;) {
    const step = await performance.next();
    if (step.done === true) return step.value;
    const permission = await permissionFor(step.value, desk);
    switch (permission.is) {
      case 'go':
        break;
      case 'over':
        await performance.return(permission.outcome);
        return permission.outcome;
      case 'instead':
        await performance.return({ is: 'withheld', why: '' });
        return await drive(permission.order, context, desk);
      default:
        return unreachable(permission);
    }
  }
}

async function permissionFor(step: Recorded | Asking, desk: OrderDesk): Promise<Permission> {
  if ('ask' in step) return await desk.again();
  const { event, durable } = step;
  if (event.event === 'intent') return await desk.claim(event);
  await desk.record(event, durable);
  return { is: 'go' };
}
