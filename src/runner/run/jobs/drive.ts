// Drives the performance of one order: hands over each event, and lets the job continue when it may. Whoever drives
// decides what "recorded" means: the loop's journal, or the tables of a database.
import { unreachable } from '../../../contract/base/result.ts';
import type { JobOrder, JobOutcome } from './job.ts';
import type { JobContext } from './job-context.ts';
import { perform } from './perform.ts';
import type { Asking, Recorded } from './performance.ts';
import type { OrderDesk, Permission } from './ports.ts';

/** What `drive` tells of an order. */
export type Recorder = Pick<OrderDesk, 'claim' | 'again' | 'record'>;

export async function drive(
  order: JobOrder,
  context: JobContext,
  desk: Recorder,
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

async function permissionFor(step: Recorded | Asking, desk: Recorder): Promise<Permission> {
  if ('ask' in step) return await desk.again();
  const { event, durable } = step;
  if (event.event === 'intent') return await desk.claim(event);
  return await desk.record(event, durable);
}
