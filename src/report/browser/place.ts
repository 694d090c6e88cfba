// Where a person is in the page, as the address after "#": it can be bookmarked, sent to somebody else, and gone back from.
import type { ReportData } from '../page/report-data.ts';
import { type Filter, noFilter } from './filter.ts';
import { isTaskColumn, type TaskOrder } from './task-rows.ts';
import { taskStates } from './words.ts';

/** The views of the page, in the order of their tabs. */
export const tabs = ['gallery', 'tasks', 'steps', 'timeline', 'credits', 'problems'] as const;
export type Tab = (typeof tabs)[number];

const isTab = (name: string): name is Tab => tabs.some((tab) => tab === name);

export interface Place {
  readonly tab: Tab;
  readonly filter: Filter;
  /** The key of the item that is open. */
  readonly item?: string | undefined;
  readonly order?: TaskOrder | undefined;
  /** The run that the timeline shows, by when it began, or `all`; otherwise the last. */
  readonly run?: string | undefined;
}

/** What the address does not say, or says wrong, is as it is in the beginning. */
export function placeIn(hash: string, { steps }: Pick<ReportData, 'steps'>): Place {
  const [name = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const fields = new URLSearchParams(query);
  const state = taskStates.find((one) => one === fields.get('state')) ?? 'all';
  const step = steps.findIndex((one) => one.name === fields.get('step'));
  const [, column = '', back] = /^([a-z]+)(-down)?$/.exec(fields.get('order') ?? '') ?? [];
  return {
    tab: isTab(name) ? name : 'gallery',
    filter: { ...noFilter, state, step, text: fields.get('text') ?? '' },
    item: fields.get('item') ?? undefined,
    order: isTaskColumn(column) ? { column, down: back !== undefined } : undefined,
    run: fields.get('run') ?? undefined,
  };
}

export function hashOf(
  { tab, filter, item, order, run }: Place,
  { steps }: Pick<ReportData, 'steps'>,
): string {
  const fields = new URLSearchParams();
  if (filter.state !== 'all') fields.set('state', filter.state);
  const step = steps[filter.step]?.name;
  if (step !== undefined) fields.set('step', step);
  if (filter.text !== '') fields.set('text', filter.text);
  if (order !== undefined) fields.set('order', `${order.column}${order.down ? '-down' : ''}`);
  if (run !== undefined) fields.set('run', run);
  if (item !== undefined) fields.set('item', item);
  const query = fields.toString();
  return `#${tab}${query === '' ? '' : `?${query}`}`;
}
