// What the first items of a run became, and what the others will cost.
import { count, table } from './text.ts';

export interface Canary {
  /** The items, and the files that were saved for each, relative to the pipeline file. */
  readonly items: readonly { readonly item: string; readonly files: readonly string[] }[];
  /** What they were charged, without refunds. */
  readonly credits: number;
  /** The items that are left. */
  readonly rest: number;
  /** The most that those may cost, by the plan. */
  readonly projected: number;
}

/** The most items to show. */
const most = 20;

export function canaryText({ items, credits, rest, projected }: Canary): string {
  const rows = items
    .slice(0, most)
    .map(({ item, files }) => [item, '→', files.join(', ') || 'nothing saved']);
  const each = Math.round((credits / Math.max(1, items.length)) * 100) / 100;
  return [
    `The first ${count(items.length, 'item')}:`,
    table(rows),
    ...(items.length > most ? [`  and ${items.length - most} more`] : []),
    `They cost ${count(credits, 'credit')}, ${each} each. The other ${count(rest, 'item')} may cost up to ${count(projected, 'credit')}.`,
  ].join('\n');
}
