// The events about a job, what follows from its state, and what it has cost.
import type { EventLine, JobLine } from './line.ts';

/** The events about a job. */
export type JobEvent = Extract<EventLine, { readonly job: string }>;

export const isJobEvent = (event: EventLine): event is JobEvent => 'job' in event;

export interface JobFacts {
  /** The job may be paid; nobody knows. */
  readonly inDoubt: boolean;
  /** A creation may begin, because nothing is paid or because a person wants the job done again. */
  readonly mayBegin: boolean;
  /** The service has the paid project. */
  readonly atService: boolean;
  /** The result is known, so a new job for it only refreshes its values. */
  readonly hasResult: boolean;
  /** A person may forget the job. A doubt must be resolved first. */
  readonly mayForget: boolean;
}

const nothing: JobFacts = {
  inDoubt: false,
  mayBegin: false,
  atService: false,
  hasResult: false,
  mayForget: true,
};

/** Facts that follow from the state of a job. */
export const jobFacts: Readonly<Record<JobLine['state'], JobFacts>> = {
  supplied: { ...nothing, hasResult: true },
  intended: { ...nothing, inDoubt: true, mayForget: false },
  doubt: { ...nothing, inDoubt: true, mayForget: false },
  created: { ...nothing, atService: true },
  complete: { ...nothing, atService: true, hasResult: true },
  deleted: { ...nothing, hasResult: true, mayBegin: true },
  failed: { ...nothing, mayBegin: true },
  forgotten: { ...nothing, mayBegin: true, mayForget: false },
};

/** The credits that a job has cost so far, all attempts together, without credits that are only set aside. */
export function worthOf(line: JobLine | undefined): number {
  let sum = line?.credits ?? 0;
  for (const { credits } of line?.past ?? []) sum += credits;
  return sum;
}

/** What runs of this state file were charged for the last attempt. */
export const lastChargedHere = (line: JobLine | undefined): number =>
  line?.adopted === undefined ? (line?.credits ?? 0) : 0;

/** The part of a job's worth that runs of this state file were charged. */
export function chargedHere(line: JobLine | undefined): number {
  let sum = lastChargedHere(line);
  for (const { credits, adopted } of line?.past ?? []) sum += adopted === true ? 0 : credits;
  return sum;
}
