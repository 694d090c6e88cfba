// Decides what a step does once the steps that it waits for are over. `plan` asks with planned endings, `run` with real
// ones.
import type { Step } from '../language/pipeline.ts';
import { type End, endingFacts, type Phase } from './ending.ts';
import { type Gathering, gatherTurn } from './fan-in.ts';

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
  let skip: string | undefined;
  let exclude: string | undefined;
  let block: string | undefined;
  let later: string | undefined;
  for (const before of after) {
    if (gathers.includes(before)) {
      const turn = gatherTurn(before, onMissing, gatheringOf(before));
      if (turn === undefined) return undefined;
      if (turn === 'start') continue;
      if (turn.ending === 'blocked') block ??= turn.why;
      if (turn.ending === 'later') later ??= turn.why;
      if (turn.ending === 'skipped') skip ??= turn.why;
      if (turn.ending === 'excluded') exclude ??= turn.why;
      continue;
    }
    const phase = phaseOf(before);
    if (phase === 'waiting' || phase === 'started') return undefined;
    const { dependents } = endingFacts[phase];
    if (dependents === 'blocked') block ??= `waits for ${before}`;
    if (dependents === 'later') later ??= `waits for ${before}`;
    if (dependents === 'skipped' && uses.includes(before)) skip ??= `${before} is skipped`;
    if (dependents === 'excluded') exclude ??= `${before} is excluded`;
  }
  if (block !== undefined) return { ending: 'blocked', why: block };
  if (later !== undefined) return { ending: 'later', why: later };
  if (skip !== undefined) return { ending: 'skipped', why: skip };
  if (exclude !== undefined) return { ending: 'excluded', why: exclude };
  return 'start';
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
