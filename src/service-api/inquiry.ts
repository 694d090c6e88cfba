// The inquiry: reads every known project at the service again, and compares it with the state file.
import pLimit from 'p-limit';
import { err, type Result } from '../base/result.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { Project } from '../contract/api/project.ts';
import { toolNamed } from '../contract/tools/all.ts';
import type { Clock, MediaApi } from '../core/ports.ts';
import { isFreeAgain, patiently } from '../core/retry.ts';
import { type JobView, viewsOf } from '../model/job-view.ts';
import type { Ledger } from '../model/record/ledger.ts';

/** A project in the state file: that of a job, or of one of its earlier attempts. */
interface KnownProject {
  readonly job: JobView;
  readonly project: string;
  /** The name of the attempt. */
  readonly name: string;
  /** The project's credits in the ledger. */
  readonly credits: number;
  readonly past: boolean;
  /** Another state file paid for it. */
  readonly adopted: boolean;
}

export interface Inquired extends KnownProject {
  readonly answer: Result<Project, ApiFailure>;
}

export function* knownProjects(ledger: Ledger): Generator<KnownProject> {
  for (const job of viewsOf(ledger)) {
    const { project, name = '', credits = 0, adopted = false, past } = job;
    if (project !== undefined) yield { job, project, name, credits, adopted, past: false };
    for (const attempt of past)
      if (attempt.project !== undefined)
        yield { job, ...attempt, project: attempt.project, past: true };
  }
}

const readsAtOnce = 16;
const maxAttempts = 5;

/** A repaired state file may not name the tool of a project: nothing is sent. */
const withoutTool: ApiFailure = {
  reason: 'refused',
  status: 0,
  message:
    'the state file does not say which tool created it, so shotlist cannot look it up: check it in the hub',
};

/** Reads a project with a run's patience: a single lost answer says nothing about the project. */
export async function readPatiently(
  api: Pick<MediaApi, 'project'>,
  clock: Clock,
  { kind, project }: { readonly kind: string; readonly project: string },
): Promise<Result<Project, ApiFailure>> {
  const record = toolNamed(kind)?.record;
  if (record === undefined) return err(withoutTool);
  const patience = { clock, stop: new AbortController().signal, backoffMs: 500 };
  return await patiently(maxAttempts, patience, isFreeAgain, () => api.project(record, project));
}

export const isRefusedKey = (answer: Result<unknown, ApiFailure>): boolean =>
  !answer.ok && answer.error.reason === 'unauthorized';

/** Reads projects in groups, so that memory does not grow with their number. A failed read is yielded too. */
export async function* inquire(
  ledger: Ledger,
  api: Pick<MediaApi, 'project'>,
  clock: Clock,
): AsyncGenerator<Inquired> {
  const limit = pLimit(readsAtOnce);
  const read = async (known: KnownProject): Promise<Inquired> => {
    const { job, project } = known;
    return { ...known, answer: await readPatiently(api, clock, { kind: job.kind, project }) };
  };
  let group: Promise<Inquired>[] = [];
  for (const known of [...knownProjects(ledger)]) {
    group.push(limit(read, known));
    if (group.length < readsAtOnce * 4) continue;
    yield* await Promise.all(group);
    group = [];
  }
  yield* await Promise.all(group);
}
