// Drives the performance of one order: hands over each event, and lets the job continue when it may. Whoever drives
// decides what "recorded" means: the walk's journal, or the tables of a database.
import { unreachable } from '../../base/result.ts';
import type { NewEvent } from '../../model/line.ts';
import { awaitEvent, create } from './create.ts';
import type { JobOrder, JobOutcome } from './job.ts';
import type { Asking, JobContext, Performance, Recorded } from './job-context.ts';
import { stopped } from './outcome.ts';
import type { OrderJournal, Permission } from './ports.ts';
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
    switch (permission.is) {
      case 'go':
        break;
      case 'over':
        await performance.return(permission.outcome);
        return permission.outcome;
      case 'instead':
        await performance.return({ is: 'withheld', why: '' });
        return await drive(permission.order, context, recorder);
      default:
        return unreachable(permission);
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
      return inOwnNames(detect(order, context), order.names);
    case 'create':
      return inOwnNames(saved(order, create(order, context), context), order.names);
    case 'attach':
      return inOwnNames(saved(order, attach(order, context), context), order.names);
    case 'await':
      return inOwnNames(saved(order, awaitEvent(order, context), context), order.names);
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

// Puts the names of a person's own files in the place of the service's addresses, before a sentence of the service is
// recorded or shown.

type Names = Readonly<Record<string, string>>;

/** The same performance, with own names in its events and in its outcome. */
export async function* inOwnNames(performance: Performance, names: Names = {}): Performance {
  const known = Object.entries(names).sort(([one], [other]) => other.length - one.length);
  if (known.length === 0) return yield* performance;
  try {
    for (;;) {
      const step = await performance.next();
      if (step.done === true) return renamedOutcome(step.value, known);
      const { value } = step;
      yield 'ask' in value ? value : { ...value, event: renamedEvent(value.event, known) };
    }
  } finally {
    // Whoever drives may end the job early: then the performance tidies up, too.
    await performance.return(stopped);
  }
}

type Known = readonly (readonly [string, string])[];

const renamed = (text: string, known: Known): string =>
  known.reduce((sentence, [address, file]) => sentence.replaceAll(address, file), text);

function renamedEvent(event: NewEvent, known: Known): NewEvent {
  if (event.event === 'doubt') return { ...event, why: renamed(event.why, known) };
  if (event.event !== 'settled' || event.error === undefined) return event;
  const { code, message } = event.error;
  return { ...event, error: { code, message: renamed(message, known) } };
}

function renamedOutcome(outcome: JobOutcome, known: Known): JobOutcome {
  if (outcome.is !== 'ended' && outcome.is !== 'resupply') return outcome;
  const why = renamed(outcome.why, known);
  if (outcome.is === 'resupply') return { ...outcome, why };
  const named = [...new Set(known.map(([, file]) => file))].filter((file) => why.includes(file));
  return { ...outcome, why, ...(named.length === 0 ? {} : { named }) };
}
