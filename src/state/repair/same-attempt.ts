// Two lines about one job: whether they tell of one attempt, and which of them is later.
import { asJson, canonical } from '../../base/json.ts';
import type { JobLine, PastAttempt } from '../../model/line.ts';
import { jobFacts } from '../../model/state.ts';

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
export function supersedes(later: JobLine, earlier: JobLine, before?: JobLine): boolean {
  if ((later.past ?? []).some((attempt) => isSameAttempt(attempt, earlier))) return true;
  return (
    before !== undefined &&
    jobFacts[earlier.state].inDoubt &&
    isSameAttempt(earlier, before) &&
    !isSameAttempt(later, before)
  );
}

/** The life of one attempt. */
const life: readonly ((line: JobLine) => boolean)[] = [
  ({ state }) => state === 'intended',
  ({ state }) => state === 'doubt',
  ({ state, project }) => state === 'failed' && project === undefined,
  ({ state }) => state === 'created',
  ({ state }) => state === 'failed',
  ({ state }) => state === 'complete',
  ({ state }) => state === 'deleted',
];

/** Of lines about one attempt, the one with the highest number is the latest. */
export const progressOf = (line: JobLine): number => life.findIndex((fits) => fits(line));

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
