// The takes of a request: which one counts (the one that a person picked, or a new one in a reroll), what the record knows of each,
// and how it is shown.
import { digestOf } from '../base/digest.ts';
import { printable } from '../base/printable.ts';
import { count, grouped } from '../base/text.ts';
import type { Step } from '../language/pipeline.ts';
import { extensionMark } from '../language/result-name.ts';
import { type JobState, viewOf } from '../model/job-view.ts';
import { current } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { Job, Output } from '../model/record/line.ts';
import { worthOf } from '../model/state.ts';
import { stepOf } from '../model/task.ts';
import { resultsOf } from './decide.ts';
import type { ReceiptsView } from './facts.ts';
import { normalized } from './output-path.ts';

interface TakeChoice {
  /** 1 is the first. */
  readonly number: number;
  /** The jobs of the other takes. */
  readonly others: readonly string[];
  /** In a reroll: where to save the take, below the output folder. */
  readonly saveTo?: string;
}

export interface TakeRule {
  /** `first`: the job of the first take. `named`: the job of the take with this number. Undefined if none can follow. */
  choose(first: string, task: string, named: (number: number) => string): TakeChoice | undefined;
  /** True if this run begins nothing for the task: what it made before counts. */
  spares(step: Step, task: string): boolean;
}

type Jobs = Pick<Ledger, 'job' | 'takes'>;

export function pickedTakes(ledger: Jobs): TakeRule {
  return {
    choose: (first) => about(ledger, first, pickedHere(ledger, first)),
    spares: () => false,
  };
}

/** The take that counts; the first one, if the record does not have the one that was picked. */
function pickedHere(ledger: Jobs, first: string): number {
  const picked = pickedOf(ledger, first);
  return takeNumbered(ledger, first, picked) === undefined ? 1 : picked;
}

/** One more take of each of these tasks. A take that was begun is completed before another one is. */
export function rerolledTakes(
  ledger: Jobs,
  tasks: ReadonlySet<string>,
  receipts: ReceiptsView,
): TakeRule {
  // Chosen once: when the take is complete, the same run must not begin the next one.
  const chosen = new Map<string, number>();
  return {
    choose(first, task, named) {
      const now = pickedHere(ledger, first);
      if (!tasks.has(task)) return about(ledger, first, now);
      if (!hasResult(takeNumbered(ledger, first, now))) return undefined;
      const isTaken = (number: number): boolean => receipts.get(named(number)) !== undefined;
      const number = chosen.get(first) ?? nextTake(ledger.takes(first).at(-1), isTaken);
      chosen.set(first, number);
      return { ...about(ledger, first, number), saveTo: takeFile(task, number) };
    },
    spares: ({ name, kind, of }, task) => {
      if (kind.operation === 'upload' || kind.operation === 'detect') return false;
      if (kind.operation === 'delete') return !tasks.has(`${of}${task.slice(name.length)}`);
      return !tasks.has(task);
    },
  };
}

const about = (ledger: Jobs, first: string, number: number): TakeChoice => ({
  number,
  others: takesOf(ledger, first)
    .filter((job) => numberOf(job) !== number)
    .map(({ job }) => job),
});

/** All takes of a request, the first one first. `first`: its job. */
export const takesOf = (ledger: Jobs, first: string): readonly Job[] =>
  [ledger.job(first), ...ledger.takes(first)].filter((job) => job !== undefined);

/** 1 is the first take. */
export const numberOf = ({ take }: Pick<Job, 'take'>): number => take?.number ?? 1;

/** The number of the take that a person picked. */
const pickedOf = (ledger: Jobs, first: string): number => ledger.job(first)?.picked?.take ?? 1;

/** False for a later take that a person has not picked: no run saves it. */
export const counts = (ledger: Jobs, { take }: Pick<Job, 'take'>): boolean =>
  take === undefined || take.number === pickedOf(ledger, take.of);

const takeNumbered = (ledger: Jobs, first: string, number: number): Job | undefined =>
  takesOf(ledger, first).find((job) => numberOf(job) === number);

function hasResult(job: Job | undefined): boolean {
  const state = job && current(job)?.state;
  return state === 'complete' || state === 'deleted';
}

/** `isTaken`: whether another pipeline has begun the take. */
function nextTake(newest: Job | undefined, isTaken: (take: number) => boolean): number {
  if (newest !== undefined && !isComplete(newest)) return numberOf(newest);
  let number = newest === undefined ? 2 : numberOf(newest) + 1;
  while (isTaken(number)) number += 1;
  return number;
}

/** Paid for, and its files were saved at some time. */
function isComplete(job: Job): boolean {
  const now = current(job);
  if (now?.state === 'deleted') return true;
  if (now?.state !== 'complete') return false;
  const saved = new Set(job.outputs.filter(({ of }) => of === now.name).map(({ index }) => index));
  return saved.size >= (resultsOf(now) ?? 1);
}

/** Characters that no file name on Windows has. */
const unusable = /[<>:"|?*]/;

/** Where the file of a take is, below the output folder. The same on every system, because state files travel. */
export function takeFile(task: string, number: number): string {
  const step = stepOf(task);
  const key = task.startsWith(`${step}:`) ? task.slice(step.length + 1) : undefined;
  const name = key === undefined ? task : `${step}/${key}`;
  const to = `takes/${name}.take${number}.${extensionMark}`;
  if (!unusable.test(to) && normalized(to).ok) return to;
  return `takes/${step}/${digestOf({ task }).slice(0, 16)}.take${number}.${extensionMark}`;
}

// What people and programs read of takes.

export interface Take {
  /** 1 is the first. */
  readonly number: number;
  /** True for the one that counts. */
  readonly picked: boolean;
  readonly state: JobState;
  /** False if it is paid for, or may be, and not finished or not saved: `shotlist reroll` completes it. */
  readonly complete: boolean;
  /** Charged, all attempts together. */
  readonly credits: number;
  /** When it entered its state, ISO 8601. */
  readonly at: string;
  readonly project?: string;
  /** Its saved files, relative to the pipeline file: first those in the folder of the takes, which no other take replaces. */
  readonly files: readonly string[];
}

/** A result of which there are several takes. */
export interface Takes {
  /** Tasks with the same content have the same takes. */
  readonly tasks: readonly string[];
  /** In order; at least two. */
  readonly takes: readonly Take[];
}

/** By task. */
export function takesIn(ledger: Ledger, steps: readonly Step[]): readonly Takes[] {
  return ledger
    .firstTakes()
    .map(({ job }) => takesAfter(ledger, job, steps))
    .sort((a, b) => ((a.tasks[0] ?? '') < (b.tasks[0] ?? '') ? -1 : 1));
}

/** `first`: the job of the first take. */
export function takesAfter(ledger: Ledger, first: string, steps: readonly Step[]): Takes {
  const all = takesOf(ledger, first);
  return {
    tasks: (all[0]?.tasks ?? []).filter((task) => isPaid(task, steps)),
    takes: all.map((job) => {
      const view = viewOf(job);
      const { state, at, project, outputs } = view;
      const number = numberOf(job);
      return {
        number,
        picked: number === pickedOf(ledger, first),
        state,
        complete: number === 1 || isComplete(job),
        credits: worthOf(view),
        at,
        project,
        files: filesOf(outputs, steps),
      };
    }),
  };
}

/** Those in the folder of the takes first. A later take may have the place of the others. */
function filesOf(outputs: readonly Output[], steps: readonly Step[]): readonly string[] {
  const left = outputs.filter(({ pruned }) => pruned === undefined);
  const isOwn = ({ task }: Output): boolean => isPaid(task, steps);
  const ordered = [...left.filter(isOwn), ...left.filter((output) => !isOwn(output))];
  return [...new Set(ordered.map(({ path }) => path))];
}

/** A job has the tasks that delete its project, too. */
const isPaid = (task: string, steps: readonly Step[]): boolean =>
  steps.some(({ name, kind }) => name === stepOf(task) && kind.operation === 'create');

/** Takes that a reroll began and did not complete: only another reroll saves them. */
export function takesLeft(ledger: Ledger, steps: readonly Step[]): readonly string[] {
  return takesIn(ledger, steps).flatMap(({ tasks: [task = ''], takes }) =>
    takes
      .filter(({ picked, complete, state }) => !picked && !complete && paid.has(state))
      .map(
        ({ number }) =>
          `take ${number} of ${task} is paid and not saved yet: shotlist reroll completes it`,
      ),
  );
}

const paid: ReadonlySet<JobState> = new Set(['created', 'complete']);

/** The line to copy: `shotlist <command> <pipeline file> <names…>`. */
type TakeCommand = (command: 'pick' | 'reroll', names: readonly string[]) => string;

export function rerolledText(all: readonly Takes[], line: TakeCommand): string {
  return all.flatMap((one) => [takesLine(one), ...commands(one, line)]).join('\n');
}

/** More of a kind would push everything else off the screen. */
const maxListed = 20;

export function takesLines(all: readonly Takes[], line: TakeCommand): readonly string[] {
  const lines = all.slice(0, maxListed).flatMap((one) => {
    const next = one.takes.find(({ complete }) => !complete);
    return [
      `takes: ${takesLine(one)}`,
      ...(next === undefined
        ? []
        : [`    → ${line('reroll', [one.tasks[0] ?? ''])} completes take ${next.number}`]),
    ];
  });
  const rest = all.length - maxListed;
  return rest > 0 ? [...lines, `… and ${grouped(rest)} more with several takes`] : lines;
}

function takesLine({ tasks, takes }: Takes): string {
  return `${printable(tasks.join(', '))}: ${takes.map(takeText).join('; ')}`;
}

function takeText({ number, picked, complete, credits, files, state }: Take): string {
  const [file] = files;
  const notes = [
    ...(picked ? ['picked'] : []),
    ...(credits > 0 ? [count(credits, 'credit')] : []),
    ...(complete ? [] : [state === 'complete' ? 'not saved yet' : state]),
    ...(file === undefined || picked ? [] : [printable(file)]),
  ];
  return `take ${number}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

const commands = (one: Takes, line: TakeCommand): readonly string[] =>
  one.takes
    .filter(({ picked, complete }) => !picked && complete)
    .map(
      ({ number }) =>
        `    To use take ${number}: ${line('pick', [one.tasks[0] ?? '', String(number)])}`,
    );
