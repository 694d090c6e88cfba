// `refresh`: brings the state file up to date with the service, for every known project.

import { count } from '../../base/text.ts';
import { explainFailure } from '../../contract/api/failure.ts';
import type { Project } from '../../contract/api/project.ts';
import { endMove } from '../../core/outputs.ts';
import { downloadCount } from '../../core/recorded-files.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { Refusal, refusedKey } from '../../language/load/refusal.ts';
import type { Move } from '../../model/record/job.ts';
import { type Inquired, inquire, isRefusedKey } from '../../service-api/inquiry.ts';
import { type EditOptions, editState } from '../edit-state.ts';
import { refuse } from '../refuse.ts';

/** A change that a refresh made for one project. */
export interface DriftChange {
  readonly tasks: readonly string[];
  readonly project: string;
  readonly what: 'complete' | 'failed' | 'canceled' | 'deleted' | 'lost' | 'credits';
  /** One sentence. */
  readonly why: string;
  /** Credits. */
  readonly before: number;
  readonly after: number;
}

export interface Refreshed {
  readonly projects: number;
  readonly changes: readonly DriftChange[];
  /** Projects that could not be read, and why. Nothing was changed for them. */
  readonly unread: readonly { readonly project: string; readonly why: string }[];
}

export interface RefreshOptions extends EditOptions {
  /** Believe the service even if it has no record of any project. */
  readonly acceptMissing?: boolean | undefined;
}

interface DriftFinding {
  readonly change: DriftChange;
  readonly move: Move | undefined;
}

/**
 * Reads every known project again, and brings the state file up to date with the service.
 *
 * @example
 * ```ts
 * import { loadPipeline, refresh } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const refreshed = await refresh(pipeline, { onWarning: (message) => console.warn(message) });
 * console.log(refreshed.projects, 'projects read');
 * ```
 */
export async function refresh(
  loaded: LoadedPipeline,
  options: RefreshOptions = {},
): Promise<Refreshed> {
  return await editState(loaded, options, async ({ journal, clock, connect, header }) => {
    const service = await connect();
    const findings: DriftFinding[] = [];
    const unread: { project: string; why: string }[] = [];
    let [projects, present, missing] = [0, 0, 0];
    for await (const inquired of inquire(journal.ledger, service.api, clock)) {
      projects += 1;
      if (isRefusedKey(inquired.answer)) throw new Refusal(refusedKey('refresh'));
      const { answer, job, project } = inquired;
      if (answer.ok) present += 1;
      else if (answer.error.reason !== 'not-found')
        unread.push({ project, why: explainFailure(answer.error) });
      const standing = job.state === 'created' || job.state === 'complete';
      if (standing && !inquired.past && isMissing(inquired)) missing += 1;
      const finding = findingOf(inquired, clock.now());
      if (finding !== undefined) findings.push(finding);
    }
    if (missing > 0 && present === 0 && options.acceptMissing !== true)
      refuse(
        `${header.service === 'rehearsal' ? 'the rehearsal' : header.service} knows no project of the state file (${count(projects, 'project')}): nothing was changed`,
        'check that the key belongs to the right account; if all projects are really gone, use --accept-missing',
      );
    const moves = findings.flatMap(({ move }) => move ?? []);
    if (moves.length > 0) await journal.commit(...moves);
    return { projects, changes: findings.map(({ change }) => change), unread };
  });
}

const isMissing = ({ answer }: Inquired): boolean =>
  answer.ok ? answer.value.enabled === false : answer.error.reason === 'not-found';

/** The project ended with an error before it was deleted, and only that counts. */
const isRefunded = ({ answer, job }: Inquired): boolean =>
  answer.ok && job.state === 'created' && ['error', 'canceled'].includes(answer.value.status);

/** The difference between the service and the state file; undefined if they agree, or if the service does not say. */
function findingOf(inquired: Inquired, now: number): DriftFinding | undefined {
  const { answer, job, past } = inquired;
  const standing = !past && (job.state === 'created' || job.state === 'complete');
  if (standing && isMissing(inquired) && !isRefunded(inquired)) return gone(inquired);
  if (!answer.ok) return undefined;
  if (!past && job.state === 'created') return settled(inquired, answer.value, now);
  const after = answer.value.credits_charged;
  if (after === undefined || after === inquired.credits) return undefined;
  const { project, name, credits: before, adopted } = inquired;
  const charge = { credits: after, read: new Date(now).toISOString() };
  const why = `the service now says ${after} credits, the state file said ${before}`;
  return {
    // What it costs is recorded by whoever paid.
    move: adopted ? undefined : { job: job.job, is: 'charged', attempt: name, charge },
    change: { tasks: job.tasks, project, what: 'credits', why, before, after },
  };
}

function gone({ job, project, name, credits, adopted }: Inquired): DriftFinding {
  const saved = new Set(job.outputs.map(({ index }) => index)).size;
  const whole = job.state === 'complete' && saved >= downloadCount(job);
  const why = whole
    ? 'the project was deleted elsewhere; its files are saved'
    : 'the project is gone, and its result was never saved';
  return {
    move: { job: job.job, is: adopted ? 'missing' : 'gone', attempt: name },
    change: {
      tasks: job.tasks,
      project,
      what: whole ? 'deleted' : 'lost',
      why,
      before: credits,
      after: credits,
    },
  };
}

function settled(
  { job, project, name, credits: before }: Inquired,
  record: Project,
  now: number,
): DriftFinding | undefined {
  const move = endMove(record, { job: job.job, attempt: name }, before, now);
  if (move === undefined) return undefined;
  const what = record.status === 'canceled' ? 'canceled' : move.is;
  const why =
    move.is === 'complete'
      ? 'the project is complete: the next run downloads its result'
      : `the project ended: ${move.fault.code}: ${move.fault.message}`;
  const after = move.charge.credits;
  return { move, change: { tasks: job.tasks, project, what, why, before, after } };
}
