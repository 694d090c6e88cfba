// What is safe to believe about one job when a line about it cannot be read, or when two lines disagree. Two tables, read
// from the top; whatever they say, a payment never looks as if it had not been made.
import { kindNamed } from '../../contract/kinds/all.ts';
import { kindTrouble, unknownKind } from '../journal/job-kind.ts';
import type { JobLine } from '../journal/line.ts';
import { jobFacts, withPast } from '../journal/state.ts';
import type { Claim } from './claim.ts';
import { type Orphan, orphanOf } from './orphan.ts';

/** Free work is done again at no cost: it needs no protection. */
export function isFree(kind: string): boolean {
  const known = kindNamed(kind);
  return known !== undefined && known.tool === undefined;
}

/** A paid job without a project cannot be: the money was spent on a project that nobody can name. */
export const lacksProject = ({ state, project }: JobLine): boolean =>
  (state === 'created' || state === 'complete' || state === 'deleted') && project === undefined;

const hasFiles = ({ outputs = [] }: JobLine): boolean => outputs.length > 0;

/**
 * Of two lines about one job, the one that keeps more of what was paid is taken: the first row that either of them fits.
 * Between two lines of one row, the later attempt.
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

/** Of two lines about one project, the later in its life. */
const life: readonly JobLine['state'][] = ['created', 'failed', 'complete', 'deleted'];

export type Verdict =
  /** What is known of the job stays as it is. */
  | 'unchanged'
  /** The job has the project that the line names; the next run asks the service what became of it. */
  | 'paid'
  /** Nothing is known but that a creation may have been sent. */
  | 'in doubt'
  /** A new attempt is begun only when the one before is over: that one is an orphan if it was paid. */
  | 'next attempt in doubt'
  /** What is known stays, unless the job may have been begun, or begun again, in this line. */
  | 'in doubt if it may begin';

/** What a line about a job that cannot be taken as it is makes of that job: the first row that fits. */
const verdicts: readonly (readonly [Verdict, (claim: Claim) => boolean])[] = [
  ['unchanged', ({ fields: { event, state } }) => event === 'supplied' || state === 'supplied'],
  ['unchanged', ({ kind }) => isFree(kind)],
  ['unchanged', (claim) => namesProject(claim) && claim.before?.project === claim.fields.project],
  ['paid', namesProject],
  ['in doubt', ({ before }) => before === undefined],
  ['next attempt in doubt', ({ before, fields: { attempt = 0 } }) => attempt > attemptOf(before)],
  ['in doubt if it may begin', () => true],
];

/** A figure that was amended may be that of an earlier attempt: its project says nothing about the last one. */
function namesProject({ fields: { project, event } }: Claim): boolean {
  return project !== undefined && event !== 'amended';
}

const attemptOf = (before: JobLine | undefined): number => before?.attempt ?? 0;

export const verdictOn = (claim: Claim): Verdict =>
  verdicts.find(([, fits]) => fits(claim))?.[0] ?? 'in doubt';

/**
 * May an event that nobody can read have begun this job, or begun it again? A deleted project stays what it is: nobody
 * pays for it again unasked.
 */
export const mayHaveBegun = ({ state, kind }: JobLine): boolean =>
  (state === 'intended' || jobFacts[state].mayBegin) && state !== 'deleted' && !isFree(kind);

export interface Preferred {
  readonly line: JobLine;
  /** The other line's payment, where it was another one. */
  readonly orphan?: Orphan;
}

/** Two lines about one job: the preferred one, and what the other knew besides. */
export function preferred(a: JobLine, b: JobLine): Preferred {
  const same = a.project !== undefined && a.project === b.project;
  const order = same
    ? life.indexOf(b.state) - life.indexOf(a.state)
    : rowOf(a) - rowOf(b) || b.attempt - a.attempt;
  const [kept, other] = order > 0 ? [b, a] : [a, b];
  const tasks = [...new Set([...a.tasks, ...b.tasks])].sort();
  const known = kindTrouble(other.kind, kept.project !== undefined) === undefined;
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

/** What another line knew of earlier attempts stays with the job, each project once: no credit is lost. */
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
