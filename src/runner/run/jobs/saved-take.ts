// A take of a reroll is saved as a part of its job: no step of the pipeline may download it before a person picks it.
import type { AttachOrder, AwaitOrder, CreateOrder } from './job.ts';
import type { JobContext } from './job-context.ts';
import type { Performance } from './performance.ts';
import { download } from './save.ts';

/** The performance of an order, then the download of its result, if the order says where. */
export async function* saved(
  order: CreateOrder | AttachOrder | AwaitOrder,
  performance: Performance,
  context: JobContext,
): Performance {
  const outcome = yield* performance;
  const { saveTo, key, task, kind, attempts, fingerprint } = order;
  if (saveTo === undefined || outcome.is !== 'done') return outcome;
  const { id: project } = outcome.live;
  if (typeof project !== 'string') throw new Error(`bug: ${task} is done without a project`);
  const head = { key, task, kind, attempts, fingerprint };
  const saving = yield* download(
    { ...head, operation: 'download', tool: kind, project, to: saveTo },
    context,
  );
  if (saving.is !== 'done') return saving;
  return saving.misnamed === undefined ? outcome : { ...outcome, misnamed: saving.misnamed };
}
