// What is paid for and not saved, whatever day, input or version of the pipeline it is of: the record knows where it goes.
import { current } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { Attempt, Job } from '../model/record/line.ts';
import { isAway } from './decide.ts';
import type { Destination } from './scope.ts';

export interface Owed {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly to: readonly Destination[] | 'kept';
}

/** An attempt keeps its destinations until all of its files are recorded. */
export function* owedOf(ledger: Pick<Ledger, 'withDestinations'>): Generator<Owed> {
  for (const job of ledger.withDestinations()) {
    const attempt = current(job);
    if (attempt?.to === undefined || attempt.adopted || isAway(attempt)) continue;
    if (attempt.state === 'created' || attempt.state === 'complete')
      yield { job, attempt, to: attempt.to };
  }
}
