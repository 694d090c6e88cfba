// Drives the performance of one order: hands over each event to the journal, and lets the job continue when it may.
import { unreachable } from '../../base/result.ts';
import { awaitEvent, create } from './create.ts';
import type { JobOrder, JobOutcome } from './job.ts';
import type { Asking, JobContext, Performance, Recorded } from './job-context.ts';
import type { OrderJournal, Permission } from './performer.ts';
import { copy, download, remove, saved } from './save.ts';
import { attach } from './settlement.ts';
import { store } from './store.ts';
import { detect, digest, reupload, settleRemembered, upload } from './supply.ts';

/** What `drive` tells of an order. */
export type Recorder = Pick<OrderJournal, 'claim' | 'again' | 'record'>;

export async function drive(
  order: JobOrder,
  context: JobContext,
  recorder: Recorder,
): Promise<JobOutcome> {
  const performance = perform(order, context);
  for (;;) {
    const step = await performance.next();
    if (step.done === true) return step.value;
    const permission = await permissionFor(step.value, recorder);
    if (permission.is === 'over') {
      await performance.return(permission.outcome);
      return permission.outcome;
    }
  }
}

async function permissionFor(step: Recorded | Asking, recorder: Recorder): Promise<Permission> {
  if ('ask' in step) return await recorder.again();
  const { event, durable } = step;
  if (event.event === 'intent') return await recorder.claim(event);
  return await recorder.record(event, durable);
}

// Performs one job as an async generator of events. The caller makes each event durable before asking for the next.

export function perform(order: JobOrder, context: JobContext): Performance {
  switch (order.operation) {
    case 'upload':
      return upload(order, context);
    case 'reupload':
      return reupload(order, context);
    case 'detect':
      return detect(order, context);
    case 'create':
      return saved(order, create(order, context), context);
    case 'attach':
      return saved(order, attach(order, context), context);
    case 'await':
      return saved(order, awaitEvent(order, context), context);
    case 'download':
      return download(order, context);
    case 'copy':
      return copy(order, context);
    case 'store':
      return store(order, context);
    case 'delete':
      return remove(order, context);
    case 'digest':
      return digest(order, context);
    case 'settle':
      return settleRemembered(order, context);
    default:
      return unreachable(order);
  }
}
