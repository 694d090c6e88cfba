// Decides what to believe about a job if a line about it cannot be read, or if two lines disagree. Two tables, read
// from the top. Whatever they decide, a payment is never treated as if it had not been made.
import { kindNamed } from '../../contract/kinds/all.ts';
import type { JobLine } from '../journal/line.ts';
import { jobFacts } from '../journal/state.ts';
import type { Claim } from './claim.ts';
import { joinedJob, laterOf } from './joined-job.ts';
import { type Orphan, orphanOf } from './orphan.ts';
import { compareLines, isSameAttempt, supersedes } from './same-attempt.ts';

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
 * either. If both fit the same row, the later attempt wins, then the one that was first. Lines about one attempt are not
 * compared so: the later of them wins.
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
  /** The line of that payment. */
  readonly other?: JobLine;
}

/** Compares two lines about one job: returns the preferred one, with what only the other line knew. */
export function preferred(a: JobLine, b: JobLine, before?: JobLine): Preferred {
  const [kept, other] = orderOf(a, b, before);
  const line = joinedJob(kept, other, before);
  if (isSameAttempt(a, b) || supersedes(kept, other, before)) return { line };
  const orphan = orphanOf(other, kept);
  return orphan === undefined ? { line } : { line, orphan, other };
}

/** The preferred line first. It does not depend on the order of the two. */
function orderOf(a: JobLine, b: JobLine, before?: JobLine): readonly [JobLine, JobLine] {
  const later = lacksProject(a) || lacksProject(b) ? undefined : laterOf(a, b, before);
  if (later !== undefined) return later;
  const order =
    rowOf(a) - rowOf(b) ||
    b.attempt - a.attempt ||
    (a.at < b.at ? -1 : a.at > b.at ? 1 : 0) ||
    compareLines(a, b);
  return order > 0 ? [b, a] : [a, b];
}
