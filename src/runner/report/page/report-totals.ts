// What a report says of all items together: its steps, and what was spent.
import { chargedAt } from '../../journal/job-times.ts';
import type { Ledger } from '../../journal/ledger.ts';
import { chargedHere } from '../../journal/state.ts';
import type { Step } from '../../language/pipeline.ts';
import { stagesOf } from '../../language/stages.ts';
import { stepOf } from '../../task/task.ts';
import type { ReportStep, Spending } from './report-data.ts';

/** `counts`: the number of tasks by state, for each step. */
export function reportSteps(
  steps: readonly Step[],
  counts: readonly ReportStep['tasks'][],
  spending: readonly Spending[],
): readonly ReportStep[] {
  const { once, afterItems } = stagesOf(steps);
  const spent = steps.map(() => 0);
  for (const { step, credits } of spending)
    if (step >= 0) spent[step] = (spent[step] ?? 0) + credits;
  return steps.map((step, index) => ({
    ...{ name: step.name, kind: step.kind.name, title: step.kind.title },
    operation: step.kind.operation,
    stage: once.includes(step) ? 'once' : afterItems.includes(step) ? 'after' : 'item',
    after: step.after,
    tasks: counts[index] ?? {},
    credits: spent[index] ?? 0,
  }));
}

/** Also of items and steps that are gone: the sum is what was charged. */
export function spendingOf(
  ledger: Ledger,
  numberOf: (step: string) => number,
): readonly Spending[] {
  const found: Spending[] = [];
  for (const job of ledger.jobs()) {
    const credits = chargedHere(job);
    const step =
      job.tasks.map((task) => numberOf(stepOf(task))).find((number) => number >= 0) ?? -1;
    if (credits > 0) found.push({ at: chargedAt(job), step, credits });
  }
  return found.sort((one, other) => one.at - other.at);
}
