// Settles a paid project: waits until it ends, and reads the final charge from its record.

import { worthAnotherAttempt } from '../../contract/api/failure.ts';
import type { Project } from '../../contract/api/project.ts';
import { recordOf } from '../../contract/tools/all.ts';
import { type Settlement, settlementOf } from '../../core/settlement.ts';
import { liveProject } from '../../model/outputs.ts';
import { find, notFound, type PaidProject, recordGone } from './gone.ts';
import type { AttachOrder, JobOutcome } from './job.ts';
import type { Attention, JobContext, Performance } from './job-context.ts';
import { failed, outcomeOf, pending, rendering, stopped } from './outcome.ts';

/** Paid by an earlier run: waits for the result, or reads it again for fresh addresses. */
export async function* attach(order: AttachOrder, context: JobContext): Performance {
  if (!order.settled) {
    const ageMs = Math.max(0, context.clock.now() - order.since);
    return yield* settle(order, ageMs, context);
  }
  const found = await find(projectOf(order), context);
  if (!found.ok) return outcomeOf('read', found.error);
  if (found.value.is === 'missing') return notFound;
  if (found.value.is === 'there') return { is: 'done', live: liveProject(found.value.project) };
  const { credits, settled: isSettled } = order;
  return yield* recordGone(order, found.value.project, { credits, isSettled }, context);
}

type Paid = Pick<
  AttachOrder,
  'fingerprint' | 'kind' | 'project' | 'credits' | 'since' | 'timeoutMs' | 'attempts'
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
    const found = await find(projectOf(paid), context);
    if (!found.ok) return outcomeOf('read', found.error);
    if (found.value.is === 'missing') return notFound;
    const { project: record } = found.value;
    if (found.value.is === 'gone') {
      looks.over(paid);
      return yield* recordGone(paid, record, unsettled(paid), context);
    }
    const settled = settlementOf(paid.fingerprint, found.value.project, paid.credits);
    if (settled !== undefined) {
      looks.over(paid);
      yield { durable: true, event: settled };
      return finalOutcome(settled, found.value.project);
    }
    looks.looked(paid, now);
    status = found.value.project.status;
  }
  looks.leave(paid);
  if (now - since > timeoutMs) return overdue(project, status);
  return rendering(project);
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
  let seenMs = 0;
  let end = inbox?.knownEndSignalOf(project);
  // The event may have come before anybody listened.
  let isMissed = end === undefined;
  end ??= inbox?.endSignalOf(project);
  const leave = attention?.kind === 'wait' ? attention.leave : undefined;
  const isTold = (): boolean => end?.aborted === true;
  using _ = lookSchedule.wait();
  try {
    for (;;) {
      const byEvent = inbox?.isTrusted === true && !isMissed;
      const dueMs = byEvent
        ? lookSchedule.nextBesidesEvents(kind, seenMs)
        : lookSchedule.nextWhileWaiting(kind, seenMs);
      const left = until - spent();
      const pause = Math.min(dueMs - age(), left);
      const signals = [stop, leave, end].filter((signal) => signal !== undefined);
      if (pause > 0) await clock.sleep(pause, ...signals);
      const isWoken = signals.some(({ aborted }) => aborted);
      const turn = isWoken ? undefined : await looks.turn(signals);
      // A look that is due at once is made although the run leaves.
      if (pause > 0 || (!isWoken && turn === undefined)) {
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
      const found = await find(projectOf(paid), context);
      if (!found.ok) return outcomeOf('read', found.error);
      if (found.value.is === 'missing') return notFound;
      const { project: record } = found.value;
      if (found.value.is === 'gone')
        return yield* recordGone(paid, record, unsettled(paid), context);
      const read = found.value.project;
      const settled = settlementOf(paid.fingerprint, read, paid.credits);
      if (settled !== undefined) {
        turn?.giveBack();
        if (byEvent && !told) inbox.missed();
        if (settled.status === 'complete')
          lookSchedule.over(
            kind,
            told ? { afterMs: byMs, dueMs: byMs, byMs } : { afterMs: seenMs, dueMs, byMs },
          );
        yield { durable: true, event: settled };
        return finalOutcome(settled, read);
      }
      if (until - spent() <= 0) return overdue(project, read.status);
      // At least a millisecond, because 0 says that nobody has looked.
      seenMs = Math.max(1, byMs);
      isMissed = false;
    }
  } finally {
    inbox?.forgetEndSignal(project);
  }
}

function finalOutcome({ status, error }: Settlement, record: Project): JobOutcome {
  if (error === undefined) return { is: 'done', live: liveProject(record) };
  const { code, message } = error;
  const again = status === 'error' && worthAnotherAttempt(code);
  return { ...failed(`${code}: ${message}`, code), again };
}

const unsettled = ({ credits }: Pick<Paid, 'credits'>) => ({ credits, isSettled: false });

const projectOf = ({
  fingerprint,
  kind,
  project,
  attempts,
  since,
}: Pick<Paid, 'fingerprint' | 'kind' | 'project' | 'attempts' | 'since'>): PaidProject => ({
  fingerprint,
  project,
  attempts,
  since,
  record: recordOf(kind),
});
