// A plan as text: per step what would be done, what is reused, and what it would cost.

import { printable } from '../../contract/base/printable.ts';
import type { Plan, PlanNote } from '../plan/plan.ts';
import type { PlannedAction } from '../plan/planned-action.ts';
import { count, table } from './text.ts';

const words: Readonly<Record<PlannedAction, string>> = {
  begin: 'to do',
  maybe: 'perhaps',
  attach: 'paid, to fetch',
  copy: 'to copy',
  reuse: 'reused',
  skipped: 'skipped',
  excluded: 'left out',
  doubt: 'IN DOUBT',
  lost: 'LOST',
  keep: 'kept',
  blocked: 'waiting',
  trouble: 'CANNOT RUN',
};

const order: readonly PlannedAction[] = [
  'begin',
  'maybe',
  'attach',
  'copy',
  'reuse',
  'skipped',
  'excluded',
  'doubt',
  'lost',
  'keep',
  'blocked',
  'trouble',
];

/** So many notes are shown; the JSON output has more. */
const notesShown = 20;

/** `told`: messages with places that are printed beside it; what they say of a task is not said again. */
export function planText(plan: Plan, told: readonly string[] = []): string {
  const rows = plan.rows.map(({ step, kind, tasks, credits, unpriced }) => [
    step,
    kind,
    order
      .filter((action) => (tasks[action] ?? 0) > 0)
      .map((action) => `${tasks[action]} ${words[action]}`)
      .join(', '),
    credits > 0 || unpriced > 0 ? `${credits}${unpriced > 0 ? ` + ${unpriced} × ?` : ''}` : '',
  ]);
  const lines = [
    `${count(plan.items, 'item')}:`,
    table([['step', 'kind', 'tasks', 'credits'], ...rows], [3]),
    costLine(plan),
  ];
  for (const why of plan.unpricedWhy) lines.push(`  price not known: ${printable(why)}`);
  const isTold = ({ task }: PlanNote): boolean =>
    told.some((message) => message.startsWith(`${task}: `));
  const notes = plan.notes.filter((note) => !isTold(note));
  const refused = notes.length < plan.notes.length;
  const shown = notes.slice(0, notesShown);
  for (const { task, action, why } of shown)
    lines.push(`  ${words[action]}: ${printable(task)}: ${printable(why)}`);
  if (!refused && plan.noted > shown.length)
    lines.push(`  and ${plan.noted - shown.length} more; --json lists the first hundred`);
  if (!refused && plan.badItems > 0)
    lines.push(
      `${count(plan.badItems, 'item')} cannot run: nothing is bought for ${plan.badItems === 1 ? 'it' : 'them'}, and the others go on.`,
    );
  if (plan.rows.some(({ tasks }) => (tasks.maybe ?? 0) > 0))
    lines.push('"perhaps" depends on what earlier steps find; its credits are counted.');
  return printable(lines.join('\n'), true);
}

export const balanceLine = (credits: number): string =>
  `The account has ${count(credits, 'credit')}.`;

function costLine({ credits, unpriced }: Plan): string {
  if (unpriced > 0)
    return `At least ${count(credits, 'credit')}, and ${count(unpriced, 'task')} whose price is not published.`;
  return credits === 0 ? 'Nothing to pay.' : `At most ${count(credits, 'credit')}.`;
}
