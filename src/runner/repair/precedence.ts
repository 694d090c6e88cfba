// What is safe to believe about one job when its lines are damaged or disagree: never that it is unpaid. A known
// project is kept, and an attempt whose outcome cannot be read is in doubt.
import { kindNamed } from '../../contract/kinds/all.ts';
import type { JobLine } from '../journal/line.ts';
import { unknownKind, withPast } from '../journal/state.ts';
import { type Fields, jobFieldsOf } from './fragments.ts';

/** Something that was paid, or may have been, and has no place in the proposal: a person looks at it in the hub. */
export interface Orphan {
  readonly job: string;
  readonly tasks: readonly string[];
  readonly project?: string;
  /** The name of the attempt. */
  readonly name?: string;
  readonly credits?: number;
  readonly why: string;
}

/** What free kinds make is made again for nothing: they need no protection. */
export function isFree(kind: string): boolean {
  const known = kindNamed(kind);
  return known !== undefined && known.tool === undefined;
}

export const isPaid = ({ state }: JobLine): boolean =>
  state === 'created' || state === 'complete' || state === 'deleted';

/** Lines of a job that cannot be: the money was spent on a project that nobody can name. */
export const lacksProject = (line: JobLine): boolean => isPaid(line) && line.project === undefined;

export const sortedUnion = (...lists: readonly (readonly string[] | undefined)[]): string[] =>
  [...new Set(lists.flatMap((list) => list ?? []))].sort();

export interface Claim {
  readonly job: string;
  readonly kind: string;
  readonly before: JobLine | undefined;
  readonly fields: Fields;
  readonly why: string;
}

/**
 * A job in doubt, with all that is known of its attempt. A price that is not known is the dearest of its kind; what its line
 * says was charged stays set aside.
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
    attempt: Math.max(before?.attempt ?? 0, fields.attempt ?? 0, 1),
    at: known.at ?? '',
    reserve: Math.max(known.reserve ?? Math.max(credits ?? 0, dearest), fields.credits ?? 0),
    error: { code: 'in_doubt', message: why },
    ...(superseded ? withPast(before) : {}),
  };
}

/** A job that is paid: the next run reads its project, and settles it by what the service says. */
export function paidLine({ job, kind, before, fields }: Claim, project: string): JobLine {
  const {
    error: _e,
    result: _r,
    outputs: _o,
    credits: _c,
    added: _a,
    expires: _x,
    ...rest
  } = {
    ...before,
  };
  const claim = jobFieldsOf(fields);
  const deleted = claim.state === 'deleted';
  return {
    ...rest,
    ...claim,
    job,
    kind,
    // Only what was deleted cannot be read again.
    state: deleted ? 'deleted' : 'created',
    tasks: tasksOf(before, fields),
    attempt: Math.max(before?.attempt ?? 0, fields.attempt ?? 0, 1),
    at: claim.at ?? before?.at ?? '',
    project,
    ...(deleted && claim.result === undefined ? savedResult(claim.outputs ?? []) : {}),
  };
}

/** A project is deleted only when all its downloads are saved, so that they say how many there were. */
export function savedResult(outputs: NonNullable<JobLine['outputs']>): Pick<JobLine, 'result'> {
  const downloads = new Set(outputs.map(({ index }) => index)).size;
  return downloads === 0 ? {} : { result: { downloads } };
}

export function tasksOf(before: JobLine | undefined, { tasks, task }: Fields): string[] {
  return sortedUnion(before?.tasks, tasks, task === undefined ? [] : [task]);
}

/** How much a line keeps of what was paid; the more, the better it is for promise 2. */
function worth(line: JobLine): number {
  if (lacksProject(line)) return 2;
  switch (line.state) {
    case 'supplied':
      return 7;
    case 'complete':
      return 6;
    case 'deleted':
      return (line.outputs?.length ?? 0) > 0 ? 5 : 3;
    case 'created':
      return 4;
    case 'doubt':
    case 'intended':
      return 2;
    case 'failed':
    case 'forgotten':
      return 1;
  }
}

/** How late in the life of one project a line is. */
const life: readonly JobLine['state'][] = ['created', 'failed', 'complete', 'deleted'];

export interface Preferred {
  readonly line: JobLine;
  /** The other line's payment, where it was another one. */
  readonly orphans?: Orphan;
}

/** Two lines about one job: the one that keeps more of what was paid, and what the other knew besides. */
export function preferred(a: JobLine, b: JobLine): Preferred {
  const same = a.project !== undefined && a.project === b.project;
  const order = same
    ? life.indexOf(b.state) - life.indexOf(a.state)
    : worth(b) - worth(a) || b.attempt - a.attempt;
  const [kept, other] = order > 0 ? [b, a] : [a, b];
  const tasks = sortedUnion(a.tasks, b.tasks);
  const kind = kept.kind === unknownKind ? other.kind : kept.kind;
  const line = { ...kept, kind, tasks, attempt: Math.max(a.attempt, b.attempt) };
  if (same) return { line: withPastOf(withOutputsOf(line, other), other.past) };
  const orphans = orphanOf(other, kept);
  const traced = withPastOf(line, withPast(other).past);
  return orphans === undefined ? { line: traced } : { line: traced, orphans };
}

function withOutputsOf(line: JobLine, other: JobLine): JobLine {
  const own = line.outputs ?? [];
  const more = (other.outputs ?? []).filter(
    ({ task, index }) => !own.some((output) => output.task === task && output.index === index),
  );
  return more.length === 0 ? line : { ...line, outputs: [...own, ...more] };
}

/** Money's trace: what another line knew of attempts stays with the job, each project once. */
function withPastOf(line: JobLine, more: JobLine['past'] = []): JobLine {
  const past = [...(line.past ?? [])];
  for (const attempt of more) {
    const known = past.some(({ project, name }) =>
      attempt.project === undefined ? name === attempt.name : project === attempt.project,
    );
    if (!known && (attempt.project === undefined || attempt.project !== line.project))
      past.push(attempt);
  }
  return past.length === 0 ? line : { ...line, past };
}

/** What was paid for a line that is not kept; undefined: nothing, or the same. */
export function orphanOf(other: JobLine, kept: JobLine): Orphan | undefined {
  const { job, tasks, project, name, credits } = other;
  if (['failed', 'supplied', 'forgotten'].includes(other.state)) return undefined;
  if (project === undefined && (name === undefined || name === kept.name)) return undefined;
  return {
    job,
    tasks,
    ...(project === undefined ? {} : { project }),
    ...(name === undefined ? {} : { name }),
    ...(credits === undefined ? {} : { credits }),
    why:
      project === undefined
        ? 'this attempt may have been paid too'
        : `this project was paid too; ${kept.project ?? 'an attempt in doubt'} is kept`,
  };
}
