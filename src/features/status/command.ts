// shotlist status: shows the state file. Exit code 4: something is in doubt.

import { printable } from '../../base/printable.ts';
import { option, type ShellWord } from '../../base/shell.ts';
import { count, grouped, table } from '../../base/text.ts';
import { takesLines } from '../../core/takes.ts';
import type { EngineStatus } from '../../distributed/engine-status.ts';
import type { Doubt } from '../../model/job-view.ts';
import { stepOf } from '../../model/task.ts';
import type { TaskState } from '../../model/task-states.ts';
import type { StatusFlags } from '../../terminal/flags.ts';
import { creditsText } from '../../views/credits-text.ts';
import { liveText } from '../../views/live/live-lines.ts';
import { paidTwiceLines } from '../../views/paid-twice-text.ts';
import { filesText } from '../../views/plan-text.ts';
import { stateLine } from '../../views/service-text.ts';
import { command } from '../command.ts';
import { type CommandLine, stateLines } from '../command-line.ts';
import type {
  ItemStatus,
  ItemsStatus,
  StepStatus,
  TaskStatus,
  Unrecorded,
} from './recorded-tasks.ts';
import {
  type Failure,
  type Remote,
  type Status,
  type StatusReport,
  status,
  type Unsaved,
} from './status.ts';

export function statusCommand(file: string, flags: StatusFlags): Promise<number> {
  const { items: wanted, failed, ...common } = flags;
  const only = wanted === true ? undefined : wanted;
  const items = wanted === undefined && failed === undefined ? undefined : { only, failed };
  const allOf = (line: CommandLine): string =>
    line(
      'status',
      [],
      [
        ...(wanted === true ? ['--items'] : option('--items', only)),
        ...(failed === true ? ['--failed'] : []),
        '--json',
      ],
    );
  return command(
    file,
    common,
    async (pipeline, { onWarning }) => ({
      report: await status(pipeline, { ...common, items, onWarning }),
      lines: stateLines(pipeline, common),
    }),
    {
      text: ({ report, lines }) => textOf(report, lines, allOf(lines)),
      facts: ({ report }) => report,
      exitCode: ({ report: { doubts } }) => (doubts.length > 0 ? 4 : 0),
    },
  );
}

/** `all`: the command that shows every item. */
function textOf(report: StatusReport, line: CommandLine, all: string): string {
  const { items, live, service } = report;
  const first = stateLine(service);
  if (items !== undefined) return `${first}\n${itemsText(items, all, process.stdout.columns)}`;
  const record = reportText(report, line);
  const engine = report.engine === undefined ? '' : `\n${engineText(report.engine)}`;
  const state = `${record}${engine}`;
  return live === undefined ? state : `${first}\n${liveText(live)}\n\n${state}`;
}

/** Who coordinates the run, and a line for each worker. */
function engineText({ database, coordinator, workers }: EngineStatus): string {
  const silent = coordinator?.silent === true ? ', which is silent: a standby takes over' : '';
  const who = coordinator === undefined ? 'nobody' : `${printable(coordinator.name)}${silent}`;
  const rows = workers.map(({ host, busy, places, shares, note = '' }) => [
    printable(host),
    `${busy} of ${places} busy`,
    shares ? 'has the folder' : 'has only the store',
    printable(note),
  ]);
  return `Coordinated by ${who}, in the database ${printable(database)}; ${count(workers.length, 'worker')}${rows.length === 0 ? '' : `:\n${table(rows)}`}.`;
}

/** What the state file says. */
function reportText(report: StatusReport, line: CommandLine): string {
  const { steps, state, service, running, live } = report;
  const status = statusText(report, `${state} (${service})`, line, stepsText(steps));
  const twice = report.paidTwice.length === 0 ? [] : paidTwiceLines(report.paidTwice);
  const takes = takesLines(report.takes, line);
  const text = [status, ...takes, ...twice].join('\n');
  if (running === undefined || live !== undefined) return text;
  return `${text}\nThe process does not say how far it is, so all of this is from the state file.`;
}

// The status of a state file as text.

/** `file` is the state file's name for people; `steps` is the table of steps. */
export function statusText(status: Status, file: string, line: CommandLine, steps = ''): string {
  const { credits, lastRun, running } = status;
  const isNotOver = `is not over${running === undefined ? ': the next run continues it' : ''}`;
  const ended = lastRun?.ended === undefined ? isNotOver : `ended ${lastRun.ended}`;
  const sent = running === undefined ? 'doubt' : 'sent';
  const rows = Object.entries(status.jobs).map(([kind, states]) => [
    kind,
    Object.entries(states)
      .map(([state, n]) => `${n} ${wordOf(state, sent)}`)
      .join(', '),
  ]);
  const lines = [
    `${printable(file)}: ${count(status.runs, 'run')}${lastRun === undefined ? '' : `; the last began ${printable(lastRun.at)} and ${printable(ended)}`}`,
    table(rows),
    ...(steps === '' ? [] : [`\n${steps}\n`]),
    `Credits: ${creditsText(credits, running === undefined ? 'in doubt' : 'set aside')}. ` +
      `Files saved: ${status.outputs}.`,
  ];
  if (running !== undefined)
    lines.push(`A run is active (${printable(running)}): these numbers can change.`);
  lines.push(...filesText(status.files));
  const [failed = '', all = ''] = ['--failed', '--json'].map((flag) => line('status', [], [flag]));
  lines.push(
    ...firstOf(equalDoubts(status.doubts), failed, (equal) => doubtsLines(equal, line)),
    ...firstOf(status.unsaved, all, unsavedLines),
    ...firstOf(status.remote, all, remoteLines),
    ...firstOf(status.failures, failed, failureLines),
  );
  return printable(lines.join('\n'), true);
}

const wordOf = (state: string, sent: string): string =>
  state === 'intended' ? sent : state === 'withheld' ? 'not bought' : state;

/** More of a kind would push everything else off the screen. */
const maxOfKind = 20;

function firstOf<T>(
  all: readonly T[],
  more: string,
  linesOf: (one: T) => readonly string[],
): readonly string[] {
  const rest = all.length - maxOfKind;
  return [
    ...all.slice(0, maxOfKind).flatMap(linesOf),
    ...(rest <= 0 ? [] : [`… and ${grouped(rest)} more: ${more}`]),
  ];
}

function unsavedLines({ tasks, project, expires, soon }: Unsaved): readonly string[] {
  return [
    `${soon ? 'EXPIRES SOON: ' : ''}paid, not saved yet: ${printable(tasks.join(', '))} (project ${printable(project)}); ` +
      `its address expires ${printable(expires)}. The next run downloads it first.`,
  ];
}

function remoteLines({ tasks, project, meant }: Remote): readonly string[] {
  return [
    `paid, kept at the service${meant ? '' : ': no step downloads it'}: ${printable(tasks.join(', '))} (project ${printable(project)})`,
    ...(meant ? [] : ['    → add a download step, or set keep: remote on the step']),
  ];
}

function failureLines({ task, why, advice }: Failure): readonly string[] {
  return [
    `failed: ${printable(task)}: ${printable(why)}`,
    ...(advice === undefined ? [] : [`    → ${advice}`]),
  ];
}

/** Doubts of one step for one reason. */
const equalDoubts = (doubts: readonly Doubt[]): readonly (readonly Doubt[])[] => [
  ...Map.groupBy(doubts, ({ tasks: [task = ''], why = '' }) =>
    JSON.stringify([stepOf(task), why]),
  ).values(),
];

/** An outage may leave dozens of equal doubts. */
function doubtsLines(equal: readonly Doubt[], line: CommandLine): readonly string[] {
  const [first] = equal;
  if (first === undefined || equal.length === 1)
    return equal.flatMap((one) => doubtLines(one, line));
  const tasks = equal.map(({ tasks: [task = ''] }) => task);
  const others = tasks.length > 3 ? ` and ${count(tasks.length - 3, 'other')}` : '';
  const begun = equal.map(({ since }) => since).sort();
  const reserved = equal.reduce((sum, one) => sum + one.reserved, 0);
  const settle = (...more: readonly ShellWord[]): string => line('resolve', [], ['--all', ...more]);
  return [
    `IN DOUBT: ${count(equal.length, 'creation')} of ${printable(stepOf(tasks[0] ?? ''))} (${printable(tasks.slice(0, 3).join(', '))}${others}), ` +
      `begun ${printable(begun[0] ?? '')} to ${printable(begun.at(-1) ?? '')}, ${count(reserved, 'credit')} set aside; ` +
      `${printable(first.why ?? 'the run ended before the service answered')}.`,
    "    Look in the service's hub for the projects that were created then.",
    `    To settle each by a question:        ${settle()}`,
    `    By the list of projects in the hub:  ${settle('--hub-list', { placeholder: '<file>' })}`,
  ];
}

function doubtLines(
  { tasks, name, since, reserved, why }: Doubt,
  line: CommandLine,
): readonly string[] {
  const settle = (...more: readonly ShellWord[]): string =>
    line('resolve', [tasks[0] ?? name], more);
  return [
    `IN DOUBT: ${printable(tasks.join(', '))}: begun ${printable(since)}, ${count(reserved, 'credit')} set aside; ` +
      `${printable(why ?? 'the run ended before the service answered')}.`,
    `    Look in the service's hub for a project named ${printable(JSON.stringify(name))}, created about then.`,
    `    If it is there:     ${settle('--project', { placeholder: '<its id>' })}`,
    `    If it is not there: ${settle('--not-charged')}`,
    `    If nobody can tell: ${settle('--abandon')} (its credits count as spent)`,
  ];
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

const maxItems = 50;

/** `all`: the command that shows every item; `width`: of the terminal. */
function itemsText({ known, matching, shared }: ItemsStatus, all: string, width?: number): string {
  const rest = matching.length - maxItems;
  const rows = [
    ...(shared === undefined ? [] : groupRows('(for all items)', shared)),
    ...matching.slice(0, maxItems).flatMap(({ item, ...group }) => groupRows(item, group)),
  ];
  return [
    `Items: ${grouped(matching.length)} of ${grouped(known)}.`,
    ...(rows.length === 0 ? [] : [table(rows, [], width)]),
    ...(rest <= 0 ? [] : [`  … and ${grouped(rest)} more: ${all}`]),
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
