// The status of a state file as text.
import { grouped } from '../../base/grouped.ts';
import { printable } from '../../base/printable.ts';
import { count, table } from '../../base/text.ts';
import { stepOf } from '../../model/task.ts';
import { creditsText } from '../../views/credits-text.ts';
import { filesText } from '../../views/files-text.ts';
import type { Addition, Doubt, Failure, Remote, Status, Unsaved } from './status-report.ts';

/**
 * `file` is the state file's name for people; `pipeline` is the pipeline file, for commands to
 * copy; `steps` is the table of steps.
 */
export function statusText(status: Status, file: string, pipeline: string, steps = ''): string {
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
  const more = (flag: string): string => printable(`shotlist status ${pipeline} ${flag}`);
  const [failed, all] = [more('--failed'), more('--json')];
  lines.push(
    ...firstOf(equalDoubts(status.doubts), failed, (equal) => doubtsLines(equal, pipeline)),
    ...firstOf(status.unsaved, all, unsavedLines),
    ...firstOf(status.remote, all, remoteLines),
    ...firstOf(status.additions, all, additionLines),
    ...firstOf(status.failures, failed, failureLines),
  );
  return printable(lines.join('\n'), true);
}

const wordOf = (state: string, sent: string): string =>
  state === 'intended' ? sent : state === 'withheld' ? 'not bought' : state;

/** More of a kind would push everything else off the screen. */
const most = 20;

function firstOf<T>(
  all: readonly T[],
  more: string,
  linesOf: (one: T) => readonly string[],
): readonly string[] {
  const rest = all.length - most;
  return [
    ...all.slice(0, most).flatMap(linesOf),
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

function additionLines({ tasks, project, credits }: Addition): readonly string[] {
  return [
    `the service added ${count(credits, 'credit')} after its answer: ${printable(tasks.join(', '))} (project ${printable(project)})`,
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
function doubtsLines(equal: readonly Doubt[], pipeline: string): readonly string[] {
  const [first] = equal;
  if (first === undefined || equal.length === 1)
    return equal.flatMap((one) => doubtLines(one, pipeline));
  const tasks = equal.map(({ tasks: [task = ''] }) => task);
  const others = tasks.length > 3 ? ` and ${count(tasks.length - 3, 'other')}` : '';
  const begun = equal.map(({ since }) => since).sort();
  const reserved = equal.reduce((sum, one) => sum + one.reserved, 0);
  const command = printable(`shotlist resolve ${pipeline} --all`);
  return [
    `IN DOUBT: ${count(equal.length, 'creation')} of ${printable(stepOf(tasks[0] ?? ''))} (${printable(tasks.slice(0, 3).join(', '))}${others}), ` +
      `begun ${printable(begun[0] ?? '')} to ${printable(begun.at(-1) ?? '')}, ${count(reserved, 'credit')} set aside; ` +
      `${printable(first.why ?? 'the run ended before the service answered')}.`,
    "    Look in the service's hub for the projects that were created then.",
    `    To settle each by a question:        ${command}`,
    `    By the list of projects in the hub:  ${command} --hub-list <file>`,
    `    By a table that you fill in:         ${command} --decisions <new file>`,
  ];
}

/** One doubt: its time, name, price and reason, and the commands that resolve it. */
function doubtLines(
  { tasks, name, since, reserved, why }: Doubt,
  pipeline: string,
): readonly string[] {
  const command = printable(`shotlist resolve ${pipeline} ${JSON.stringify(tasks[0] ?? name)}`);
  return [
    `IN DOUBT: ${printable(tasks.join(', '))}: begun ${printable(since)}, ${count(reserved, 'credit')} set aside; ` +
      `${printable(why ?? 'the run ended before the service answered')}.`,
    `    Look in the service's hub for a project named ${printable(JSON.stringify(name))}, created about then.`,
    `    If it is there:     ${command} --project <its id>`,
    `    If it is not there: ${command} --not-charged`,
    `    If nobody can tell: ${command} --abandon (its credits count as charged)`,
  ];
}
