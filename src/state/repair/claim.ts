// The readable part of a line that cannot be applied, and the job lines that it supports.
import type { JobLine } from '../../model/line.ts';
import { withPast } from '../../model/state.ts';
import { type Fields, jobFieldsOf } from './fragments.ts';

export interface Claim {
  readonly job: string;
  readonly kind: string;
  /** The job's line so far. */
  readonly before: JobLine | undefined;
  /** The readable fields of the line. */
  readonly fields: Fields;
  /** Why the line cannot be applied. */
  readonly why: string;
}

/**
 * A job in doubt, with everything that is known about its attempt. An unknown price counts as the highest of its kind.
 * A charge in the line stays set aside.
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

/** A paid job: the next run reads its project and settles it by the service's record. */
export function paidLine({ job, kind, before, fields }: Claim): JobLine {
  const {
    error: _e,
    result: _r,
    outputs: _o,
    credits: _c,
    added: _a,
    expires: _x,
    silent: _s,
    ...rest
  } = { ...before };
  const said = jobFieldsOf(fields);
  const deleted = said.state === 'deleted';
  return {
    ...rest,
    ...said,
    job,
    kind,
    // A deleted project cannot be read again, but any other project can.
    state: deleted ? 'deleted' : 'created',
    tasks: tasksOf(before, fields),
    attempt: attemptIn(before, fields),
    at: said.at ?? before?.at ?? '',
    ...(deleted && said.result === undefined ? savedResult(said.outputs ?? []) : {}),
  };
}

const attemptIn = (before: JobLine | undefined, fields: Fields): number =>
  Math.max(before?.attempt ?? 0, fields.attempt ?? 0, 1);

/** A project is deleted only when all its downloads are saved, so the number of files is the number of downloads. */
export function savedResult(outputs: NonNullable<JobLine['outputs']>): Pick<JobLine, 'result'> {
  const downloads = new Set(outputs.map(({ index }) => index)).size;
  return downloads === 0 ? {} : { result: { downloads } };
}

/** The known tasks of a job, sorted. */
export function tasksOf(before: JobLine | undefined, { tasks = [], task }: Fields): string[] {
  const named = [...(before?.tasks ?? []), ...tasks, ...(task === undefined ? [] : [task])];
  return [...new Set(named)].sort();
}
