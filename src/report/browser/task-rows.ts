// The table of all tasks: its rows, their order, and the same as CSV.
import type { ReportData, ReportTask, TaskState } from '../page/report-data.ts';
import type { Filter } from './filter.ts';
import { taskName, tookMs } from './item.ts';
import { taskStates } from './words.ts';

const columns = ['step', 'item', 'state', 'credits', 'time', 'project'] as const;
export type TaskColumn = (typeof columns)[number];
export const isTaskColumn = (name: string): name is TaskColumn =>
  columns.some((column) => column === name);

export interface TaskOrder {
  readonly column: TaskColumn;
  /** The largest first. */
  readonly down: boolean;
}

export interface TaskRow {
  /** The number of its step. */
  readonly step: number;
  /** The step, with the number of the element in a fan-out. */
  readonly name: string;
  /** Empty for a shared task. */
  readonly item: string;
  readonly state: TaskState;
  readonly credits: number;
  readonly began?: number | undefined;
  /** In milliseconds. */
  readonly took?: number | undefined;
  readonly project: string;
  readonly why: string;
}

export function taskRows(data: ReportData): readonly TaskRow[] {
  const rowOf = (item: string, task: ReportTask): TaskRow => {
    const { step, state, credits = 0, began, project = '', why = '' } = task;
    const [name, took] = [taskName(data, task), tookMs(task)];
    return { step, name, item, state, credits, began, took, project, why };
  };
  return [data.shared, ...data.items].flatMap(({ key, tasks }) =>
    tasks.map((task) => rowOf(key, task)),
  );
}

export function filteredRows(
  rows: readonly TaskRow[],
  { state, step, text }: Filter,
): readonly TaskRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (state !== 'all' && row.state !== state) return false;
    if (step >= 0 && row.step !== step) return false;
    if (words.length === 0) return true;
    const all = `${row.name}\n${row.item}\n${row.project}\n${row.why}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** Rows that are equal keep the order of the items. */
export function sortedRows(
  rows: readonly TaskRow[],
  order: TaskOrder | undefined,
): readonly TaskRow[] {
  if (order === undefined) return rows;
  const { column, down } = order;
  const sortValue = (row: TaskRow): string | number => {
    switch (column) {
      case 'step':
        return row.step;
      case 'state':
        return taskStates.indexOf(row.state);
      case 'time':
        return row.took ?? -1;
      default:
        return row[column];
    }
  };
  const compare = (a: string | number, b: string | number): number =>
    typeof a === 'string' && typeof b === 'string' ? collator.compare(a, b) : Number(a) - Number(b);
  const sign = down ? -1 : 1;
  return rows
    .map((row) => ({ row, value: sortValue(row) }))
    .sort((one, other) => sign * compare(one.value, other.value))
    .map(({ row }) => row);
}

const collator = new Intl.Collator('en', { numeric: true });

/** RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvOf(rows: readonly TaskRow[]): string {
  const head = ['step', 'item', 'state', 'credits', 'began', 'seconds', 'project', 'why'];
  const lines = rows.map(({ name, item, state, credits, began, took, project, why }) => [
    ...[name, item, state, String(credits)],
    began === undefined ? '' : new Date(began).toISOString(),
    took === undefined ? '' : String(took / 1000),
    ...[project, why],
  ]);
  return [head, ...lines].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
