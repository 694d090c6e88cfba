// A plan as text: for each step, what would run, what is reused, and what it would cost.

import { printable } from '../base/printable.ts';
import { count, duration, grouped, table } from '../base/text.ts';
import { kindNamed, type Operation } from '../contract/kinds.ts';
import type { FileCounts } from '../core/facts.ts';
import type {
  Plan,
  PlanNote,
  PlannedAction,
  PlannedLate,
  PlannedTake,
  PlanRow,
  Times,
} from '../core/plan-table.ts';
import { paidAlreadyText } from './receipts-text.ts';

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

// The recorded files that are not here as recorded.

/** One line for each condition that some files are in. */
export function filesText({
  changed,
  lost = 0,
  elsewhere,
  stored,
}: FileCounts & { readonly lost?: number }): readonly string[] {
  return [
    ...(changed > 0 ? [`${are(changed)} changed on disk: left alone.`] : []),
    ...(lost > 0 ? [`${are(lost)} lost: saved here, and gone.`] : []),
    ...(elsewhere > stored
      ? [`${are(elsewhere - stored)} elsewhere: saved by another checkout.`]
      : []),
    ...(stored > 0 ? [`${are(stored)} elsewhere: in the output store.`] : []),
  ];
}

const are = (files: number): string => `${count(files, 'file')} ${files === 1 ? 'is' : 'are'}`;

// The table of a plan: a line for each step and each thing that happens to its tasks.

interface Shown {
  readonly sign: string;
  readonly word: string;
}

const shown: Readonly<Record<Exclude<PlannedAction, 'begin'>, Shown>> = {
  maybe: { sign: '+', word: 'perhaps' },
  attach: { sign: '↓', word: 'paid, to fetch' },
  copy: { sign: '↓', word: 'to copy' },
  store: { sign: '↑', word: 'to store' },
  reuse: { sign: '=', word: 'reused' },
  skipped: { sign: '·', word: 'skipped' },
  excluded: { sign: '·', word: 'excluded' },
  doubt: { sign: '!', word: 'IN DOUBT' },
  lost: { sign: '!', word: 'LOST' },
  keep: { sign: '!', word: 'kept' },
  defer: { sign: '·', word: 'left to another checkout' },
  blocked: { sign: '~', word: 'waiting' },
  problem: { sign: '✗', word: 'CANNOT RUN' },
};

const begun: Readonly<Record<Operation, Shown>> = {
  create: { sign: '+', word: 'to create' },
  detect: { sign: '+', word: 'to detect' },
  upload: { sign: '↑', word: 'to upload' },
  download: { sign: '↓', word: 'to fetch' },
  delete: { sign: '-', word: 'to delete' },
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

const actionWord = (action: PlannedAction): string =>
  action === 'begin' ? 'to do' : shown[action].word;

function planTable({ rows }: Plan): string {
  return table(rows.flatMap(linesOf), [3]);
}

function linesOf(row: PlanRow): readonly (readonly string[])[] {
  const kind = kindNamed(row.kind);
  const actions = order.filter((action) => (row.tasks[action] ?? 0) > 0);
  const median = kind?.tool?.medianSeconds;
  const { twins = 0 } = row;
  return actions.flatMap((action, index): readonly (readonly string[])[] => {
    const all = row.tasks[action] ?? 0;
    const tasks = action === 'reuse' ? all - twins : all;
    const { sign, word } =
      action === 'begin' ? begun[kind?.operation ?? 'create'] : signed(action, kind?.operation);
    const isPaid = (action === 'begin' || action === 'maybe') && index === 0;
    const each =
      median !== undefined && isPaid && (row.credits > 0 || row.unpriced > 0)
        ? `~ ${duration(median * 1000).replace('.0 s', ' s')} each`
        : '';
    const credits = isPaid ? creditsText(row) : action === 'doubt' ? heldText(row) : '';
    const times = timesText(row.times);
    const name = index === 0 ? row.kind : '';
    const line = [sign, row.step, name, grouped(tasks), `${word}${times}`, credits, each];
    if (action !== 'reuse' || twins === 0) return [line];
    const same =
      kind?.operation === 'create' ? 'same as another item, paid once' : 'same as another item';
    const ofTwins = [sign, row.step, tasks > 0 ? '' : name, grouped(twins), same, '', ''];
    return tasks > 0 ? [line, ofTwins] : [ofTwins];
  });
}

/** What may happen has the sign of what happens. */
function signed(action: Exclude<PlannedAction, 'begin'>, operation: Operation | undefined): Shown {
  const { sign, word } = shown[action];
  return action === 'maybe' && operation !== undefined
    ? { sign: begun[operation].sign, word }
    : { sign, word };
}

/** `, 4 × each`, `, n × each, at most 16`, `, ? × each`; empty outside fan-outs. */
function timesText(times: Times | undefined): string {
  if (times === undefined) return '';
  const { least, most, open } = times;
  if (most === undefined) return ', ? × each';
  if (least === most) return `, ${most} × each`;
  return open ? `, n × each, at most ${most}` : `, ${least}–${most} × each`;
}

function creditsText({ credits, unpriced, uncounted }: PlanRow): string {
  const parts = [
    ...(credits > 0 ? [count(credits, 'credit')] : []),
    ...(unpriced > 0 ? [`${grouped(unpriced)} of unknown price`] : []),
    ...(uncounted === undefined ? [] : [`${count(uncounted.each, 'credit')} for each element`]),
  ];
  return parts.join(', ');
}

const heldText = ({ held = 0 }: PlanRow): string =>
  held === 0 ? '' : `${count(held, 'credit')} held`;
