// A plan as text: for each step, what would run, what is reused, and what it would cost.

import { printable } from '../../contract/base/printable.ts';
import type { Plan, PlanNote, PlannedLate, PlannedTake } from '../plan/plan.ts';
import { filesText } from './files-text.ts';
import { paidAlreadyText } from './paid-already-text.ts';
import { actionWord, planTable } from './plan-table.ts';
import { count } from './text.ts';

/** The most notes to show; JSON output has more. */
const notesShown = 20;

/** `told` are messages that are printed separately, so the plan does not repeat them. */
export function planText(plan: Plan, told: readonly string[] = []): string {
  const lines = [
    `${count(plan.items, 'item')}:`,
    planTable(plan),
    costLine(plan),
    ...(plan.paidAlready === undefined ? [] : [paidAlreadyText(plan.paidAlready)]),
    ...filesText(plan.files),
  ];
  for (const why of plan.unpricedWhy)
    lines.push(`  unknown price: ${printable(why)}; or set estimate: on the step`);
  for (const late of plan.late ?? []) lines.push(lateLine(late));
  for (const { step, fields } of plan.unknownFields ?? [])
    lines.push(`  sent, unknown to this version: ${step}: ${printable(fields.join(', '))}`);
  for (const [one, other] of (plan.alikeButExtra ?? []).slice(0, notesShown))
    lines.push(
      `  differ only in fields under extra:, and both are paid for: ${printable(one)}, ${printable(other)}`,
    );
  for (const take of (plan.takes ?? []).slice(0, notesShown)) lines.push(takeLine(take));
  const isTold = ({ task }: PlanNote): boolean =>
    told.some((message) => message.startsWith(`${task}: `));
  const notes = plan.notes.filter((note) => !isTold(note));
  const refused = notes.length < plan.notes.length;
  const shown = firstNotes(notes);
  for (const { task, action, why, code } of shown) {
    const kind = code === undefined ? actionWord(action) : `${actionWord(action)} (${code})`;
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

const firstNotes = (notes: readonly PlanNote[]): readonly PlanNote[] => notes.slice(0, notesShown);

/** The notes that the text of a plan has. */
export const shownNotes = ({ notes }: Plan): readonly PlanNote[] => firstNotes(notes);

export const balanceLine = (credits: number): string =>
  `The account has ${count(credits, 'credit')}.`;

function lateLine({ step, field, from, pricedAs }: PlannedLate): string {
  const price = pricedAs === undefined ? '' : `; priced as ${pricedAs}, the highest possible value`;
  return `  known at run time: ${step}: ${field}, from ${from}${price}`;
}

function costLine({ credits, unpriced, uncounted }: Plan): string {
  const unknown = uncounted > 0 ? 'a number of tasks that only the run will know' : '';
  if (uncounted > 0 && unpriced === 0)
    return `At least ${count(credits, 'credit')}, plus ${unknown}.`;
  if (uncounted > 0)
    return `At least ${count(credits, 'credit')}, plus ${count(unpriced, 'task')} without a published price, plus ${unknown}.`;
  if (unpriced > 0 && credits === 0) return `No price is known for ${count(unpriced, 'task')}.`;
  if (unpriced > 0)
    return `At least ${count(credits, 'credit')}, plus ${count(unpriced, 'task')} without a published price.`;
  return credits === 0 ? 'Nothing to pay.' : `At most ${count(credits, 'credit')}.`;
}

const takeLine = ({ task, known, picked }: PlannedTake): string =>
  `  takes: ${printable(task)} has ${known}, and take ${picked} counts`;
