// Why an item is not done, and the step that it is in.
import type { ReportData, ReportItem } from '../page/report-data.ts';

export interface Cause {
  /** The step of the task that decides the item's state. */
  readonly step: string;
  readonly why: string;
  /** What a person can do: an imperative clause. */
  readonly advice?: string | undefined;
}

const troubled: ReadonlySet<string> = new Set(['failed', 'doubt', 'blocked']);

/** Of an item that failed, is in doubt, or is blocked. */
export function causeOf(data: ReportData, item: ReportItem): Cause | undefined {
  const task = item.tasks.find(({ state }) => state === item.state);
  if (task === undefined || !troubled.has(item.state)) return undefined;
  const { step } = task;
  const number = data.items.indexOf(item);
  const why = item.state === 'doubt' ? doubtWhy(data, step, number) : (task.why ?? '');
  const group = data.failures.find(
    (failure) => failure.step === step && failure.items.includes(number),
  );
  return { step: data.steps[step]?.name ?? '', why, advice: group?.advice };
}

function doubtWhy({ doubts }: ReportData, step: number, item: number): string {
  const doubt = doubts.find((one) => one.step === step && one.item === item);
  return `may be paid: ${doubt?.why ?? 'the run ended before the service answered'}`;
}

/** The step that the item is in: the one at work, or the first one that is left. Empty if the item has not begun or is over. */
export function stepNow({ steps }: ReportData, { state, tasks }: ReportItem): string {
  if (state === 'done' || state === 'skipped') return '';
  const task = tasks.find((one) => one.state === state);
  const hasBegun = tasks.some((one) => one.state === 'done') || state !== 'waiting';
  return task === undefined || !hasBegun ? '' : (steps[task.step]?.name ?? '');
}
