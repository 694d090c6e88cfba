// Settles a paid project: waits until it ends, and reads the final charge from its record.
import { worthAnotherAttempt } from '../../contract/api/failure.ts';
import type { Project } from '../../contract/api/project.ts';
import { recordOf } from '../../contract/tools/all.ts';
import type { NewEvent } from '../../model/line.ts';
import { lastingOf, liveProject } from '../../model/outputs.ts';
import type { AttachOrder, JobOutcome, Rest } from './job.ts';
import type { Attention, JobContext, Performance } from './job-context.ts';
import { failed, outcomeOf, pending, rendering, stopped } from './outcome.ts';
import { patiently } from './retry.ts';

/** Paid by an earlier run: waits for the result, or reads it again for fresh addresses. */
export async function* attach(order: AttachOrder, context: JobContext): Performance {
  if (!order.settled) {
    const ageMs = Math.max(0, context.clock.now() - order.since);
    return yield* settle(order, ageMs, context);
  }
  const record = await readProject(order, context);
  if (!record.ok) return outcomeOf('read', record.error);
  if (record.value.enabled === false)
    return pending(`project ${order.project} was deleted elsewhere`);
  return { is: 'done', live: liveProject(record.value) };
}

type Paid = Pick<
  AttachOrder,
  'adopted' | 'fingerprint' | 'kind' | 'project' | 'credits' | 'since' | 'timeoutMs' | 'attempts'
>;

/** `ageMs`: how long ago the project was created. */
export function settle(paid: Paid, ageMs: number, context: JobContext): Performance {
  const { attention } = context;
  return attention?.kind === 'look'
    ? look(paid, context, attention)
    : waitFor(paid, ageMs, context);
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
    if (isGone(paid, read, context)) return yield* gone(paid, context);
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

/** Another pipeline of this user may have deleted the project: one that paid for it, or one that took it over. */
function isGone(
  { adopted, fingerprint, project }: Paid,
  read: Awaited<ReturnType<typeof readProject>>,
  { remembered }: JobContext,
): boolean {
  const isMissing = read.ok
    ? read.value.enabled === false && read.value.status === 'complete'
    : read.error.reason === 'not-found';
  if (!isMissing) return false;
  return adopted === true || remembered?.lastKnown(fingerprint, project)?.state === 'deleted';
}

/** What the project had is known from the receipts; then the task is decided again. */
async function* gone(
  { fingerprint: job, project, credits: charged }: Paid,
  { remembered }: JobContext,
): Performance {
  const { result, credits = charged } = remembered?.lastKnown(job, project) ?? {};
  if (result !== undefined)
    yield { durable: false, event: { event: 'settled', job, status: 'complete', credits, result } };
  const why = `project ${project} is gone: the service has it no more, and another record of this machine knows of it`;
  yield { durable: false, event: { event: 'deleted', job, why } };
  return { is: 'read', unreadable: [] };
}

const overdue = (project: string, status: string): JobOutcome =>
  pending(`project ${project} is still ${status} after its timeout`);

/**
 * Waits until a project has ended. Looks at it when that is due and its turn has come, or when an event says that it has ended; only
 * the record counts.
 */
async function* waitFor(paid: Paid, ageMs: number, context: JobContext): Performance {
  const { project, kind } = paid;
  const { clock, stop, inbox, outages, attention, lookSchedule, looks } = context;
  // Time during which the service was down does not count.
  const spent = (): number => clock.elapsed() - outages.waitedMs;
  const until = spent() + paid.timeoutMs;
  const created = clock.elapsed() - ageMs;
  const age = (): number => clock.elapsed() - created;
  const isParked = attention?.kind === 'park';
  let seenMs = isParked ? attention.seenMs : 0;
  let end = inbox?.knownEndSignalOf(project);
  // The event may have come before anybody listened.
  let isMissed = end === undefined;
  end ??= inbox?.endSignalOf(project);
  const leave = attention?.kind === 'wait' ? attention.leave : undefined;
  const isTold = (): boolean => end?.aborted === true;
  using _ = isParked ? undefined : lookSchedule.wait();
  try {
    for (;;) {
      const byEvent = inbox?.isTrusted === true && !isMissed;
      const dueMs = byEvent
        ? lookSchedule.nextBesidesEvents(kind, seenMs)
        : isParked
          ? lookSchedule.next(kind, seenMs)
          : lookSchedule.nextWhileWaiting(kind, seenMs);
      const left = until - spent();
      const pause = Math.min(dueMs - age(), left);
      if (isParked && pause > attention.longestPauseMs && !isTold())
        return rendering(project, restOf(paid, { seenMs, pauseMs: pause, left }));
      const signals = [stop, leave, end].filter((signal) => signal !== undefined);
      if (pause > 0) await clock.sleep(pause, ...signals);
      const isWoken = signals.some(({ aborted }) => aborted);
      const isQueued = !isParked && !isWoken;
      const turn = isQueued ? await looks.turn(signals) : undefined;
      // A look that is due at once is made although the run leaves.
      if (pause > 0 || (isQueued && turn === undefined)) {
        if (stop.aborted) return stopped;
        if (attention?.kind === 'wait' && leave?.aborted === true && !isTold()) {
          if (seenMs > 0) attention.looks.looked(paid, clock.now() - age() + seenMs);
          attention.looks.leave(paid);
          return rendering(project);
        }
      }
      const told = isTold();
      // Listen before the read, so that an event during the read is not missed.
      if (told) end = inbox?.endSignalOf(project);
      const byMs = age();
      const read = await readProject(paid, context);
      if (isGone(paid, read, context)) return yield* gone(paid, context);
      if (!read.ok) return outcomeOf('read', read.error);
      const settled = settlementOf(paid.fingerprint, read.value, paid.credits);
      if (settled !== undefined) {
        turn?.giveBack();
        if (byEvent && !told) inbox.missed();
        if (settled.status === 'complete')
          lookSchedule.over(
            kind,
            told ? { afterMs: byMs, dueMs: byMs, byMs } : { afterMs: seenMs, dueMs, byMs },
          );
        yield { durable: false, event: settled };
        return finalOutcome(settled, read.value);
      }
      if (until - spent() <= 0) return overdue(project, read.value.status);
      // At least a millisecond, because 0 says that nobody has looked.
      seenMs = Math.max(1, byMs);
      isMissed = false;
    }
  } finally {
    inbox?.forgetEndSignal(project);
  }
}

function restOf(
  { project, credits, since }: Paid,
  { seenMs, pauseMs, left }: { seenMs: number; pauseMs: number; left: number },
): Rest {
  return { project, credits, since, timeoutMs: left - pauseMs, seenMs, pauseMs };
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
