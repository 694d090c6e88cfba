// How long the tasks of each step took.
import type { Bar } from './lanes.ts';

/** In milliseconds. */
export interface StepTimes {
  readonly step: number;
  readonly tasks: number;
  readonly median: number;
  /** 95 % of the tasks took at most so long. */
  readonly most: number;
  readonly longest: number;
}

/** Only tasks that are done, and that took a time that is known. */
export function stepTimes(bars: readonly Bar[]): readonly StepTimes[] {
  const byStep = new Map<number, number[]>();
  for (const { step, state, began, ended } of bars) {
    if (state !== 'done' || ended <= began) continue;
    const known = byStep.get(step);
    if (known === undefined) byStep.set(step, [ended - began]);
    else known.push(ended - began);
  }
  return [...byStep]
    .sort(([one], [other]) => one - other)
    .map(([step, times]) => {
      const sorted = times.sort((one, other) => one - other);
      // The nearest rank.
      const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
      return { step, tasks: sorted.length, median: at(0.5), most: at(0.95), longest: at(1) };
    });
}
