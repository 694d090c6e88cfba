// Which take of a request counts: the one that a person picked, or, in a reroll, one more.
import { digestOf } from '../base/digest.ts';
import type { Pipeline, Step } from '../language/pipeline.ts';
import { extensionMark } from '../language/result-name.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import type { Ledger } from '../model/ledger.ts';
import type { JobLine } from '../model/line.ts';
import { chargedHere, jobFacts } from '../model/state.ts';
import { numberOf } from '../model/take-index.ts';
import { fannedOutIn, itemOf, stepOf } from '../model/task.ts';
import { type BodyRequest, withTake } from '../model/task-request.ts';
import { normalized } from './output-path.ts';
import { downloadCount } from './recorded-files.ts';
import type { Remembered } from './remembered.ts';

export interface TakeChoice {
  /** The job of the first take. */
  readonly first: Fingerprint;
  /** The take that counts; 1 is the first. */
  readonly number: number;
  /** How many takes there are, without one that this run begins. */
  readonly known: number;
  /** What the other takes have cost. */
  readonly others: number;
  /** In a reroll: where to save the new take, below the output folder. */
  readonly saveTo?: string;
  /** Why a reroll cannot begin a take. */
  readonly refused?: string;
}

export interface Takes {
  /** `request`: without a take. */
  choose(request: BodyRequest, task: string): TakeChoice;
  /** True if this run does nothing for the task but reuse its result. */
  spares(step: Step, task: string): boolean;
}

type Jobs = Pick<Ledger, 'job' | 'takes'>;

export function pickedTakes(ledger: Jobs): Takes {
  return {
    choose({ fingerprint: first }) {
      const later = ledger.takes.later(first);
      if (later.length === 0) return { first, number: 1, known: 1, others: 0 };
      const number = ledger.job(first)?.picked?.take ?? 1;
      return { ...about(ledger, first, number), known: later.length + 1 };
    },
    spares: () => false,
  };
}

/** One more take of each of these tasks. A take that was begun is completed before another one is. */
export function rerolledTakes(
  ledger: Jobs,
  tasks: ReadonlySet<string>,
  remembered: Pick<Remembered, 'hasTake'>,
): Takes {
  const picked = pickedTakes(ledger);
  // Chosen once: when the take is complete, the same run must not begin the next one.
  const chosen = new Map<Fingerprint, number>();
  return {
    choose(request, task) {
      const first = request.fingerprint;
      const now = picked.choose(request, task);
      if (!tasks.has(task)) return now;
      const refused = whyNoTake(ledger, now);
      if (refused !== undefined) return { ...now, refused };
      const number =
        chosen.get(first) ??
        nextTake(ledger.takes.later(first).at(-1), (take) =>
          remembered.hasTake(withTake(request, take).fingerprint),
        );
      chosen.set(first, number);
      return { ...now, ...about(ledger, first, number), saveTo: takeFile(task, number) };
    },
    spares: ({ name, kind, of }, task) => {
      if (kind.operation === 'upload' || kind.operation === 'detect') return false;
      if (kind.operation === 'delete') return !tasks.has(`${of}${task.slice(name.length)}`);
      return !tasks.has(task);
    },
  };
}

/** All takes of a request, the first one first. */
export const allTakes = (ledger: Jobs, first: string): readonly JobLine[] =>
  [ledger.job(first), ...ledger.takes.later(first)].filter((job) => job !== undefined);

function about(ledger: Jobs, first: Fingerprint, number: number) {
  const others = allTakes(ledger, first).filter((job) => numberOf(job) !== number);
  return { first, number, others: others.reduce((sum, job) => sum + chargedHere(job), 0) };
}

/** Why a request cannot have another take, as the end of a sentence. */
function whyNoTake(ledger: Jobs, { first, number }: TakeChoice): string | undefined {
  const job = takeNumbered(ledger, first, number);
  if (job === undefined) return 'has no result yet';
  if (jobFacts[job.state].hasResult) return undefined;
  return `is ${job.state === 'created' ? 'still rendering' : job.state}`;
}

const takeNumbered = (ledger: Jobs, first: string, number: number): JobLine | undefined =>
  allTakes(ledger, first).find((job) => numberOf(job) === number);

/** `isTaken`: whether another pipeline has begun the take. */
function nextTake(newest: JobLine | undefined, isTaken: (take: number) => boolean): number {
  if (newest !== undefined && !isComplete(newest)) return numberOf(newest);
  let number = newest === undefined ? 2 : numberOf(newest) + 1;
  while (isTaken(number)) number += 1;
  return number;
}

/** Paid for, and its files were saved at some time. */
export function isComplete(job: JobLine): boolean {
  if (!jobFacts[job.state].hasResult) return false;
  const saved = new Set((job.outputs ?? []).map(({ index }) => index));
  return job.state === 'deleted' || saved.size >= downloadCount(job);
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

// The part of a pipeline that a reroll runs: the rerolled steps, what they need, and the deletes of their projects.
// Nothing downstream is in it.

export function rerolledPipeline(pipeline: Pipeline, tasks: readonly string[]): Pipeline {
  const { steps } = pipeline;
  const named = new Set(tasks.map(stepOf));
  const needed = neededBy(steps, named);
  return {
    ...pipeline,
    steps: steps.flatMap((step) => {
      if (needed.has(step.name)) return step;
      const { kind, of, uses, after } = step;
      if (kind.operation !== 'delete' || of === undefined || !named.has(of)) return [];
      if (uses.some((name) => !needed.has(name))) return [];
      // A take is saved before its project is deleted, whatever the pipeline does with the result that counts.
      return { ...step, after: after.filter((name) => needed.has(name)), discard: false };
    }),
  };
}

/** The steps and all steps that they wait for. */
export function neededBy(steps: readonly Step[], names: ReadonlySet<string>): ReadonlySet<string> {
  const needed = new Set(names);
  // Every step follows those that it waits for.
  for (const { name, after, fan } of steps.toReversed()) {
    if (!needed.has(name)) continue;
    for (const before of [...after, ...(fan === undefined ? [] : [fan.step, ...fan.uses])])
      needed.add(before);
  }
  return needed;
}

/** The keys of the items that a reroll needs; undefined: all, because a shared step waits for all of them. */
export function itemsOf(
  { steps, items }: Pipeline,
  tasks: readonly string[],
): ReadonlySet<string> | undefined {
  if (items.kind === 'one') return undefined;
  const shared = new Set(steps.filter((step) => step.shared).map(({ name }) => name));
  const ofAll = new Set(tasks.map(stepOf).filter((name) => shared.has(name)));
  if ([...neededBy(steps, ofAll)].some((name) => !shared.has(name))) return undefined;
  const isFannedOut = fannedOutIn(steps);
  return new Set(tasks.flatMap((task) => itemOf(task, isFannedOut(task)) ?? []));
}
