// What one run did, as far as the tasks of the report tell: two runs are compared by it.
import type { ReportData, ReportRun } from '../report-data.ts';
import { type Bar, spanOf } from './lanes.ts';
import { stepTimes } from './step-times.ts';

export interface RunFacts {
  readonly run: ReportRun;
  /** In milliseconds; undefined if it was interrupted, or continues. */
  readonly took: number | undefined;
  readonly done: number;
  readonly failed: number;
  /** By the number of the step. */
  readonly steps: ReadonlyMap<number, RunStep>;
}

export interface RunStep {
  readonly done: number;
  readonly credits: number;
  /** In milliseconds. */
  readonly median: number | undefined;
}

export function runFacts(data: ReportData, bars: readonly Bar[], run: ReportRun): RunFacts {
  const own = spanOf(bars, run);
  const from = Date.parse(run.at);
  const to = run.ended === undefined ? Number.POSITIVE_INFINITY : Date.parse(run.ended);
  const medians = new Map(stepTimes(own).map(({ step, median }) => [step, median]));
  const steps = new Map<number, RunStep>();
  const note = (step: number, done: number, credits: number): void => {
    const known = steps.get(step);
    steps.set(step, {
      done: (known?.done ?? 0) + done,
      credits: (known?.credits ?? 0) + credits,
      median: medians.get(step),
    });
  };
  for (const { step, state } of own) note(step, state === 'done' ? 1 : 0, 0);
  for (const { at, step, credits } of data.spending)
    if (step >= 0 && at >= from && at <= to) note(step, 0, credits);
  const count = (state: string): number => own.filter((bar) => bar.state === state).length;
  return {
    ...{ run, steps, done: count('done'), failed: count('failed') },
    took: run.ended === undefined ? undefined : to - from,
  };
}
