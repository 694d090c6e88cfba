// Finds a step of a pipeline by its name, without a search for each of a million items.
import type { Step } from '../language/pipeline.ts';

const known = new WeakMap<readonly Step[], ReadonlyMap<string, Step>>();

export function stepNamed(steps: readonly Step[], name: string): Step | undefined {
  const byName = known.get(steps) ?? new Map(steps.map((step) => [step.name, step]));
  known.set(steps, byName);
  return byName.get(name);
}
