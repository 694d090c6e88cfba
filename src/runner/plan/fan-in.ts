// When a step that reads `steps.<name>.all` takes its turn. Such a step is paid for once, so it starts only when the list
// is complete: with a part of it, it would be paid for now and again with the whole.
import type { OnMissing } from '../language/pipeline.ts';
import { type Ending, endingFacts, type Phase } from './ending.ts';
import type { Turn } from './turn.ts';

/** One of the tasks that the list is made of. */
export interface Contributor {
  readonly task: string;
  readonly phase: Phase;
  /** False if a later run may still do the task, so that the list may grow. */
  readonly isFinal: boolean;
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
): Turn | undefined {
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
  const missing = contributors.filter(({ phase }) => phase !== 'done');
  const failed = missing.find(({ phase }) => phase !== 'skipped') ?? missing[0];
  const isEmpty = missing.length === contributors.length;
  if (isEmpty && (onMissing === 'skip' || failed === undefined || failed.phase === 'skipped'))
    return { ending: 'skipped', why: `there is no result of ${step}` };
  if (failed === undefined || onMissing === 'skip') return 'start';
  const why = `${failed.task} ${phrase(failed.phase)}, and on_missing is fail`;
  return { ending: 'blocked', why };
}

const comesLater = (phase: Phase): boolean =>
  phase !== 'waiting' && phase !== 'started' && endingFacts[phase].dependents === 'later';

const phrase = (phase: Phase): string => (phase === 'failed' ? 'has failed' : `is ${phase}`);

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
