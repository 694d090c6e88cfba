// Which take of a request counts: the one that a person picked, or, in a reroll, one more.

import { isComplete } from '../core/recorded-files.ts';
import { takeFile } from '../core/takes.ts';
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import type { Ledger } from '../model/ledger.ts';
import type { JobLine } from '../model/line.ts';
import { chargedHere, jobFacts } from '../model/state.ts';
import { allTakes, numberOf } from '../model/take-index.ts';
import { type BodyRequest, withTake } from '../model/task-request.ts';
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

// The part of a pipeline that a reroll runs: the rerolled steps, what they need, and the deletes of their projects.
// Nothing downstream is in it.
