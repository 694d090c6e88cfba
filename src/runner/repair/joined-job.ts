// Joins two lines about one job into one that has the payments of both.
import { kindProblem, unknownKind } from '../journal/job-kind.ts';
import type { JobLine, OutputLine, PastAttempt } from '../journal/line.ts';
import { jobFacts, withPast } from '../journal/state.ts';
import { isSame } from './damage.ts';
import { compareLines, isSameAttempt, progressOf, supersedes } from './same-attempt.ts';

/**
 * The joined line. `kept` has its last attempt, and the attempt of `other` is in its past if it was paid.
 * `before` is the line from which both sides continued, where it is known.
 */
export function joinedJob(kept: JobLine, other: JobLine, before?: JobLine): JobLine {
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
export function laterOf(
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
