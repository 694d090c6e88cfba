// Reads a paid project, and finds out whether it is gone: the service does not have it, twice and seconds apart, while the
// account that paid for it answers. One look may meet a replica that lags, and another account sees none of our projects.
import { err, ok, type Result } from '../../base/result.ts';
import type { ApiFailure } from '../../contract/api/failure.ts';
import type { Project, RecordKind } from '../../contract/api/project.ts';
import type { ServiceAnswer } from '../../core/ports.ts';
import { patiently } from '../../core/retry.ts';
import type { Fingerprint } from '../../model/fingerprint.ts';
import type { NewEvent } from '../../model/line.ts';
import { lastingOf } from '../../model/outputs.ts';
import type { Ended, JobOutcome, OrderHead } from './job.ts';
import type { JobContext, Recorded } from './job-context.ts';
import { pending } from './outcome.ts';

export interface PaidProject extends Pick<OrderHead, 'attempts'> {
  readonly fingerprint: Fingerprint;
  readonly project: string;
  readonly record: RecordKind;
  /** When it was created, in milliseconds since 1970; undefined if it has been seen. */
  readonly since?: number | undefined;
}

export type Finding =
  | { readonly is: 'there'; readonly project: Project }
  /** `project`: its last record, if the service still shows it. */
  | { readonly is: 'gone'; readonly project: Project | undefined }
  /** Not there, but so new that a replica may lag, or it is not known that this account has paid for it. */
  | { readonly is: 'missing' };

const secondLookMs = 3_000;
const newMs = 60_000;

export async function find(
  paid: PaidProject,
  context: JobContext,
): Promise<Result<Finding, ApiFailure>> {
  const { fingerprint, project } = paid;
  const { clock, stop, remembered } = context;
  for (const isLast of [false, true]) {
    const read = await look(paid, context);
    const shown = read.ok ? read.value : undefined;
    if (shown !== undefined && !isDeleted(shown)) return ok({ is: 'there', project: shown });
    if (!read.ok && read.error.reason !== 'not-found') return read;
    const gone = ok({ is: 'gone', project: shown } as const);
    // Whoever paid has saved and deleted it.
    if (remembered?.lastKnown(fingerprint, project)?.state === 'deleted') return gone;
    if (isLast) {
      if (shown !== undefined) return gone;
      const age = paid.since === undefined ? newMs : clock.now() - paid.since;
      // A time in the future is one by a clock that was wrong.
      const isNew = age >= 0 && age < newMs;
      return !isNew && (await isOurs(paid, context)) ? gone : missing;
    }
    await clock.sleep(secondLookMs, stop);
    if (stop.aborted) break;
  }
  return err({ reason: 'aborted', message: '' });
}

const missing = ok({ is: 'missing' } as const);

const isDeleted = ({ enabled, status }: Project): boolean =>
  enabled === false && status === 'complete';

async function look(
  { project, record, attempts }: PaidProject,
  context: JobContext,
): ServiceAnswer<Project> {
  const read = await patiently<Project>('free', attempts, context, () =>
    context.api.project(record, project),
  );
  if (read.ok) context.projects.shown.add(project);
  return read;
}

/** True if this account has paid, and answers. A service need not have an endpoint for accounts: then another project shows it. */
async function isOurs(
  { fingerprint, project }: PaidProject,
  { api, projects, remembered }: JobContext,
): Promise<boolean> {
  if (remembered?.isOurs(fingerprint, project, projects.shown) !== true) return false;
  const account = await api.account();
  return account.ok && (account.value !== undefined || projects.shown.size > 0);
}

/** What is recorded of a project that is gone; then its task is decided again: copied, or lost. `credits`: as far as known. */
export function* recordGone(
  { fingerprint: job, project }: Pick<PaidProject, 'fingerprint' | 'project'>,
  shown: Project | undefined,
  { credits: charged, isSettled }: { readonly credits: number; readonly isSettled: boolean },
  { remembered }: JobContext,
): Generator<Recorded, JobOutcome> {
  const { result, credits = charged } =
    shown === undefined
      ? (remembered?.lastKnown(job, project) ?? {})
      : { result: lastingOf(shown), credits: shown.credits_charged };
  const events: NewEvent[] = [];
  if (!isSettled && result !== undefined)
    events.push({ event: 'settled', job, status: 'complete', credits, result });
  const why = `project ${project} is gone: the service has it no more`;
  events.push({ event: 'deleted', job, why });
  for (const event of events) yield { durable: false, event };
  return { is: 'read', unreadable: [] };
}

/** Nothing is recorded: the key may be of another account. */
export const notFound: Ended = {
  ...pending(
    'the service does not show its project: it is too new to be given up, or another account has paid for it; if it is yours and gone, shotlist refresh records that',
  ),
  code: 'not-found',
};
