// What the page says of an item: its name, its result, why it is not done, and the step that it is in.
import type { ReportData, ReportFile, ReportItem, ReportTask } from '../page/report-data.ts';

interface Cause {
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

/** The last picture or clip that was saved, else the last file. */
export const resultOf = ({ outputs }: ReportItem): ReportFile | undefined =>
  outputs.findLast(({ medium }) => medium === 'image' || medium === 'video') ?? outputs.at(-1);

// Items by their numbers. A pipeline without items has one, the shared tasks: -1.

export const itemNumbered = (data: ReportData, number: number): ReportItem =>
  data.items[number] ?? data.shared;

export const titleOf = (data: ReportData, number: number): string =>
  number < 0 ? data.pipeline : (data.items[number]?.key ?? '');

export const shownItems = ({ items, shared }: ReportData): readonly ReportItem[] =>
  items.length === 0 ? [shared] : items;

/** The step, with the number of the element in a fan-out. */
export const taskName = ({ steps }: ReportData, { step, element }: ReportTask): string =>
  `${steps[step]?.name ?? ''}${element === undefined ? '' : ` [${element}]`}`;

/** How long a task took, in milliseconds; undefined if that is not known. */
export const tookMs = ({ began, ended }: ReportTask): number | undefined =>
  began === undefined || ended === undefined || ended <= began ? undefined : ended - began;
