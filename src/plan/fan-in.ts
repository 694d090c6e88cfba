// When a step that reads `steps.<name>.all` takes its turn. Such a step is paid for once, so it starts only when the list
// is complete: with a part of it, it would be paid for now and again with the whole.
import type { OnMissing } from '../language/pipeline.ts';
import { type End, type Ending, endingFacts, type Phase } from './ending.ts';

/** One of the tasks that the list is made of. */
export interface Contributor {
  readonly task: string;
  readonly phase: Phase;
  /** False if a later run may still do the task, so that the list may grow. */
  readonly isFinal: boolean;
  /** For a plan: the task may turn out to be skipped. */
  readonly perhaps?: boolean;
}

export interface Gathering {
  /** In the order of the list. */
  readonly contributors: readonly Contributor[];
  /** The phase of contributors that are not known yet, or not part of the run; `done` if there are none. */
  readonly rest: 'waiting' | 'blocked' | 'later' | 'excluded' | 'done';
}

/** Undefined if a contributor is not over. */
export function gatherTurn(
  step: string,
  onMissing: OnMissing,
  { contributors, rest }: Gathering,
): 'start' | End | undefined {
  if (rest === 'waiting') return undefined;
  if (contributors.some(({ phase }) => phase === 'waiting' || phase === 'started'))
    return undefined;
  const open = contributors.find(({ phase, isFinal }) => !isFinal && !comesLater(phase));
  if (open !== undefined) return { ending: 'blocked', why: `waits for ${open.task}` };
  if (rest === 'blocked') return { ending: 'blocked', why: `waits for ${step} of every item` };
  const later = contributors.find(({ phase }) => comesLater(phase));
  if (later !== undefined) return { ending: 'later', why: `waits for ${later.task}` };
  if (rest === 'later') return { ending: 'later', why: `waits for ${step} of every item` };
  const excluded = contributors.find(({ phase }) => phase === 'excluded');
  if (excluded !== undefined) return { ending: 'excluded', why: `${excluded.task} is excluded` };
  if (rest === 'excluded')
    return { ending: 'excluded', why: `needs ${step} of every item, and this run has only some` };
  const there = contributors.filter(({ phase }) => phase === 'done');
  const failed = contributors.find(({ phase }) => phase !== 'done' && phase !== 'skipped');
  if (failed !== undefined && onMissing === 'fail') return blockedBy(failed);
  if (there.length === 0) return { ending: 'skipped', why: `there is no result of ${step}` };
  const skipped = contributors.find(({ phase }) => phase === 'skipped');
  if (skipped === undefined || onMissing === 'skip') return 'start';
  // Perhaps all are skipped in the end.
  return there.every(({ perhaps }) => perhaps === true) ? 'start' : blockedBy(skipped);
}

const blockedBy = ({ task, phase }: Contributor): End => ({
  ending: 'blocked',
  why: `${task} ${phase === 'failed' ? 'has failed' : `is ${phase}`}, and on_missing is fail`,
});

const comesLater = (phase: Phase): boolean =>
  phase !== 'waiting' && phase !== 'started' && endingFacts[phase].dependents === 'later';

const undecided: ReadonlySet<Phase> = new Set<Ending>(['doubt', 'pending', 'rendering', 'later']);

/** False if a step, or a step because of which it is blocked, may still be done by a later run. */
export function isFinal(
  step: string,
  phaseOf: (step: string) => Phase,
  after: (step: string) => readonly string[],
): boolean {
  const phase = phaseOf(step);
  if (undecided.has(phase)) return false;
  return phase !== 'blocked' || after(step).every((before) => isFinal(before, phaseOf, after));
}
