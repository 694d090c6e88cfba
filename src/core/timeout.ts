// How long a run waits for a project.
import { toolNamed } from '../contract/tools/all.ts';
import type { Step } from '../language/pipeline.ts';

const usualTimeout = (medianSeconds = 10): number => Math.max(10 * 60_000, medianSeconds * 6000);

/** The step's `timeout:`, else six times the tool's median, in milliseconds. */
export const timeoutOf = (step: Step): number =>
  step.timeoutMs ?? usualTimeout(step.kind.tool?.medianSeconds);

/** The longest that a run waits for a project of this kind, whichever step it belongs to. */
export function longestWait(kind: string, steps: readonly Step[]): number {
  const own = steps.filter((step) => step.kind.name === kind).map(timeoutOf);
  return Math.max(usualTimeout(toolNamed(kind)?.medianSeconds), ...own);
}
