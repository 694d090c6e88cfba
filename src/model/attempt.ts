// Counts the attempts of a creation. Attempts that the service did not look at do not count.
import type { JobLine } from './line.ts';

/** The code of a creation that was not accepted because of an outage. */
export const outageCode = 'outage';

const notSpent: readonly (string | undefined)[] = [outageCode, 'withheld'];

/** True if the service never looked at an attempt with this fault. */
export const isUnspent = (code: string | undefined, state: string): boolean =>
  state === 'refused' && notSpent.includes(code);

/** The number of a job's next attempt, from 1. */
export function nextAttempt(job: JobLine | undefined): number {
  if (job === undefined) return 1;
  return job.state === 'failed' && notSpent.includes(job.error?.code)
    ? job.attempt
    : job.attempt + 1;
}
