// The summary of a run as text: its first line says what happened, its last line what to do next. Each outcome has its own.
import { printable } from '../base/printable.ts';
import { shotlistLine } from '../base/shell.ts';
import { count, duration, grouped, table } from '../base/text.ts';
import type { ProblemGroup, ReachedCap, Summary, TaskEnding } from '../core/run-event.ts';
import { creditsText, moneyText } from './credits-text.ts';
import { filesText } from './plan-text.ts';

interface SummaryPlaces {
  /** The pipeline file, as the user named it. */
  readonly pipeline: string;
  readonly state: string;
  readonly output: string;
  /** The price of a credit in US dollars, if it is known. */
  readonly creditDollars?: number | undefined;
}

export function summaryText(
  summary: Summary,
  { pipeline, state, output, creditDollars }: SummaryPlaces,
): string {
  const { items, tasks, credits } = summary;
  const reason = reasonText(summary);
  const next = nextText(summary, pipeline);
  const lines = [
    printable(outcomeText(summary, pipeline)),
    ...(reason === undefined ? [] : [`  ${printable(reason)}`]),
    table([
      ['items', itemsText(items)],
      ['tasks', tasksText(tasks)],
      ['credits', creditsText(credits)],
      ...moneyRow(summary, creditDollars),
      ['time', duration(summary.elapsedMs)],
      ...(summary.wakeAt === undefined ? [] : [['next look', summary.wakeAt]]),
      ['results', output],
      ['state file', state],
    ]),
    ...filesText(summary.files),
    ...otherDoubtLines(summary),
  ];
  const last = next === undefined ? [] : [printable(next)];
  const taken = rowsOf([...lines, ...last].join('\n'));
  const problems = summary.groups.length === 0 ? [] : problemLines(summary, taken);
  return printable([...lines, ...problems, ...last].join('\n'), true);
}

const itemsText = ({ done, total, skipped }: Summary['items']): string =>
  `${done} of ${total} finished${skipped === 0 ? '' : `, ${skipped} skipped`}`;

function otherDoubtLines({ otherDoubts }: Summary): readonly string[] {
  if (otherDoubts === undefined) return [];
  const { count: all, examples } = otherDoubts;
  const named = examples.map(
    ({ tasks, name, reserved }) =>
      `    ${tasks.join(', ')} (${JSON.stringify(name)}, ${count(reserved, 'credit')} set aside)`,
  );
  return [
    `  IN DOUBT: ${count(all, 'creation')} that this run was not about: of an earlier content, another take or another item`,
    ...named,
    ...(all > named.length ? [`    and ${count(all - named.length, 'other')}`] : []),
    '    → shotlist status says how to settle them',
  ];
}

/** What was paid in the end, and what an item cost on average. */
function moneyRow(
  { credits, items }: Summary,
  dollars: number | undefined,
): readonly (readonly [string, string])[] {
  const paid = credits.charged - credits.refunded;
  if (dollars === undefined || paid <= 0) return [];
  const each = items.done > 1 ? `, ${moneyText(paid / items.done, dollars)} an item` : '';
  return [['money', `${moneyText(paid, dollars)}${each}`]];
}

/** The summary fits a terminal of 24 rows, with a line for the next prompt. */
const maxLines = 23;

/** A long line takes several rows of 80 columns. */
const rowsOf = (text: string): number =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);

/** Doubts come first, because they hold credits; then the problems of most tasks. `taken`: the lines above. */
function problemLines({ groups, tasks, held }: Summary, taken: number): readonly string[] {
  const bad = tasks.failed + tasks.doubt + tasks.pending - held;
  // The first line, and the line about what is left out.
  let room = maxLines - taken - 2;
  const shown: ProblemGroup[] = [];
  for (const group of groups.toSorted(byUrgency)) {
    room -= rowsOf(groupText(group));
    if (room < 0 && shown.length > 0) break;
    shown.push(group);
  }
  const named = shown.reduce((sum, { count: tasks }) => sum + tasks, 0);
  return [
    `${count(bad, 'task')} with problems:`,
    ...shown.map(groupText),
    ...(bad > named ? [`  and ${grouped(bad - named)} more: shotlist status lists them`] : []),
  ];
}

const byUrgency = (one: ProblemGroup, other: ProblemGroup): number =>
  Number(other.ending === 'doubt') - Number(one.ending === 'doubt') || other.count - one.count;

function groupText(group: ProblemGroup): string {
  const { step, ending, why, code, advice, count: tasks, examples } = group;
  const kind = code === undefined ? endingWord(ending) : `${endingWord(ending)} (${code})`;
  const [first = step] = examples;
  const who = tasks === 1 ? first : `${count(tasks, 'task')} of ${step}`;
  const more = tasks > examples.length ? `, and ${count(tasks - examples.length, 'other')}` : '';
  const list = examples.map((task) => printable(task)).join(', ');
  return [
    `  ${kind}: ${printable(who)}: ${printable(why)}`,
    ...(tasks === 1 ? [] : [`    ${list}${more}`]),
    ...(advice === undefined ? [] : [`    → ${advice}`]),
  ].join('\n');
}

// The first and the last lines.

/** `pipeline`: the file, as the user named it. */
function outcomeText(summary: Summary, pipeline: string): string {
  const { outcome, stoppedBy, items, cap } = summary;
  const finished = `${grouped(items.done)} of ${count(items.total, 'item')} finished`;
  switch (outcome) {
    case 'done':
      return 'Done.';
    case 'failed':
      return stoppedBy === undefined ? 'Some tasks did not finish.' : `Stopped: ${finished}.`;
    case 'budget':
      return cap === undefined
        ? `Stopped: the account does not have enough credits; ${finished}.`
        : `${capText(cap, pipeline, finished)}; ${wayOn(summary, cap)}.`;
    case 'doubt':
      return 'Some tasks are in doubt: they may have been paid for, so they are not repeated.';
    case 'unauthorized':
      return `Stopped: the service refused the API key; ${finished}.`;
    case 'waiting':
      return 'Not over yet: projects are still rendering. Run it again to continue; nothing is paid twice.';
    case 'interrupted':
      return items.total === 0
        ? 'Interrupted before the run began.'
        : `Interrupted: ${paidText(summary) ?? `${finished}; the next run continues`}.`;
  }
}

function capText({ name, most, spent }: ReachedCap, pipeline: string, finished: string): string {
  const share = `${grouped(spent)} of ${count(most, 'credit')} spent`;
  switch (name) {
    case 'plan':
      return `Stopped: prices rose above the plan that you agreed to: ${share}, ${finished}`;
    case '--budget':
      return `Stopped by --budget: ${share}, ${finished}`;
    case 'budget.per_item':
      return `Stopped by budget.per_item in ${pipeline}: some items need more than ${count(most, 'credit')}, ${finished}`;
    default:
      return `Stopped by ${name} in ${pipeline}: ${share}, ${finished}`;
  }
}

function wayOn({ resumesAt }: Summary, { name, most, needed }: ReachedCap): string {
  if (name === 'plan') return 'look at the new plan, then run it again';
  const again =
    resumesAt === undefined ? undefined : `run it again from ${resumesAt} on, or raise it`;
  if (needed === undefined) return again ?? 'raise it to finish';
  if (name === 'budget.per_item') return `raise it to at least ${grouped(needed)}`;
  if (again !== undefined) return `${again} to ${grouped(needed)} to finish now`;
  return needed > most
    ? `raise it to ${grouped(needed)} to finish`
    : `run it again: the rest takes at most ${count(needed, 'credit')}, and each run has the whole budget`;
}

/** Undefined if nothing is paid and not fetched. */
function paidText({ paid }: Summary): string | undefined {
  const { rendering = 0, ready = 0 } = paid ?? {};
  const both = rendering + ready;
  if (both === 0) return undefined;
  const are = (n: number): string => (n === 1 ? 'is' : 'are');
  const first =
    rendering === 0
      ? []
      : [`${count(rendering, 'project')} ${are(rendering)} paid and still rendering`];
  const who = rendering === 0 ? count(ready, 'project') : grouped(ready);
  const second = ready === 0 ? [] : [`${who} ${are(ready)} paid and not saved yet`];
  return `${[...first, ...second].join(', ')}; the next run fetches ${both === 1 ? 'it' : 'them'}`;
}

/** The second line: the reason in the words of whoever stopped the run; undefined if the first line says it all. */
function reasonText({ stopped, stoppedBy, cap }: Summary): string | undefined {
  const isSaid = stoppedBy === 'interrupt' || stoppedBy === 'left' || cap !== undefined;
  return isSaid ? undefined : stopped;
}

/** The last line; undefined if there is nothing to do. */
function nextText(summary: Summary, pipeline: string): string | undefined {
  const { outcome, stoppedBy, groups } = summary;
  if (outcome === 'unauthorized')
    return 'Set another key in SHOTLIST_API_KEY, then run it again; nothing is paid twice.';
  if (outcome === 'interrupted') return 'Run it again to continue; nothing is paid twice.';
  if (groups.some(({ ending }) => ending === 'doubt'))
    return `Say what became of each doubt: ${shotlistLine('status', [pipeline])} shows how.`;
  if (stoppedBy === 'credits')
    return 'Add credits to the account, then run it again; finished tasks are reused.';
  if (stoppedBy === 'machine') return 'Fix this, then run it again; nothing is paid twice.';
  if (stoppedBy === 'outage')
    return 'Run it again when the service is up; finished tasks are reused.';
  if (groups.length === 0) return undefined;
  const bad = groups.filter(({ cure }) => cure === 'file');
  const others = groups.filter(({ cure }) => cure === undefined);
  if (bad.length > 0 && others.length === 0) return badFilesText(bad);
  return others.length === 0
    ? 'Run it again; finished tasks are reused.'
    : 'Change what is named above, then run it again; finished tasks are reused.';
}

const filesNamed = 3;

function badFilesText(bad: Summary['groups']): string {
  const names = [...new Set(bad.flatMap(({ files = [] }) => files))];
  const all = bad.reduce((sum, { count: tasks }) => sum + tasks, 0);
  const shown = names.slice(0, filesNamed);
  const which = all === 1 ? 'this file' : `these ${grouped(all)} files`;
  const more = all > shown.length ? `, and ${grouped(all - shown.length)} more` : '';
  return names.length === 0
    ? `Replace ${which}, then run it again; finished tasks are reused.`
    : `Replace ${which}, then run it again: ${shown.join(', ')}${more}.`;
}

/** In the order in which people read them. */
const endingsInOrder: readonly TaskEnding[] = [
  'done',
  'reused',
  'skipped',
  'excluded',
  'failed',
  'doubt',
  'pending',
  'blocked',
  'rendering',
  'later',
];

export function tasksText(tasks: Summary['tasks']): string {
  const counted = endingsInOrder.filter((ending) => tasks[ending] > 0);
  return counted.map((ending) => `${tasks[ending]} ${ending}`).join(', ') || 'none';
}

export const endingWord = (ending: TaskEnding): string =>
  ending === 'doubt' ? 'IN DOUBT' : ending;
