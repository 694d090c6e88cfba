// The paid tasks that a person names, by task or by item, and why one of them cannot have another take.
import { option, shotlistLine } from '../../base/shell.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import type { PlannedAction } from '../../core/plan-table.ts';
import { itemsOf, neededBy } from '../../core/reroll.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { viewOf, viewsOf } from '../../model/job-view.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import { jobFacts } from '../../model/state.ts';
import { fannedOutIn, itemOf, stepOf } from '../../model/task.ts';
import type { TaskHere, Tasks } from '../planning/here.ts';
import { refuse } from '../refuse.ts';

/** A name that begins with the name of a step is a task; any other one is an item. */
const isTask = ({ steps }: Pipeline, name: string): boolean =>
  steps.some((step) => step.name === stepOf(name));

/** The keys of the items that the names are about; undefined: all. */
export function itemsNamed(
  pipeline: Pipeline,
  names: readonly string[],
): ReadonlySet<string> | undefined {
  const keys = itemsOf(
    pipeline,
    names.filter((name) => isTask(pipeline, name)),
  );
  if (keys === undefined) return undefined;
  return new Set([...keys, ...names.filter((name) => !isTask(pipeline, name))]);
}

export function tasksNamed(
  pipeline: Pipeline,
  names: readonly string[],
  tasks: Tasks,
  ledger: Ledger,
): readonly string[] {
  const found = new Set<string>();
  for (const name of names) {
    const one = isTask(pipeline, name)
      ? paidTask(pipeline, name, tasks, ledger)
      : lastTasks(pipeline, name, tasks, ledger);
    for (const task of one) found.add(task);
  }
  const chosen = [...found];
  for (const task of chosen) {
    const other = chosen.find((one) => uses(pipeline, task, one));
    if (other !== undefined)
      refuse(
        `${task} uses ${other}: another take of both at once would not show which one is better`,
        `reroll ${other} and pick a take; then reroll ${task}`,
      );
  }
  return chosen;
}

type Found = readonly string[];

function paidTask({ steps }: Pipeline, name: string, tasks: Tasks, ledger: Ledger): Found {
  const planned = tasks.get(name);
  if (planned === undefined) {
    const elements = [...tasks.keys()].filter((task) => task.startsWith(`${name}[`));
    if (elements.length > 0)
      return refuse(`${name} has ${elements.length} elements`, first(elements));
    const ofStep = recordedTasks(ledger).filter((task) => stepOf(task) === name);
    if (ofStep.length > 0) return refuse(`${name} is done for each item`, first(ofStep));
    return unknown('task', name, recordedTasks(ledger));
  }
  const { kind } = planned.step;
  if (kind.operation !== 'create') {
    const paid = steps.filter((step) => step.kind.operation === 'create').map((step) => step.name);
    return refuse(
      `${name} is free: only a result that was paid for has takes`,
      `the paid steps are ${paid.join(', ')}`,
    );
  }
  const why = whyNot(planned, ledger);
  return why === undefined ? [name] : refuse(`${name} ${why.is}`, why.hint);
}

/** The paid tasks of an item that no other paid task of it uses. */
function lastTasks(pipeline: Pipeline, item: string, tasks: Tasks, ledger: Ledger): Found {
  const { steps } = pipeline;
  const isFannedOut = fannedOutIn(steps);
  const own = [...tasks.values()].filter(({ task }) => itemOf(task, isFannedOut(task)) === item);
  if (own.length === 0) {
    const keys = recordedTasks(ledger).flatMap((task) => itemOf(task, isFannedOut(task)) ?? []);
    return unknown('item', item, [...new Set(keys)]);
  }
  const done = own.filter((planned) => isPaid(planned) && whyNot(planned, ledger) === undefined);
  const used = (name: string): boolean =>
    done.some(({ step }) => step.name !== name && neededBy(steps, new Set([step.name])).has(name));
  const last = done.filter(({ step }) => !used(step.name)).map(({ task }) => task);
  return last.length > 0
    ? last
    : refuse(`the item ${item} has no paid result yet`, 'shotlist run makes it');
}

const isPaid = ({ step }: TaskHere): boolean => step.kind.operation === 'create';

interface Hindrance {
  /** The end of a sentence about the task. */
  readonly is: string;
  readonly hint: string;
}

/** Why a paid task cannot have another take; undefined if it can. */
function whyNot({ action, why, take, task }: TaskHere, ledger: Ledger): Hindrance | undefined {
  const newest = take === undefined ? undefined : ledger.takes(take.first).at(-1);
  if (newest !== undefined && jobFacts[viewOf(newest).state].inDoubt)
    return { is: `has a take in doubt (take ${newest.take?.number})`, hint: settle };
  if (action === 'reuse') return undefined;
  const hint = hints[action] ?? `${shotlistLine('plan', [], option('--explain', task))} says more`;
  return { is: `has no result that a take could follow: ${why}`, hint };
}

const settle = 'settle it first: shotlist resolve';

const hints: Readonly<Partial<Record<PlannedAction, string>>> = {
  attach: 'wait for it: shotlist run',
  begin: 'shotlist run makes it',
  doubt: settle,
  maybe: 'shotlist run makes it',
};

/** True if the first task is made of the other one's result. */
function uses({ steps }: Pipeline, task: string, other: string): boolean {
  const [step, before] = [stepOf(task), stepOf(other)];
  if (step === before || !neededBy(steps, new Set([step])).has(before)) return false;
  const isFannedOut = fannedOutIn(steps);
  const [item, ofItem] = [task, other].map((one) => itemOf(one, isFannedOut(one)));
  return item === undefined || ofItem === undefined || item === ofItem;
}

const recordedTasks = (ledger: Ledger): readonly string[] =>
  viewsOf(ledger).flatMap(({ tasks, project }) => (project === undefined ? [] : tasks));

const first = ([example = '']: readonly string[]): string => `name one of them, such as ${example}`;

const unknown = (what: 'task' | 'item', name: string, known: readonly string[]): never =>
  refuse(
    `there is no ${what} ${JSON.stringify(name)}`,
    suggestion(name, known) ?? 'shotlist status --items lists the tasks',
  );
