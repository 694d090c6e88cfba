// Whose turn is it? The one rule for what a step does once the steps that it waits for are over. `plan` asks it with what
// it foresees, `run` with what has happened.
import type { Step } from '../language/pipeline.ts';

/**
 * - `done`: its outputs are there. `skipped`: it is not wanted, and neither is any step that uses its outputs.
 * - `excluded`: this run leaves it out, and every step that waits for it.
 * - `failed`, `held`, `blocked`, `pending`: it has no outputs now; every step that waits for it is blocked.
 */
export type Ending = 'done' | 'skipped' | 'excluded' | 'failed' | 'held' | 'blocked' | 'pending';
export type Phase = 'waiting' | 'started' | Ending;

export interface Turn {
  readonly turn: 'start' | 'skip' | 'exclude' | 'block';
  /** The step that decides it; for `start`: none. */
  readonly because?: string;
}

/** Undefined: a step that it waits for is not over. A block outranks a skip, and a skip outranks an exclusion. */
export function turnOf(
  { after, uses }: Pick<Step, 'after' | 'uses'>,
  phaseOf: (step: string) => Phase,
): Turn | undefined {
  let skip: string | undefined;
  let exclude: string | undefined;
  let block: string | undefined;
  for (const before of after) {
    switch (phaseOf(before)) {
      case 'waiting':
      case 'started':
        return undefined;
      case 'failed':
      case 'held':
      case 'blocked':
      case 'pending':
        block ??= before;
        break;
      case 'skipped':
        if (uses.includes(before)) skip ??= before;
        break;
      case 'excluded':
        exclude ??= before;
        break;
      case 'done':
        break;
    }
  }
  if (block !== undefined) return { turn: 'block', because: block };
  if (skip !== undefined) return { turn: 'skip', because: skip };
  if (exclude !== undefined) return { turn: 'exclude', because: exclude };
  return { turn: 'start' };
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
