// Which of two lines about one job to believe, and what only the other one knew. Whatever is decided, a payment is never
// treated as if it had not been made.
import { asJson, canonical } from '../../base/json.ts';
import { kindProblem, unknownKind } from '../../model/job-kind.ts';
import type { JobLine, OutputLine, PastAttempt } from '../../model/line.ts';
import { jobFacts, withPast } from '../../model/state.ts';
import { isSame } from './damage.ts';

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

// Joins two lines about one job into one that has the payments of both.

/**
 * The joined line. `kept` has its last attempt, and the attempt of `other` is in its past if it was paid.
 * `before` is the line from which both sides continued, where it is known.
 */
function joinedJob(kept: JobLine, other: JobLine, before?: JobLine): JobLine {
  const tasks = [...new Set([...kept.tasks, ...other.tasks])].sort();
  const known = kindProblem(other.kind, kept.project !== undefined) === undefined;
  const kind = kept.kind === unknownKind && known ? other.kind : kept.kind;
  const attempt = Math.max(kept.attempt, other.attempt);
  const common = withPick({ ...kept, kind, tasks, attempt }, other);
  const same = isSameAttempt(kept, other);
  const start = before !== undefined && isSameAttempt(kept, before) ? before : undefined;
  const line = same
    ? withSilence(withCharge(withOutputs(common, other, start), other, start), other)
    : common;
  const more = same ? (other.past ?? []) : (withPast(other).past ?? []);
  return withPasts(line, more, before?.past);
}

/** The take that was picked last, whichever side picked it. */
function withPick(line: JobLine, { take, picked }: JobLine): JobLine {
  const isLater =
    picked !== undefined &&
    (line.picked === undefined ||
      line.picked.at < picked.at ||
      (line.picked.at === picked.at && line.picked.take < picked.take));
  return {
    ...line,
    ...(line.take === undefined && take !== undefined ? { take } : {}),
    ...(isLater ? { picked } : {}),
  };
}

/** A doubt that one side has about a silent worker stays one. */
function withSilence(line: JobLine, { silent, at }: JobLine): JobLine {
  const takes = silent === true && line.silent === undefined && jobFacts[line.state].inDoubt;
  return takes ? { ...line, silent, at } : line;
}

/** The charge of the side that changed it; if both did, the charge of the later line, or the higher one. */
function withCharge(line: JobLine, other: JobLine, before: JobLine | undefined): JobLine {
  const [own, theirs, start] = [line.credits, other.credits, before?.credits];
  if (own === theirs || theirs === start || theirs === undefined) return line;
  const later = progressOf(line) > progressOf(other);
  if (own !== undefined && own !== start && (later || own > theirs)) return line;
  if (before === undefined && later) return line;
  const { added: _added, peak: _peak, ...rest } = line;
  const { added, peak } = other;
  return {
    ...rest,
    credits: theirs,
    ...(added === undefined ? {} : { added }),
    ...(peak === undefined ? {} : { peak }),
  };
}

/** The files of both sides, without those that one side removed. */
function withOutputs(line: JobLine, other: JobLine, before: JobLine | undefined): JobLine {
  const [own, theirs, start] = [line, other, before].map((of) => of?.outputs ?? []);
  if (own === undefined || theirs === undefined || start === undefined) return line;
  const twin = (list: readonly OutputLine[], { task, index }: OutputLine): OutputLine | undefined =>
    list.find((output) => output.task === task && output.index === index);
  const unchanged = (output: OutputLine): boolean => isSame(output, twin(start, output));
  const ours = own.flatMap((output) => {
    const theirOwn = twin(theirs, output);
    if (theirOwn === undefined) return unchanged(output) ? [] : [output];
    return [unchanged(output) ? theirOwn : output];
  });
  const more = theirs.filter((output) => twin(own, output) === undefined && !unchanged(output));
  const outputs = [...ours, ...more].sort(
    (a, b) => (a.task < b.task ? -1 : a.task > b.task ? 1 : 0) || a.index - b.index,
  );
  return outputs.length === 0 && line.outputs === undefined ? line : { ...line, outputs };
}

/** Keeps the earlier attempts of both lines with the job, each once, so that no credit is lost. */
function withPasts(
  line: JobLine,
  more: readonly PastAttempt[],
  before: readonly PastAttempt[] = [],
): JobLine {
  const past: PastAttempt[] = [];
  for (const attempt of [...(line.past ?? []), ...more]) {
    if (isSameAttempt(attempt, line)) continue;
    const index = past.findIndex((known) => isSameAttempt(attempt, known));
    const known = past[index];
    if (known === undefined) past.push(attempt);
    else past[index] = joinedPast(known, attempt, before);
  }
  if (past.length === 0) return line;
  const place = (attempt: PastAttempt): number => {
    const index = before.findIndex((known) => isSameAttempt(attempt, known));
    return index < 0 ? before.length : index;
  };
  return { ...line, past: past.sort((a, b) => place(a) - place(b) || compareLines(a, b)) };
}

function joinedPast(a: PastAttempt, b: PastAttempt, before: readonly PastAttempt[]): PastAttempt {
  // The service's word, against that of a side that never learned what became of the attempt.
  if ((a.project === undefined) !== (b.project === undefined))
    return a.project === undefined ? b : a;
  const start = before.find((known) => isSameAttempt(known, a));
  if (isSame(a, b) || isSame(b, start)) return a;
  if (isSame(a, start)) return b;
  return a.credits > b.credits || (a.credits === b.credits && compareLines(a, b) > 0) ? a : b;
}

/**
 * The later of two lines first; undefined if only a table of precedence can tell. Unless the attempt is known from before
 * or has a project, a line that says it failed proves nothing about the other.
 */
function laterOf(
  a: JobLine,
  b: JobLine,
  before?: JobLine,
): readonly [JobLine, JobLine] | undefined {
  const [newer, older] = [supersedes(a, b, before), supersedes(b, a, before)];
  if (newer !== older) return newer ? [a, b] : [b, a];
  if (!isSameAttempt(a, b)) return undefined;
  const known = before !== undefined && isSameAttempt(a, before);
  if (!known && a.project === undefined && b.project === undefined) return undefined;
  const order =
    progressOf(a) - progressOf(b) || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0) || compareLines(a, b);
  return order >= 0 ? [a, b] : [b, a];
}

// Two lines about one job: whether they tell of one attempt, and which of them is later.

interface Attempt {
  readonly name?: string;
  readonly project?: string;
}

/** The same creation. A name is unique to an attempt, and a project to a creation that the service accepted. */
export function isSameAttempt(a: Attempt, b: Attempt): boolean {
  if (a.project !== undefined && b.project !== undefined) return a.project === b.project;
  return a.name !== undefined && a.name !== '' && a.name === b.name;
}

/**
 * True if a newer attempt replaced the last attempt of `earlier`: it is in the past of `later`, or it was in doubt in the
 * common beginning, and the side of `later` learned that nothing was charged.
 */
function supersedes(later: JobLine, earlier: JobLine, before?: JobLine): boolean {
  if ((later.past ?? []).some((attempt) => isSameAttempt(attempt, earlier))) return true;
  return (
    before !== undefined &&
    jobFacts[earlier.state].inDoubt &&
    isSameAttempt(earlier, before) &&
    !isSameAttempt(later, before)
  );
}

const progress: Partial<Record<JobLine['state'], number>> = {
  intended: 0,
  doubt: 1,
  created: 3,
  failed: 4,
  complete: 5,
  deleted: 6,
};

/** Of lines about one attempt, the one with the highest number is the latest; -1 for what is no attempt. */
export const progressOf = ({ state, project }: JobLine): number =>
  state === 'failed' && project === undefined ? 2 : (progress[state] ?? -1);

/** An order that does not depend on which side a line comes from. */
export function compareLines(a: object, b: object): number {
  const [one, other] = [canonical(asJson(a)), canonical(asJson(b))];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The attempts that cost something, or that the service accepted. */
export function paymentsIn({ name = '', project, credits = 0, past = [] }: JobLine): PastAttempt[] {
  if (project === undefined && credits === 0) return [...past];
  return [...past, { name, credits, ...(project === undefined ? {} : { project }) }];
}

/** True if `line` has every payment of `before`, and is no earlier. */
export function knows(line: JobLine, before: JobLine): boolean {
  if (line.attempt < before.attempt) return false;
  if (isSameAttempt(line, before) && progressOf(line) < progressOf(before)) return false;
  const payments = paymentsIn(line);
  return paymentsIn(before).every((paid) => payments.some((known) => isSameAttempt(paid, known)));
}

// A payment without a place in the proposal: a person must look it up in the service's hub.

export interface Orphan {
  readonly job: string;
  readonly tasks: readonly string[];
  readonly project?: string;
  /** The name of the attempt. */
  readonly name?: string;
  readonly credits?: number;
  readonly why: string;
}

/**
 * The payment, certain or possible, of a line that is not kept; undefined if there is none, or if the kept line has it.
 */
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
