// What follows from the state of a job, and what it has cost.
import type { JobState, JobView } from './job-view.ts';

interface JobFacts {
  /** The job may be paid; nobody knows. */
  readonly inDoubt: boolean;
  /** The service has the paid project. */
  readonly atService: boolean;
  /** The result is known, so a new job for it only refreshes its values. */
  readonly hasResult: boolean;
}

const nothing: JobFacts = { inDoubt: false, atService: false, hasResult: false };

/** Facts that follow from the state of a job. */
export const jobFacts: Readonly<Record<JobState, JobFacts>> = {
  supplied: { ...nothing, hasResult: true },
  intended: { ...nothing, inDoubt: true },
  doubt: { ...nothing, inDoubt: true },
  created: { ...nothing, atService: true },
  complete: { ...nothing, atService: true, hasResult: true },
  deleted: { ...nothing, hasResult: true },
  failed: nothing,
  forgotten: nothing,
};

type Costs = Pick<JobView, 'credits' | 'past' | 'adopted'>;

/** The credits that a job has cost so far, all attempts together, without credits that are only set aside. */
export const worthOf = ({ credits = 0, past }: Costs): number =>
  past.reduce((sum, one) => sum + one.credits, credits);

/** The part of a job's worth that runs of this state file were charged. */
export const chargedHere = ({ credits = 0, adopted, past }: Costs): number =>
  past.reduce((sum, one) => sum + (one.adopted ? 0 : one.credits), adopted ? 0 : credits);

/** Why a creation was not sent, or turned away, that says nothing about its task: the run stopped, or stopped buying. */
const withheld: ReadonlySet<string> = new Set([
  ...['aborted', 'outage', 'withheld', 'late', 'local', 'unauthorized', 'payment-required'],
]);

/** True if the job only waits for the next run: nothing is paid, and its task has not failed. */
export const isWithheld = ({ state, project, error }: JobView): boolean =>
  state === 'failed' && project === undefined && error !== undefined && withheld.has(error.code);
