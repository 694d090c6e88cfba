// The tables of status: tasks by step, and items with what is not done.
import { grouped } from '../../contract/base/grouped.ts';
import type { TaskState } from '../journal/task-states.ts';
import type { ItemStatus, ItemsStatus, StepStatus, TaskStatus } from './status-items.ts';
import { table } from './text.ts';
import type { Unrecorded } from './unrecorded.ts';

/** In the order of the columns. */
const columns: readonly (readonly [TaskState, string])[] = [
  ['done', 'done'],
  ['running', 'at the service'],
  ['sent', 'sent'],
  ['doubt', 'in doubt'],
  ['failed', 'failed'],
  ['skipped', 'skipped'],
  ['forgotten', 'to do again'],
  ['pruned', 'pruned'],
];

/** Why a task has no record, in the order of the columns. */
const reasons: readonly (readonly [Unrecorded, string])[] = [
  ['skipped', 'skipped by if'],
  ['notReached', 'not reached'],
  ['unknown', 'skipped or not reached'],
];

const words = new Map<string, string>(columns);

/** A column for each state that some task has. Empty if nothing is recorded. */
export function stepsText(steps: readonly StepStatus[]): string {
  const used = columns.filter(([state]) => steps.some(({ tasks }) => (tasks[state] ?? 0) > 0));
  if (used.length === 0) return '';
  const gaps = reasons.filter(([why]) => steps.some(({ unrecorded }) => unrecorded?.[why]));
  const words = [...used, ...gaps].map(([, word]) => word);
  const head = ['step', 'uses', ...words];
  const rows = steps.map(({ step, uses = 'not in the pipeline', tasks, unrecorded }) => [
    ...[step, uses],
    ...used.map(([state]) => cell(tasks[state])),
    ...gaps.map(([why]) => cell(unrecorded?.[why])),
  ]);
  return table(
    [head, ...rows],
    head.map((_, column) => column).filter((column) => column > 1),
  );
}

const cell = (n = 0): string => (n === 0 ? '' : grouped(n));

/** `more`: the command that shows more items; `width`: of the terminal. */
export function itemsText(
  { known, matching, shown, shared }: ItemsStatus,
  more: string,
  width?: number,
): string {
  const rest = matching - shown.length;
  const rows = [
    ...(shared === undefined ? [] : groupRows('(for all items)', shared)),
    ...shown.flatMap(({ item, ...group }) => groupRows(item, group)),
  ];
  return [
    `Items: ${grouped(matching)} of ${grouped(known)}.`,
    ...(rows.length === 0 ? [] : [table(rows, [], width)]),
    ...(rest === 0 ? [] : [`  … and ${grouped(rest)} more: ${more}`]),
  ].join('\n');
}

/** What all is well with takes one line; everything else has a line of its own. */
function groupRows(
  name: string,
  { state, tasks, unrecorded }: Omit<ItemStatus, 'item'>,
): readonly string[][] {
  const notes = [
    ...tasks.filter(({ state: of }) => of !== 'done').map((task) => noteOf(task, state)),
    ...reasons.flatMap(([why, word]) => {
      const names = unrecorded.filter((one) => one.why === why).map(({ step }) => step);
      return names.length === 0 ? [] : [`${names.join(', ')} ${word}`];
    }),
  ];
  const [first = '', ...others] = notes;
  const word = state === 'partial' ? 'partly done' : (words.get(state) ?? state);
  return [[name, word, first], ...others.map((note) => ['', '', note])];
}

/** The state is said only if it is not that of the whole item. */
function noteOf(
  { task, step, state, project, why, advice }: TaskStatus,
  ofItem: ItemStatus['state'],
): string {
  const element = /\[\d+\]$/.exec(task)?.[0] ?? '';
  const word = state === ofItem ? '' : ` ${words.get(state) ?? state}`;
  const at = project === undefined ? '' : ` (project ${project})`;
  const reason = why === undefined ? '' : `: ${why}`;
  const hint = advice === undefined ? '' : ` → ${advice}`;
  return `${step}${element}${word}${at}${reason}${hint}`;
}
