// A job as people see it: in one state, by the attempt that counts, with the attempts before it as its past.
import { creditsOf, current, isClash, isDone, isOpen, isOver, projectOf } from './record/job.ts';
import type { Ledger } from './record/ledger.ts';
import type { Attempt, Fault, Job, Output } from './record/line.ts';

/**
 * - `supplied`: a free job is done. `intended`: a creation was about to be sent; read back from disk, the outcome is unknown.
 * - `created`: paid, not finished. `complete`: paid and done. `deleted`: complete, then deleted.
 * - `failed`: not charged, refunded or given up. `doubt`: it may have been paid.
 * - `forgotten`: a person has paid for it once more.
 */
export type JobState =
  | 'supplied'
  | 'intended'
  | 'created'
  | 'complete'
  | 'deleted'
  | 'failed'
  | 'doubt'
  | 'forgotten';

/** An earlier attempt that the service took, or may have: money's trace. */
interface PastAttempt {
  readonly name: string;
  /** What it cost in the end. */
  readonly credits: number;
  readonly project: string | undefined;
  readonly adopted: boolean;
}

/** What the attempt that counts says of its job. */
interface Counting {
  readonly state: JobState;
  /** When it entered this state, ISO 8601. */
  readonly at: string;
  readonly error?: Fault | undefined;
  /** The name that was sent. */
  readonly name?: string;
  readonly reserve?: number;
  /** The run that sent it. */
  readonly run?: string;
  readonly project?: string | undefined;
  /** Charged, refund included. */
  readonly credits?: number | undefined;
  /** Another state file paid for it. */
  readonly adopted?: boolean;
  /** What stays true of the result: no address. */
  readonly result?: Attempt['result'];
  /** When the first of its addresses ran out, as it completed. */
  readonly expires?: string | undefined;
  /** The newest record of each file that a task has of each download. */
  readonly outputs: readonly Output[];
}

export interface JobView extends Counting, Pick<Job, 'job' | 'kind' | 'tasks' | 'take' | 'picked'> {
  readonly past: readonly PastAttempt[];
}

export function viewOf(job: Job): JobView {
  const { kind, tasks, attempts, take, picked } = job;
  const attempt = countingOf(job);
  const isUndone = attempt?.forgotten !== undefined && isOver(attempt);
  const past = attempts
    .filter((one) => (one !== attempt || isUndone) && leavesTrace(one))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(pastOf);
  const counting =
    attempt === undefined ? suppliedOf(job) : isUndone ? undone(attempt) : whole(job, attempt);
  return { job: job.job, kind, tasks, take, picked, past, ...counting };
}

const byTask = (one: JobView, other: JobView): number => {
  const [[task = ''], [otherTask = '']] = [one.tasks, other.tasks];
  return (task === otherTask ? one.job < other.job : task < otherTask) ? -1 : 1;
};

/** All jobs, by the name of their first task, then by fingerprint. */
export const viewsOf = (ledger: Pick<Ledger, 'jobs'>): readonly JobView[] =>
  Array.from(ledger.jobs(), viewOf).sort(byTask);

/** One job. */
export function viewIn(ledger: Pick<Ledger, 'job'>, fingerprint: string): JobView | undefined {
  const job = ledger.job(fingerprint);
  return job === undefined ? undefined : viewOf(job);
}

/**
 * What a person can settle, by attempt: the one that counts, if nobody knows what became of it, and own ones beside it, of which
 * credits are held back.
 */
function doubtsOf(job: Job): readonly JobView[] {
  const counting = viewOf(job);
  const others = job.attempts.filter(
    (one) => one.name !== counting.name && !one.adopted && isOpen(one) && !isOver(one),
  );
  return [counting, ...others.map((one) => viewOf({ ...job, attempts: [one] }))].filter(
    ({ state }) => state === 'intended' || state === 'doubt',
  );
}

/** Of all jobs, by the name of their first task. */
export const doubtsIn = (ledger: Pick<Ledger, 'inDoubt'>): readonly JobView[] =>
  Array.from(ledger.inDoubt(), doubtsOf).flat().sort(byTask);

/** A creation that may be paid, and nobody knows. */
export interface Doubt {
  readonly tasks: readonly string[];
  /** What was sent as the project's name. */
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
  /** Credits set aside. */
  readonly reserved: number;
  /** What is known about the request; undefined if the run ended before an answer. */
  readonly why?: string | undefined;
}

export const doubtOf = ({ tasks, name = '', at, reserve = 0, error }: JobView): Doubt => ({
  tasks,
  name,
  since: at,
  reserved: reserve,
  why: error?.message,
});

/** The attempt that counts, or the one that was begun last. */
function countingOf(job: Job): Attempt | undefined {
  const attempt = current(job);
  if (attempt !== undefined && (isClash(attempt) || !isOver(attempt))) return attempt;
  return job.attempts.reduce<Attempt | undefined>(
    (last, one) => (last === undefined || one.at + one.name > last.at + last.name ? one : last),
    undefined,
  );
}

function suppliedOf({ supplied }: Job): Counting {
  const { at = '', result = {} } = supplied ?? {};
  const isKnown = Object.keys(result).length > 0;
  return isKnown
    ? { state: 'supplied', at, result, outputs: [] }
    : { state: 'forgotten', at, outputs: [] };
}

const undone = ({ forgotten, at }: Attempt): Counting => ({
  state: 'forgotten',
  at: forgotten ?? at,
  outputs: [],
});

function whole(job: Job, attempt: Attempt): Counting {
  const { name, reserve, run, charge, adopted = false, result } = attempt;
  const { expires, ...lasting } = result ?? {};
  return {
    ...stateOf(attempt),
    name,
    reserve,
    run,
    project: projectOf(attempt),
    credits: attempt.gaveUp === undefined ? charge?.credits : creditsOf(attempt),
    adopted,
    result: Object.keys(lasting).length === 0 ? undefined : lasting,
    expires: typeof expires === 'string' ? expires : undefined,
    outputs: outputsOf(job, attempt),
  };
}

const leavesTrace = (attempt: Attempt): boolean =>
  attempt.project !== undefined ||
  ((attempt.state !== 'intended' || attempt.gaveUp !== undefined) && creditsOf(attempt) > 0);

const pastOf = (attempt: Attempt): PastAttempt => ({
  name: attempt.name,
  credits: attempt.charge?.credits ?? creditsOf(attempt),
  project: projectOf(attempt),
  adopted: attempt.adopted ?? false,
});

const notThere = 'the service does not have the project any more';
const uncharged = 'resolved by hand: the service never took it';
const givenUp = 'given up with resolve --abandon: its credits count as spent';
const twoProjects = (clash: readonly string[] = []): string =>
  `two records name different projects for it: ${clash.join(' and ')}`;

function stateOf(attempt: Attempt): Pick<Counting, 'state' | 'at' | 'error'> {
  const { state, at: began, charge, fault } = attempt;
  // Who has not paid cannot tell that a project is gone, only that it does not find it.
  const gone = attempt.gone ?? (attempt.adopted ? attempt.missing : undefined);
  const at = charge?.read ?? began;
  const failed = (code: string, message: string) =>
    ({ state: 'failed', at, error: { code, message } }) as const;
  if (isClash(attempt))
    return { state: 'doubt', at, error: { code: 'in_doubt', message: twoProjects(attempt.clash) } };
  if (attempt.gaveUp !== undefined && !isDone(attempt)) return failed('abandoned', givenUp);
  switch (state) {
    case 'intended':
    case 'doubt':
      if (attempt.notCharged !== undefined) return failed('not_charged', uncharged);
      if (state === 'intended') return { state, at };
      return { state, at, error: { code: 'in_doubt', message: fault?.message ?? '' } };
    case 'refused':
    case 'failed':
      return { state: 'failed', at, error: fault };
    case 'created':
    case 'complete':
    case 'deleted':
      if (gone === undefined || state === 'deleted') return { state, at };
      return { state: 'deleted', at: gone, error: { code: 'gone', message: notThere } };
  }
}

/** A store has contents, wherever they were saved. */
function outputsOf({ outputs }: Job, { name }: Attempt): readonly Output[] {
  const newest = new Map<string, Output>();
  const stores = new Map<string, string>();
  const keyOf = ({ task, index }: Output): string => JSON.stringify([task, index]);
  for (const output of outputs) {
    if (output.of !== name || output.kept === true) continue;
    const known = newest.get(keyOf(output));
    if (known === undefined || known.at < output.at) newest.set(keyOf(output), output);
    if (output.stored !== undefined) stores.set(keyOf(output) + output.sha256, output.stored);
  }
  return [...newest.values()]
    .filter(({ forgotten }) => forgotten === undefined)
    .sort((a, b) => (a.task < b.task ? -1 : a.task > b.task ? 1 : 0) || a.index - b.index)
    .map((output) => {
      const stored = stores.get(keyOf(output) + output.sha256);
      return stored === undefined ? output : { ...output, stored };
    });
}

/** All records of a task's files, of the attempt that counts: what a move about them names. */
export function placesOf(job: Job | undefined, task: string, index?: number) {
  const attempt = job === undefined ? undefined : countingOf(job);
  return (job?.outputs ?? [])
    .filter(
      (output) =>
        output.of === attempt?.name &&
        output.task === task &&
        (index === undefined || output.index === index),
    )
    .map(({ of, index: at, path }) => ({ of, task, index: at, path }));
}
