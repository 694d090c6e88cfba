// What is paid for and not saved, whatever day, input or version of the pipeline it is of: the record knows where it goes.
import { count } from '../base/text.ts';
import { current } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { Attempt, Job } from '../model/record/line.ts';
import { isAway } from './decide.ts';
import type { End } from './ending.ts';
import type { Destination } from './scope.ts';

export interface Owed {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly to: readonly Destination[] | 'kept';
  /** Those that save it, or the one that made it. */
  readonly tasks: readonly string[];
  /** Something else is told of the same task: that it is saved is told in a note. */
  readonly isBeside: boolean;
}

/** What became of an owed result. `task`: that saves it, or that made it. */
export interface Collected extends Owed {
  readonly task: string;
  readonly end: End;
}

/** When it was paid, for people. */
export const dayOf = ({ at }: Pick<Attempt, 'at'>): string => at.slice(0, 10);

/** What a person should know before a run; undefined if nothing is owed. */
export function owedText(owed: readonly Owed[]): string | undefined {
  if (owed.length === 0) return undefined;
  const days = [...new Set(owed.map(({ attempt }) => dayOf(attempt)))].sort();
  const shown = (days.length > 5 ? [...days.slice(0, 5), '…'] : days).join(', ');
  const [is, it] = owed.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${count(owed.length, 'paid result')} of earlier runs (${shown}) ${is} not saved yet: a run fetches ${it} before it buys anything`;
}

/** An attempt keeps its destinations until all of its files are recorded. */
export function* owedOf(ledger: Pick<Ledger, 'withDestinations'>): Generator<Owed> {
  for (const job of ledger.withDestinations()) {
    const attempt = current(job);
    if (attempt?.to === undefined || attempt.adopted || isAway(attempt)) continue;
    if (attempt.state !== 'created' && attempt.state !== 'complete') continue;
    const { to } = attempt;
    const tasks = to === 'kept' ? [job.tasks[0] ?? job.kind] : to.map(({ task }) => task);
    yield { job, attempt, to, tasks, isBeside: job.take !== undefined };
  }
}
