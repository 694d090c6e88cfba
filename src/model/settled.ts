// The ends of a creation that never became a project.
import type { JobLine, NewEvent } from './line.ts';

type Settled = Extract<NewEvent, { readonly event: 'settled' }>;

/** The service certainly did not accept the creation: nothing was charged, and it may be sent again. */
export const notTaken = (job: string, error: NonNullable<JobLine['error']>): Settled => ({
  event: 'settled',
  job,
  status: 'not_taken',
  credits: 0,
  error,
});

/** Why a creation was not sent, or turned away, that says nothing about its task: the run stopped, or stopped buying. */
const withheld: ReadonlySet<string> = new Set([
  ...['aborted', 'outage', 'withheld', 'late', 'local', 'unauthorized', 'payment-required'],
]);

/** True if the job only waits for the next run: nothing is paid, and its task has not failed. */
export const isWithheld = ({ state, project, error }: JobLine): boolean =>
  state === 'failed' && project === undefined && error !== undefined && withheld.has(error.code);

/** Nobody can tell whether the service accepted the creation: a person counts its credits as charged. */
export const abandoned = (job: string, credits: number, why: string): Settled => ({
  event: 'settled',
  job,
  status: 'abandoned',
  credits,
  error: { code: 'abandoned', message: why },
});
