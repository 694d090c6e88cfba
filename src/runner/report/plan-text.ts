// A plan as text: for each step, what would run, what is reused, and what it would cost.

import { printable } from '../../contract/base/printable.ts';
import type { Plan, PlanNote, PlannedLate, PlanRow } from '../plan/plan.ts';
import type { PlannedAction, Times } from '../plan/planned-action.ts';
import { filesText } from './files-text.ts';
import { count, table } from './text.ts';

const words: Readonly<Record<PlannedAction, string>> = {
  begin: 'to do',
  maybe: 'perhaps',
  attach: 'paid, to fetch',
  copy: 'to copy',
  store: 'to store',
  reuse: 'reused',
  skipped: 'skipped',
  excluded: 'excluded',
  doubt: 'IN DOUBT',
  lost: 'LOST',
  keep: 'kept',
  defer: 'left to another checkout',
  blocked: 'waiting',
  problem: 'CANNOT RUN',
};

const order: readonly PlannedAction[] = [
  'begin',
  'maybe',
  'attach',
  'copy',
  'store',
  'reuse',
  'skipped',
  'excluded',
  'doubt',
  'lost',
  'keep',
  'defer',
  'blocked',
  'problem',
];

/** The most notes to show; JSON output has more. */
const notesShown = 20;

/** `told` are messages that are printed separately, so the plan does not repeat them. */
export function planText(plan: Plan, told: readonly string[] = []): string {
  const rows = plan.rows.map((row) => [
    row.step,
    row.kind,
    timesText(row.times) +
      order
        .filter((action) => (row.tasks[action] ?? 0) > 0)
        .map((action) => `${row.tasks[action]} ${words[action]}`)
        .join(', '),
    creditsText(row),
  ]);
  const lines = [
    `${count(plan.items, 'item')}:`,
    table([['step', 'kind', 'tasks', 'credits'], ...rows], [3]),
    costLine(plan),
    ...filesText(plan.files),
  ];
  for (const why of plan.unpricedWhy) lines.push(`  unknown price: ${printable(why)}`);
  for (const late of plan.late ?? []) lines.push(lateLine(late));
  const isTold = ({ task }: PlanNote): boolean =>
    told.some((message) => message.startsWith(`${task}: `));
  const notes = plan.notes.filter((note) => !isTold(note));
  const refused = notes.length < plan.notes.length;
  const shown = notes.slice(0, notesShown);
  for (const { task, action, why, code } of shown) {
    const kind = code === undefined ? words[action] : `${words[action]} (${code})`;
    lines.push(`  ${kind}: ${printable(task)}: ${printable(why)}`);
  }
  if (!refused && plan.noted > shown.length)
    lines.push(`  and ${plan.noted - shown.length} more; --json lists the first hundred`);
  if (!refused && plan.badItems > 0)
    lines.push(
      `${count(plan.badItems, 'item')} cannot run. A run buys nothing for ${plan.badItems === 1 ? 'it' : 'them'}; the other items continue.`,
    );
  if (plan.rows.some(({ tasks }) => (tasks.maybe ?? 0) > 0))
    lines.push('"perhaps" depends on the results of earlier steps; the credits are included.');
  return printable(lines.join('\n'), true);
}

/** `4 ×: `, `n ×, at most 16: `, `? ×: `; empty outside fan-outs. */
function timesText(times: Times | undefined): string {
  if (times === undefined) return '';
  const { least, most, open } = times;
  if (most === undefined) return '? ×: ';
  if (!open) return least === most ? `${most} ×: ` : `${least}–${most} ×: `;
  return least === most ? `${most} ×: ` : `n ×, at most ${most}: `;
}

function creditsText({ credits, unpriced, uncounted }: PlanRow): string {
  const parts = [
    ...(credits > 0 ? [`${credits}`] : []),
    ...(unpriced > 0 ? [`${unpriced} × ?`] : []),
    ...(uncounted === undefined ? [] : [`? × ${uncounted.each}`]),
  ];
  return unpriced > 0 && credits === 0 ? ['0', ...parts].join(' + ') : parts.join(' + ');
}

export const balanceLine = (credits: number): string =>
  `The account has ${count(credits, 'credit')}.`;

function lateLine({ step, field, from, pricedAs }: PlannedLate): string {
  const price =
    pricedAs === undefined ? '' : `; priced as ${pricedAs}, the most that the tool accepts`;
  return `  known at run time: ${step}: ${field}, from ${from}${price}`;
}

function costLine({ credits, unpriced, uncounted }: Plan): string {
  const unknown = uncounted > 0 ? 'a number of tasks that only the run will know' : '';
  if (uncounted > 0 && unpriced === 0)
    return `At least ${count(credits, 'credit')}, plus ${unknown}.`;
  if (uncounted > 0)
    return `At least ${count(credits, 'credit')}, plus ${count(unpriced, 'task')} without a published price, plus ${unknown}.`;
  if (unpriced > 0)
    return `At least ${count(credits, 'credit')}, plus ${count(unpriced, 'task')} without a published price.`;
  return credits === 0 ? 'Nothing to pay.' : `At most ${count(credits, 'credit')}.`;
}
