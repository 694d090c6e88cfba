// `refresh`: brings the state file up to date with the service, for every known project.

import { count } from '../../base/text.ts';
import { explainFailure } from '../../contract/api/failure.ts';
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

/** `after`: absent if the credits are the same. */
interface Finding extends Pick<DriftChange, 'what' | 'why'> {
  readonly after?: number;
  readonly move?: Move | undefined;
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
    const changes: DriftChange[] = [];
    const moves: Move[] = [];
    const unread: { project: string; why: string }[] = [];
    let [projects, present, missing] = [0, 0, 0];
    for await (const inquired of inquire(journal.ledger, service.api, clock)) {
      projects += 1;
      const { answer, project } = inquired;
      if (isRefusedKey(answer)) throw new Refusal(refusedKey('refresh'));
      if (answer.ok) present += 1;
      else if (answer.error.reason !== 'not-found')
        unread.push({ project, why: explainFailure(answer.error) });
      if (isStanding(inquired) && isMissing(inquired)) missing += 1;
      const found = findingOf(inquired, clock.now());
      if (found === undefined) continue;
      const { job, credits: before } = inquired;
      const { what, why, after = before, move } = found;
      changes.push({ tasks: job.tasks, project, what, why, before, after });
      if (move !== undefined) moves.push(move);
    }
    if (missing > 0 && present === 0 && options.acceptMissing !== true)
      refuse(
        `${header.service === 'rehearsal' ? 'the rehearsal' : header.service} knows no project of the state file (${count(projects, 'project')}): nothing was changed`,
        'check that the key belongs to the right account; if all projects are really gone, use --accept-missing',
      );
    if (moves.length > 0) await journal.commit(...moves);
    return { projects, changes, unread };
  });
}

const isStanding = ({ past, job }: Inquired): boolean =>
  !past && (job.state === 'created' || job.state === 'complete');

const isMissing = ({ answer }: Inquired): boolean =>
  answer.ok ? answer.value.enabled === false : answer.error.reason === 'not-found';

/** The project ended with an error before it was deleted, and only that counts. */
const isRefunded = ({ answer, job }: Inquired): boolean =>
  answer.ok && job.state === 'created' && ['error', 'canceled'].includes(answer.value.status);

/** The difference between the service and the state file; undefined if they agree, or if the service does not say. */
function findingOf(inquired: Inquired, now: number): Finding | undefined {
  const { answer, job, past, name, credits, adopted } = inquired;
  const about = { job: job.job, attempt: name };
  if (isStanding(inquired) && isMissing(inquired) && !isRefunded(inquired)) {
    const saved = new Set(job.outputs.map(({ index }) => index)).size;
    const move: Move = { ...about, is: adopted ? 'missing' : 'gone' };
    return job.state === 'complete' && saved >= downloadCount(job)
      ? { what: 'deleted', why: 'the project was deleted elsewhere; its files are saved', move }
      : { what: 'lost', why: 'the project is gone, and its result was never saved', move };
  }
  if (!answer.ok) return undefined;
  const { status, credits_charged: after } = answer.value;
  if (!past && job.state === 'created') {
    const move = endMove(answer.value, about, credits, now);
    if (move === undefined) return undefined;
    const why =
      move.is === 'complete'
        ? 'the project is complete: the next run downloads its result'
        : `the project ended: ${move.fault.code}: ${move.fault.message}`;
    const what = status === 'canceled' ? 'canceled' : move.is;
    return { what, why, after: move.charge.credits, move };
  }
  if (after === undefined || after === credits) return undefined;
  const charge = { credits: after, read: new Date(now).toISOString() };
  const why = `the service now says ${after} credits, the state file said ${credits}`;
  // What it costs is recorded by whoever paid.
  const move: Move | undefined = adopted ? undefined : { ...about, is: 'charged', charge };
  return { what: 'credits', why, after, move };
}
