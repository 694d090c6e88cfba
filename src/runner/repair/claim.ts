// What a line that cannot be taken as it is still claims about a job, and the job lines that such a claim can support.
import type { JobLine } from '../journal/line.ts';
import { withPast } from '../journal/state.ts';
import { type Fields, jobFieldsOf } from './fragments.ts';

export interface Claim {
  readonly job: string;
  readonly kind: string;
  /** What is known of the job so far. */
  readonly before: JobLine | undefined;
  /** What can be read of the line. */
  readonly fields: Fields;
  /** Why the line cannot be taken as it is. */
  readonly why: string;
}

/**
 * A job in doubt, with all that is known of its attempt. A price that is not known is the dearest of its kind; what its
 * line says was charged stays set aside.
 */
export function doubtLine({ job, kind, before, fields, why }: Claim, dearest: number): JobLine {
  const known = { ...before, ...jobFieldsOf(fields) };
  const { project: _p, credits, result: _r, outputs: _o, added: _a, expires: _e, ...rest } = known;
  const superseded = before !== undefined && (fields.attempt ?? 0) > before.attempt;
  return {
    ...rest,
    job,
    kind,
    state: 'doubt',
    tasks: tasksOf(before, fields),
    attempt: attemptIn(before, fields),
    at: known.at ?? '',
    reserve: Math.max(known.reserve ?? Math.max(credits ?? 0, dearest), fields.credits ?? 0),
    error: { code: 'in_doubt', message: why },
    ...(superseded ? withPast(before) : {}),
  };
}

/** A paid job: the next run reads its project, and settles it by what the service says. */
export function paidLine({ job, kind, before, fields }: Claim): JobLine {
  const {
    error: _e,
    result: _r,
    outputs: _o,
    credits: _c,
    added: _a,
    expires: _x,
    ...rest
  } = { ...before };
  const said = jobFieldsOf(fields);
  const deleted = said.state === 'deleted';
  return {
    ...rest,
    ...said,
    job,
    kind,
    // Only a deleted project cannot be read again.
    state: deleted ? 'deleted' : 'created',
    tasks: tasksOf(before, fields),
    attempt: attemptIn(before, fields),
    at: said.at ?? before?.at ?? '',
    ...(deleted && said.result === undefined ? savedResult(said.outputs ?? []) : {}),
  };
}

const attemptIn = (before: JobLine | undefined, fields: Fields): number =>
  Math.max(before?.attempt ?? 0, fields.attempt ?? 0, 1);

/** A project is deleted only when all its downloads are saved, so the files say how many downloads there were. */
export function savedResult(outputs: NonNullable<JobLine['outputs']>): Pick<JobLine, 'result'> {
  const downloads = new Set(outputs.map(({ index }) => index)).size;
  return downloads === 0 ? {} : { result: { downloads } };
}

/** The tasks that a job is known to serve, sorted. */
export function tasksOf(before: JobLine | undefined, { tasks = [], task }: Fields): string[] {
  const named = [...(before?.tasks ?? []), ...tasks, ...(task === undefined ? [] : [task])];
  return [...new Set(named)].sort();
}
