// Decides what a step does once the steps that it waits for are over. `plan` asks with planned endings, `run` with real
// ones.
import type { Step } from '../language/pipeline.ts';
import { type End, endingFacts, type Phase } from './ending.ts';

/** A step starts, or ends because of a step that it waits for. */
export type Turn = 'start' | End;

/**
 * Undefined if a step that it waits for is not over. A block comes first, then a step that is over only in a later run,
 * then a skip, then an exclusion.
 */
export function turnOf(
  { after, uses }: Pick<Step, 'after' | 'uses'>,
  phaseOf: (step: string) => Phase,
): Turn | undefined {
  let skip: string | undefined;
  let exclude: string | undefined;
  let block: string | undefined;
  let later: string | undefined;
  for (const before of after) {
    const phase = phaseOf(before);
    if (phase === 'waiting' || phase === 'started') return undefined;
    const { dependents } = endingFacts[phase];
    if (dependents === 'blocked') block ??= before;
    if (dependents === 'later') later ??= before;
    if (dependents === 'skipped' && uses.includes(before)) skip ??= before;
    if (dependents === 'excluded') exclude ??= before;
  }
  if (block !== undefined) return { ending: 'blocked', why: `waits for ${block}` };
  if (later !== undefined) return { ending: 'later', why: `waits for ${later}` };
  if (skip !== undefined) return { ending: 'skipped', why: `${skip} is skipped` };
  if (exclude !== undefined) return { ending: 'excluded', why: `${exclude} is excluded` };
  return 'start';
}

/**
 * The downloads whose files must be safe before a delete removes their project, among the steps that run beside it (those
 * of the items, or the shared ones). None for other steps, and none with `discard: true`.
 */
export function saversOf(step: Step, steps: readonly Step[]): readonly Step[] {
  if (step.kind.operation !== 'delete' || step.discard) return [];
  return steps.filter(
    ({ kind, of, shared }) =>
      kind.operation === 'download' && of === step.of && shared === step.shared,
  );
}
