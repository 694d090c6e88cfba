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

/** Nobody can tell whether the service accepted the creation: a person counts its credits as charged. */
export const abandoned = (job: string, credits: number, why: string): Settled => ({
  event: 'settled',
  job,
  status: 'abandoned',
  credits,
  error: { code: 'abandoned', message: why },
});

export const isNotTaken = (event: NewEvent): boolean =>
  event.event === 'settled' && event.status === 'not_taken';
