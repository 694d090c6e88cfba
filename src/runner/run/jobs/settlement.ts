// Settles a paid project: waits until it ends, and reads the final charge from its record.
import { worthAnotherAttempt } from '../../../contract/api/failure.ts';
import type { Project } from '../../../contract/api/project.ts';
import { recordOf, toolNamed } from '../../../contract/kinds/tools.ts';
import type { NewEvent } from '../../journal/line.ts';
import { lastingOf, liveProject } from '../../task/outputs.ts';
import type { AttachOrder, JobOutcome, Rest } from './job.ts';
import type { Attention, JobContext } from './job-context.ts';
import { failed, outcomeOf, pending, rendering, stopped } from './outcome.ts';
import type { Performance } from './performance.ts';
import { pauses, rarerWithInbox } from './poll.ts';
import { patiently } from './retry.ts';

/** Paid by an earlier run: waits for the result, or reads it again for fresh addresses. */
export async function* attach(order: AttachOrder, context: JobContext): Performance {
  if (!order.settled) return yield* settle(order, context);
  const record = await readProject(order, context);
  if (!record.ok) return outcomeOf('read', record.error);
  if (record.value.enabled === false)
    return pending(`project ${order.project} was deleted elsewhere`);
  return { is: 'done', live: liveProject(record.value) };
}

type Paid = Pick<
  AttachOrder,
  'fingerprint' | 'kind' | 'project' | 'credits' | 'since' | 'timeoutMs' | 'attempts'
>;

export function settle(paid: Paid, context: JobContext): Performance {
  const { attention } = context;
  return attention?.kind === 'look' ? look(paid, context, attention) : waitFor(paid, context);
}

/** Looks at a project once, if that is useful now; a run that only looks waits for nothing. */
async function* look(
  paid: Paid,
  context: JobContext,
  { looks }: Extract<Attention, { readonly kind: 'look' }>,
): Performance {
  const { project, since, timeoutMs } = paid;
  const now = context.clock.now();
  let status = 'rendering';
  if (looks.isDue(paid, now)) {
    const read = await readProject(paid, context);
    if (!read.ok) return outcomeOf('read', read.error);
    const settled = settlementOf(paid.fingerprint, read.value, paid.credits);
    if (settled !== undefined) {
      looks.over(paid);
      yield { durable: false, event: settled };
      return finalOutcome(settled, read.value);
    }
    looks.looked(paid, now);
    status = read.value.status;
  }
  looks.leave(paid);
  if (now - since > timeoutMs) return overdue(project, status);
  return rendering(project);
}

const overdue = (project: string, status: string): JobOutcome =>
  pending(`project ${project} is still ${status} after its timeout`);

/** Waits until a project has ended; an event about its end cuts a pause short. Only the record counts. */
async function* waitFor(paid: Paid, context: JobContext): Performance {
  const { project } = paid;
  const { clock, stop, inbox, outages, attention } = context;
  // Time during which the service was down does not count.
  const spent = (): number => clock.elapsed() - outages.waitedMs;
  const until = spent() + paid.timeoutMs;
  let looks = attention?.kind === 'park' ? attention.looks : 0;
  const waits = pauses((toolNamed(paid.kind)?.medianSeconds ?? 10) / context.speedFactor, looks);
  const leave = attention?.kind === 'wait' ? attention.leave : undefined;
  const rarer = inbox === undefined ? 1 : rarerWithInbox;
  try {
    for (;;) {
      const pause = waits.next().value * rarer;
      // Subscribe before the read, so that an event during the read is not missed.
      const endSignal = inbox?.endSignalOf(project);
      const read = await readProject(paid, context);
      if (!read.ok) return outcomeOf('read', read.error);
      const settled = settlementOf(paid.fingerprint, read.value, paid.credits);
      if (settled !== undefined) {
        yield { durable: false, event: settled };
        return finalOutcome(settled, read.value);
      }
      const left = until - spent();
      if (left <= 0) return overdue(project, read.value.status);
      looks += 1;
      if (attention?.kind === 'park' && pause > attention.longestPauseMs)
        return rendering(project, restOf(paid, { looks, pauseMs: Math.min(pause, left), left }));
      const others = [endSignal, leave].filter((signal) => signal !== undefined);
      const enough = others.length === 0 ? stop : AbortSignal.any([stop, ...others]);
      const lookedAt = clock.now();
      if (leave?.aborted !== true) await clock.sleep(Math.min(pause, left), enough);
      if (stop.aborted) return stopped;
      if (attention?.kind === 'wait' && leave?.aborted === true && endSignal?.aborted !== true) {
        attention.looks.looked(paid, lookedAt);
        attention.looks.leave(paid);
        return rendering(project);
      }
    }
  } finally {
    inbox?.forgetEndSignal(project);
  }
}

function restOf(
  { project, credits, since }: Paid,
  { looks, pauseMs, left }: { looks: number; pauseMs: number; left: number },
): Rest {
  return { project, credits, since, timeoutMs: left - pauseMs, looks, pauseMs };
}

function finalOutcome({ status, error }: Settlement, record: Project): JobOutcome {
  if (error === undefined) return { is: 'done', live: liveProject(record) };
  const { code, message } = error;
  const again = status === 'error' && worthAnotherAttempt(code);
  return { ...failed(`${code}: ${message}`, code), again };
}

function readProject(
  { kind, project, attempts }: Pick<AttachOrder, 'kind' | 'project' | 'attempts'>,
  context: JobContext,
): ReturnType<JobContext['api']['project']> {
  return patiently<Project>('free', attempts, context, () =>
    context.api.project(recordOf(kind), project),
  );
}

/** How a project ended. */
export type Settlement = Extract<NewEvent, { readonly event: 'settled' }> & {
  readonly status: 'complete' | 'error' | 'canceled';
};

/** `charged`: the credits known so far, for a record without credits. Undefined if the project has not ended. */
export function settlementOf(
  job: string,
  record: Project,
  charged: number,
): Settlement | undefined {
  const { status } = record;
  const credits = record.credits_charged ?? (status === 'error' ? 0 : charged);
  if (status === 'complete') {
    const [expires] = record.downloads
      .map(({ expires_at: at }) => at)
      .filter((at) => at !== '')
      .sort();
    return {
      event: 'settled',
      job,
      status,
      credits,
      ...(expires === undefined ? {} : { expires }),
      result: lastingOf(record),
    };
  }
  if (status !== 'error' && status !== 'canceled') return undefined;
  const error = record.error ?? { code: status, message: reasonless[status] };
  return { event: 'settled', job, status, credits, error };
}

const reasonless = {
  error: 'the service gives no reason',
  canceled: 'stopped by hand in the hub',
} as const;
