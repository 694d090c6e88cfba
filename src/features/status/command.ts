// shotlist status: shows the state file. Exit code 4: something is in doubt.

import { grouped } from '../../base/grouped.ts';
import { table } from '../../base/text.ts';
import type { TaskState } from '../../model/task-states.ts';
import type { StatusFlags } from '../../terminal/flags.ts';
import { queueLines } from '../../views/engine-text.ts';
import { liveText } from '../../views/live/watch-lines.ts';
import { onlyInReceiptsLines } from '../../views/missing-text.ts';
import { stateLine } from '../../views/service-text.ts';
import { takesLines } from '../../views/takes-text.ts';
import { command } from '../command.ts';
import { type CommandLines, stateLines } from '../command-line.ts';
import { acceptLine, paidTwiceLines } from '../merge/merge-text.ts';
import { type StatusReport, status } from './status.ts';
import type { ItemStatus, ItemsStatus, StepStatus, TaskStatus } from './status-items.ts';
import { statusText } from './status-text.ts';
import type { Unrecorded } from './unrecorded.ts';

/** `--watch` is a command of its own (watch-status.ts). */
export type ListingFlags = Omit<StatusFlags, 'watch'>;

export function statusCommand(file: string, flags: ListingFlags): Promise<number> {
  const { items: wanted, failed, step, limit, expiring, ...common } = flags;
  const only = wanted === true ? undefined : wanted;
  const asks = [wanted, failed, step, limit].some((flag) => flag !== undefined);
  const items = asks ? { only, failed, step, limit } : undefined;
  const more = (lines: CommandLines, all: number): string =>
    lines.line(
      'status',
      ...(wanted === undefined ? [] : ['--items', ...(only === undefined ? [] : [only])]),
      ...(failed === true ? ['--failed'] : []),
      ...(step === undefined ? [] : ['--step', step]),
      ...['--limit', String(all)],
    );
  const options = { ...common, items, expiringMs: expiring };
  return command(
    file,
    common,
    async (pipeline, { onWarning }) => {
      const report = await status(pipeline, { ...options, onWarning });
      return { report, lines: stateLines(pipeline, common) };
    },
    {
      text: ({ report, lines }) => textOf(report, lines, (all) => more(lines, all)),
      facts: ({ report }) => report,
      exitCode: ({ report: { doubts } }) => (doubts.length > 0 ? 4 : 0),
    },
  );
}

function textOf(report: StatusReport, lines: CommandLines, more: (all: number) => string): string {
  const { items, live, service } = report;
  const first = stateLine(service);
  if (items !== undefined)
    return `${first}\n${itemsText(items, more(items.matching), process.stdout.columns)}`;
  const state = reportText(report, lines);
  return live === undefined ? state : `${first}\n${liveText(live)}\n\n${state}`;
}

const mergedLines = ({ paidTwice, state }: StatusReport): readonly string[] => [
  ...paidTwiceLines(paidTwice),
  acceptLine(state),
];

/** What the state file says. */
export function reportText(report: StatusReport, { subject }: CommandLines): string {
  const { steps, state, service, running, live, engine } = report;
  const pipeline = subject('resolve');
  const status = statusText(report, `${state} (${service})`, pipeline, stepsText(steps));
  const twice = report.paidTwice.length === 0 ? [] : mergedLines(report);
  const only = onlyInReceiptsLines(report.onlyInReceipts, subject('repair'));
  const takes = takesLines(report.takes, subject('reroll'));
  const text = [status, ...only, ...takes, ...twice].join('\n');
  if (engine !== undefined) return [text, '', ...queueLines(engine)].join('\n');
  if (running === undefined || live !== undefined) return text;
  return `${text}\nThe process does not say how far it is, so all of this is from the state file.`;
}

// The tables of status: tasks by step, and items with what is not done.

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
function stepsText(steps: readonly StepStatus[]): string {
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
function itemsText(
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
