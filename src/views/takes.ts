// The takes of a result: what is known of each, and which one counts; as data and as text.

import { printable } from '../base/printable.ts';
import { count, grouped } from '../base/text.ts';
import { isComplete } from '../core/recorded-files.ts';
import type { Step } from '../language/pipeline.ts';
import { type JobState, type JobView, numberOf, takesOf } from '../model/job-view.ts';
import type { Ledger } from '../model/record/ledger.ts';
import { worthOf } from '../model/state.ts';
import { stepOf } from '../model/task.ts';

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
  const picked = all[0]?.picked?.take ?? 1;
  return {
    tasks: (all[0]?.tasks ?? []).filter((task) => isPaid(task, steps)),
    takes: all.map((job) => ({
      number: numberOf(job),
      picked: numberOf(job) === picked,
      state: job.state,
      complete: numberOf(job) === 1 || isComplete(job),
      credits: worthOf(job),
      at: job.at,
      project: job.project,
      files: filesOf(job, steps),
    })),
  };
}

function filesOf({ outputs }: JobView, steps: readonly Step[]): readonly string[] {
  const left = outputs.filter(({ pruned }) => pruned === undefined);
  const [own, others] = [true, false].map((is) =>
    left.filter(({ task }) => isPaid(task, steps) === is).map(({ path }) => path),
  );
  return [...new Set([...(own ?? []), ...(others ?? [])])];
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
