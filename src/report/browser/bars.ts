// Each task as a bar in time: in the first free row of its step's lane, and how long the tasks of each step took.
import type { ReportData, ReportRun, TaskState } from '../page/report-data.ts';

export interface Bar {
  readonly step: number;
  readonly state: TaskState;
  /** Epoch milliseconds. */
  readonly began: number;
  readonly ended: number;
}

export interface Lane {
  readonly step: number;
  readonly rows: readonly { readonly bar: Bar; readonly row: number }[];
  readonly depth: number;
}

/** More rows are drawn over each other. */
const maxRows = 40;

export function barsOf(data: ReportData): readonly Bar[] {
  const bars: Bar[] = [];
  const now = Date.parse(data.at);
  for (const { tasks } of [data.shared, ...data.items])
    for (const { step, state, began, ended, shares } of tasks) {
      if (shares === true || (began === undefined && ended === undefined)) continue;
      const until = ended ?? now;
      bars.push({ step, state, began: began ?? until, ended: until });
    }
  return bars.sort((one, other) => one.began - other.began);
}

/** The bars that ended in a run; all without a run. */
export function spanOf(bars: readonly Bar[], run: ReportRun | undefined): readonly Bar[] {
  if (run === undefined) return bars;
  const from = Date.parse(run.at);
  const to = run.ended === undefined ? Number.POSITIVE_INFINITY : Date.parse(run.ended);
  const slack = 2_000;
  return bars.filter(({ ended }) => ended >= from - slack && ended <= to + slack);
}

export function lanesOf(bars: readonly Bar[]): readonly Lane[] {
  const steps = [...new Set(bars.map(({ step }) => step))].sort((one, other) => one - other);
  return steps.map((step) => {
    const free: number[] = [];
    const rows = bars
      .filter((bar) => bar.step === step)
      .map((bar) => {
        const found = free.findIndex((until) => until <= bar.began);
        const row = found >= 0 ? found : Math.min(free.length, maxRows - 1);
        free[row] = bar.ended + 1;
        return { bar, row };
      });
    return { step, rows, depth: Math.max(1, free.length) };
  });
}

// How long the tasks of each step took.

/** In milliseconds. */
interface StepTimes {
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
