// Decides what to believe about a job if a line about it cannot be read, or if two lines disagree. Two tables, read
// from the top. Whatever they decide, a payment is never treated as if it had not been made.
import { kindNamed } from '../../contract/kinds/all.ts';
import { kindProblem, unknownKind } from '../journal/job-kind.ts';
import type { JobLine } from '../journal/line.ts';
import { jobFacts, withPast } from '../journal/state.ts';
import type { Claim } from './claim.ts';
import { type Orphan, orphanOf } from './orphan.ts';

/** Free work costs nothing to repeat, so it needs no protection. */
export function isFree(kind: string): boolean {
  const known = kindNamed(kind);
  return known !== undefined && known.tool === undefined;
}

/** A paid job without a project is not valid: the money was spent on a project whose id is lost. */
export const lacksProject = ({ state, project }: JobLine): boolean =>
  (state === 'created' || state === 'complete' || state === 'deleted') && project === undefined;

const hasFiles = ({ outputs = [] }: JobLine): boolean => outputs.length > 0;

/**
 * Of two lines about one job, the one that keeps more of the payments wins: the one that fits the first row that fits
 * either. If both fit the same row, the later attempt wins.
 */
const precedence: readonly ((line: JobLine) => boolean)[] = [
  ({ state }) => state === 'supplied',
  (line) => line.state === 'complete' && !lacksProject(line),
  (line) => line.state === 'deleted' && !lacksProject(line) && hasFiles(line),
  (line) => line.state === 'created' && !lacksProject(line),
  (line) => line.state === 'deleted' && !lacksProject(line),
  (line) => line.state === 'doubt' || line.state === 'intended' || lacksProject(line),
  ({ state }) => state === 'failed' || state === 'forgotten',
];

const rowOf = (line: JobLine): number => precedence.findIndex((fits) => fits(line));

/** Of two lines about one project, the later in this life cycle wins. */
const life: readonly JobLine['state'][] = ['created', 'failed', 'complete', 'deleted'];

export type ClaimVerdict =
  /** The job stays as it is known. */
  | 'unchanged'
  /** The job has the project that the line names. The next run asks the service about it. */
  | 'paid'
  /** A creation may have been sent; nothing else is known. */
  | 'in doubt'
  /** A new attempt begins only when the previous one is over. If the previous attempt was paid, it is an orphan. */
  | 'next attempt in doubt'
  /** The job stays as it is known, unless this line may have begun it, or begun it again. */
  | 'in doubt if it may begin';

/** What becomes of a job if a line about it cannot be applied: the first row that fits. */
const verdicts: readonly (readonly [ClaimVerdict, (claim: Claim) => boolean])[] = [
  ['unchanged', ({ fields: { event, state } }) => event === 'supplied' || state === 'supplied'],
  ['unchanged', ({ kind }) => isFree(kind)],
  ['unchanged', (claim) => namesProject(claim) && claim.before?.project === claim.fields.project],
  ['paid', namesProject],
  ['in doubt', ({ before }) => before === undefined],
  ['next attempt in doubt', ({ before, fields: { attempt = 0 } }) => attempt > attemptOf(before)],
  ['in doubt if it may begin', () => true],
];

/** An amended charge may be that of an earlier attempt, whose project says nothing about the last attempt. */
function namesProject({ fields: { project, event } }: Claim): boolean {
  return project !== undefined && event !== 'amended';
}

const attemptOf = (before: JobLine | undefined): number => before?.attempt ?? 0;

export const verdictOn = (claim: Claim): ClaimVerdict =>
  verdicts.find(([, fits]) => fits(claim))?.[0] ?? 'in doubt';

/**
 * True if an unreadable event may have begun this job, or begun it again. A deleted project stays deleted, because
 * shotlist never pays for it again unasked.
 */
export const mayHaveBegun = ({ state, kind }: JobLine): boolean =>
  (state === 'intended' || jobFacts[state].mayBegin) && state !== 'deleted' && !isFree(kind);

export interface Preferred {
  readonly line: JobLine;
  /** The other line's payment, if it was a different one. */
  readonly orphan?: Orphan;
}

/** Compares two lines about one job: returns the preferred one, with what only the other line knew. */
export function preferred(a: JobLine, b: JobLine): Preferred {
  const same = a.project !== undefined && a.project === b.project;
  const order = same
    ? life.indexOf(b.state) - life.indexOf(a.state)
    : rowOf(a) - rowOf(b) || b.attempt - a.attempt;
  const [kept, other] = order > 0 ? [b, a] : [a, b];
  const tasks = [...new Set([...a.tasks, ...b.tasks])].sort();
  const known = kindProblem(other.kind, kept.project !== undefined) === undefined;
  const kind = kept.kind === unknownKind && known ? other.kind : kept.kind;
  const line = { ...kept, kind, tasks, attempt: Math.max(a.attempt, b.attempt) };
  if (same) return { line: withPastOf(withOutputsOf(line, other), other.past) };
  const orphan = orphanOf(other, kept);
  const traced = withPastOf(line, withPast(other).past);
  return orphan === undefined ? { line: traced } : { line: traced, orphan };
}

function withOutputsOf(line: JobLine, other: JobLine): JobLine {
  const own = line.outputs ?? [];
  const more = (other.outputs ?? []).filter(
    ({ task, index }) => !own.some((output) => output.task === task && output.index === index),
  );
  return more.length === 0 ? line : { ...line, outputs: [...own, ...more] };
}

/** Keeps the earlier attempts of the other line with the job, each project once, so that no credit is lost. */
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
