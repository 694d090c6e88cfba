// Decides what a step does once the steps that it waits for are over. `plan` asks with planned endings, `run` with real
// ones.

import { type Ending, endingFacts } from '../core/ending.ts';
import type { OnMissing, Step } from '../language/pipeline.ts';
import type { End, Phase } from './ending.ts';

/** A step starts, or ends because of a step that it waits for. */
export type Turn = 'start' | End;

type Waiting = Pick<Step, 'after' | 'uses'> & Partial<Pick<Step, 'gathers' | 'onMissing'>>;

const nothingGathered = (step: string): Gathering => {
  throw new Error(`bug: nobody gathers ${step}`);
};

/**
 * Undefined if a step that it waits for is not over. A block comes first, then a step that is over only in a later run,
 * then a skip, then an exclusion.
 */
export function turnOf(
  { after, uses, gathers = [], onMissing = 'fail' }: Waiting,
  phaseOf: (step: string) => Phase,
  gatheringOf: (step: string) => Gathering = nothingGathered,
): Turn | undefined {
  const whys: Partial<Record<Ending, string>> = {};
  for (const before of after) {
    const turn = gathers.includes(before)
      ? gatherTurn(before, onMissing, gatheringOf(before))
      : turnAfter(before, phaseOf(before), uses.includes(before));
    if (turn === undefined) return undefined;
    if (turn !== 'start') whys[turn.ending] ??= turn.why;
  }
  for (const ending of ['blocked', 'later', 'skipped', 'excluded'] as const) {
    const why = whys[ending];
    if (why !== undefined) return { ending, why };
  }
  return 'start';
}

/** What one step that is waited for makes of the turn; undefined if it is not over. `isUsed`: its outputs are read. */
function turnAfter(before: string, phase: Phase, isUsed: boolean): Turn | undefined {
  if (phase === 'waiting' || phase === 'started') return undefined;
  switch (endingFacts[phase].dependents) {
    case 'done':
      return 'start';
    case 'blocked':
      return { ending: 'blocked', why: `waits for ${before}` };
    case 'later':
      return { ending: 'later', why: `waits for ${before}` };
    case 'skipped':
      return isUsed ? { ending: 'skipped', why: `${before} is skipped` } : 'start';
    case 'excluded':
      return { ending: 'excluded', why: `${before} is excluded` };
  }
}

/**
 * The downloads whose files must be safe before a delete removes their project, among the steps that run beside it (those
 * of the items, of the same elements, or the shared ones). None for other steps, and none with `discard: true`.
 */
export function saversOf(step: Step, steps: readonly Step[]): readonly Step[] {
  if (step.kind.operation !== 'delete' || step.discard) return [];
  return steps.filter(
    ({ kind, of, shared, fan }) =>
      kind.operation === 'download' &&
      of === step.of &&
      shared === step.shared &&
      fan?.step === step.fan?.step,
  );
}

// When a step that reads `steps.<name>.all` takes its turn. Such a step is paid for once, so it starts only when the list
// is complete: with a part of it, it would be paid for now and again with the whole.

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

/** The barrier between the items and the shared steps that wait for all of them: how far each step is over all items. */
export class Barrier {
  /** Item-level steps that are not over for every item. They keep shared projects. */
  readonly #unfinished = new Map<string, 'blocked' | 'later' | 'excluded'>();
  readonly #partial: boolean;

  /** `partial`: the run includes only some of the items, so no step is ever over for all of them. */
  constructor(partial: boolean) {
    this.#partial = partial;
  }

  note(step: string, ending: Ending): void {
    const { dependents } = endingFacts[ending];
    const known = this.#unfinished.get(step);
    if (dependents === 'blocked') this.#unfinished.set(step, 'blocked');
    if (dependents === 'later' && known !== 'blocked') this.#unfinished.set(step, 'later');
    if (dependents === 'excluded' && known === undefined) this.#unfinished.set(step, 'excluded');
  }

  /**
   * `over`: no item is in progress, and none will follow. `rest`: the phase of the items that were not admitted;
   * undefined if every item was.
   */
  phase(
    step: string,
    { over, rest }: { readonly over: boolean; readonly rest: 'blocked' | 'later' | undefined },
  ): Phase {
    if (!over) return 'waiting';
    return this.#unfinished.get(step) ?? rest ?? (this.#partial ? 'excluded' : 'done');
  }
}
