// Which take of a request counts: the one that a person picked, or, in a reroll, one more.
import { digestOf } from '../base/digest.ts';
import type { Step } from '../language/pipeline.ts';
import { extensionMark } from '../language/result-name.ts';
import { current } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { Job } from '../model/record/line.ts';
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
  /** Why a reroll cannot begin a take: the end of a sentence. */
  readonly refused?: string;
}

export interface Takes {
  /** `first`: the job of the first take. `named`: the job of the take with this number. */
  choose(first: string, task: string, named: (number: number) => string): TakeChoice;
  /** True if this run begins nothing for the task: what it made before counts. */
  spares(step: Step, task: string): boolean;
}

type Jobs = Pick<Ledger, 'job' | 'takes'>;

export function pickedTakes(ledger: Jobs): Takes {
  return {
    choose(first) {
      const picked = ledger.job(first)?.picked?.take ?? 1;
      const isThere = picked === 1 || takeNumbered(ledger, first, picked) !== undefined;
      return about(ledger, first, isThere ? picked : 1);
    },
    spares: () => false,
  };
}

/** One more take of each of these tasks. A take that was begun is completed before another one is. */
export function rerolledTakes(
  ledger: Jobs,
  tasks: ReadonlySet<string>,
  receipts: ReceiptsView,
): Takes {
  const picked = pickedTakes(ledger);
  // Chosen once: when the take is complete, the same run must not begin the next one.
  const chosen = new Map<string, number>();
  return {
    choose(first, task, named) {
      const now = picked.choose(first, task, named);
      if (!tasks.has(task)) return now;
      const refused = whyNoTake(takeNumbered(ledger, first, now.number));
      if (refused !== undefined) return { ...now, refused };
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
  others: allTakes(ledger, first)
    .filter((job) => numberOf(job) !== number)
    .map(({ job }) => job),
});

/** All takes of a request, the first one first. */
const allTakes = (ledger: Jobs, first: string): readonly Job[] =>
  [ledger.job(first), ...ledger.takes(first)].filter((job) => job !== undefined);

const numberOf = ({ take }: Job): number => take?.number ?? 1;

const takeNumbered = (ledger: Jobs, first: string, number: number): Job | undefined =>
  allTakes(ledger, first).find((job) => numberOf(job) === number);

function whyNoTake(job: Job | undefined): string | undefined {
  const now = job && current(job);
  if (now === undefined) return 'has no result yet';
  if (now.state === 'complete' || now.state === 'deleted') return undefined;
  return now.state === 'created' ? 'is still rendering' : 'is in doubt';
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
