// The job as the core reads it, a view of its line: one attempt that counts, and a past. And what the core records of a job,
// as moves of that line.
import { isUnspent } from './attempt.ts';
import type { JobLine, OutputLine, PastAttempt } from './line.ts';
import { creditsOf, current, isClash, isOver, type Move, projectOf } from './record/job.ts';
import type { Attempt, Charge, Job, Output } from './record/line.ts';
import type { JobEvent } from './state.ts';

/** `numberOf`: the place of a run among the runs, from 1. */
export function viewOf(job: Job, numberOf: (run: string) => number | undefined): JobLine {
  const { kind, tasks, attempts, take, picked, supplied } = job;
  const common = defined({ job: job.job, kind, tasks: [...tasks], take, picked });
  const attempt = countingOf(job);
  if (attempt === undefined) {
    const { at = '', result = {} } = supplied ?? {};
    const isKnown = Object.keys(result).length > 0;
    return isKnown
      ? { ...common, state: 'supplied', attempt: 1, at, result }
      : { ...common, state: 'forgotten', attempt: 0, at };
  }
  const isUndone = attempt.forgotten !== undefined && isOver(attempt);
  const past = attempts
    .filter((one) => (one !== attempt || isUndone) && leavesTrace(one))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(pastOf);
  const spent = attempts.filter((one) => one === attempt || !isUnspent(one.fault?.code, one.state));
  const whole = {
    ...common,
    attempt: spent.length,
    ...(past.length === 0 ? {} : { past }),
    ...peakOf(attempts),
  };
  if (isUndone) return { ...whole, state: 'forgotten', at: attempt.forgotten ?? attempt.at };
  const { name, reserve, measure, run, charge, adopted } = attempt;
  const project = projectOf(attempt);
  const outputs = outputsOf(job, attempt);
  return defined({
    ...whole,
    ...stateOf(attempt),
    ...resultOf(attempt),
    name,
    reserve,
    measure,
    sender: numberOf(run),
    runId: run === unknownRun ? undefined : run,
    project,
    credits: attempt.gaveUp === undefined ? charge?.credits : creditsOf(attempt),
    outputs: outputs.length === 0 ? undefined : outputs,
    adopted: adopted === undefined ? undefined : attempt.at,
  });
}

/** The attempt that counts, or the one that was begun last. */
function countingOf(job: Job): Attempt | undefined {
  const attempt = current(job);
  if (attempt !== undefined && (isClash(attempt) || !isOver(attempt))) return attempt;
  return job.attempts.reduce<Attempt | undefined>(
    (last, one) => (last === undefined || one.at + one.name > last.at + last.name ? one : last),
    undefined,
  );
}

/** The dearest charge, where a person had a job done again: the next of its kind may cost as much. */
function peakOf(attempts: readonly Attempt[]): Pick<JobLine, 'peak'> {
  const peak = Math.max(0, ...attempts.map(({ charge }) => charge?.credits ?? 0));
  return attempts.some(({ forgotten }) => forgotten !== undefined) && peak > 0 ? { peak } : {};
}

const leavesTrace = (attempt: Attempt): boolean =>
  attempt.project !== undefined ||
  ((attempt.state !== 'intended' || attempt.gaveUp !== undefined) && creditsOf(attempt) > 0);

const pastOf = (attempt: Attempt): PastAttempt =>
  defined({
    name: attempt.name,
    credits: attempt.charge?.credits ?? creditsOf(attempt),
    project: projectOf(attempt),
    adopted: attempt.adopted,
  });

const notThere = 'the service does not have the project any more';
const uncharged = 'resolved by hand: the service never took it';
const unknowable = 'resolved by hand: nobody can tell, so it counts as charged';
const twoProjects = 'two records name different projects for it';

function stateOf(attempt: Attempt): Pick<JobLine, 'state' | 'at' | 'error'> {
  const { state, at: began, charge, fault } = attempt;
  // Who has not paid cannot tell that a project is gone, only that it does not find it.
  const gone = attempt.gone ?? (attempt.adopted ? attempt.missing : undefined);
  const at = charge?.read ?? began;
  const failed = (code: string, message: string) =>
    ({ state: 'failed', at, error: { code, message } }) as const;
  if (isClash(attempt))
    return { state: 'doubt', at, error: { code: 'in_doubt', message: twoProjects } };
  if (attempt.gaveUp !== undefined) return failed('abandoned', unknowable);
  switch (state) {
    case 'intended':
    case 'doubt':
      if (attempt.notCharged !== undefined) return failed('not_charged', uncharged);
      if (state === 'intended') return { state, at };
      return { state, at, error: { code: 'in_doubt', message: fault?.message ?? '' } };
    case 'refused':
    case 'failed':
      return { state: 'failed', at, ...(fault === undefined ? {} : { error: fault }) };
    case 'created':
    case 'complete':
    case 'deleted':
      if (gone === undefined || state === 'deleted') return { state, at };
      return { state: 'deleted', at: gone, error: { code: 'gone', message: notThere } };
  }
}

function resultOf({ result }: Attempt): Pick<JobLine, 'result' | 'expires'> {
  if (result === undefined) return {};
  const { expires, ...rest } = result;
  return {
    result: Object.keys(rest).length === 0 ? undefined : rest,
    expires: typeof expires === 'string' ? expires : undefined,
  };
}

/** The newest record of each file that a task has of each download. A store has contents, wherever they were saved. */
function outputsOf({ outputs }: Job, { name }: Attempt): OutputLine[] {
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
      const { task, index, path, bytes, sha256, seconds, unchecked, pruned } = output;
      const stored = stores.get(keyOf(output) + sha256);
      const unproved = unchecked && true;
      return defined({
        task,
        index,
        path,
        bytes,
        sha256,
        duration: seconds,
        unproved,
        stored,
        pruned,
      });
    });
}

/** The attempt that an event is about: by the name that was sent, or by its project. Without either, the one that counts. */
export interface AboutAttempt {
  readonly name?: string | undefined;
  readonly project?: string | undefined;
}

/** What an event of this run does to the job's line. Throws for an event that cannot follow, which is a bug. */
export function movesOf(
  before: Job | undefined,
  event: JobEvent,
  run: string,
  about: AboutAttempt = {},
): readonly Move[] {
  const { job, at } = event;
  const named = before?.attempts.find(
    (one) =>
      one.name === about.name || (about.project !== undefined && projectOf(one) === about.project),
  );
  const attempt = named ?? (before === undefined ? undefined : countingOf(before));
  // A record that was joined meanwhile may have brought another attempt.
  const waiting = (before?.attempts ?? []).filter(
    (one) => one.state === 'intended' && !isOver(one),
  );
  const sent = named ?? waiting.find((one) => one.run === run) ?? waiting[0] ?? attempt;
  const sentName = (): string => sent?.name ?? name();
  const name = (): string => {
    if (attempt === undefined)
      throw new Error(`bug: ${event.event} of ${job}, which has no attempt`);
    return attempt.name;
  };
  const charge = (credits: number): Charge => ({ credits, read: at });
  switch (event.event) {
    case 'supplied':
      return [{ is: 'supplied', job, kind: event.kind, task: event.task, result: event.result }];
    case 'intent': {
      const { kind, task, reserve, measure, take } = event;
      const living = (before?.attempts ?? []).filter((one) => !isOver(one));
      const forgets = living.map((one) => one.name);
      const own = { kind, task, reserve, measure, take, forgets };
      return [{ is: 'intent', job, attempt: event.name, ...own }];
    }
    case 'created': {
      const { project, credits } = event;
      // A person says which of two ids it is.
      if (sent !== undefined && isClash(sent))
        return [{ is: 'settled', job, attempt: sent.name, project }];
      return [{ is: 'created', job, attempt: sentName(), project, charge: charge(credits) }];
    }
    case 'settled':
      return event.status === 'not_taken' || event.status === 'abandoned'
        ? [settling(event, sentName(), sent?.state)]
        : [settling(event, name(), attempt?.state)];
    case 'doubt': {
      const fault = { code: 'in_doubt', message: event.why };
      return [{ is: 'doubt', job, attempt: sentName(), fault }];
    }
    case 'serves':
      return [{ is: 'serves', job, task: event.task }];
    case 'output': {
      const { task, index, path, bytes, sha256, duration: seconds, unproved: unchecked } = event;
      const output = { of: name(), task, index, path, bytes, sha256, seconds, unchecked };
      return [{ is: 'output', job, output: defined(output) }];
    }
    case 'stored':
      return placesOf(before, event.task, event.index).map((place) => ({
        is: 'stored',
        job,
        store: event.store,
        ...place,
      }));
    case 'pruned':
      return placesOf(before, event.task, event.index).map((place) => ({
        is: 'pruned',
        job,
        ...place,
      }));
    case 'deleted':
      return event.task === undefined
        ? [{ is: attempt?.adopted ? 'missing' : 'gone', job, attempt: name() }]
        : [
            { is: 'deleted', job, attempt: name() },
            { is: 'serves', job, task: event.task },
          ];
    case 'amended': {
      const owner = before?.attempts.find((one) => projectOf(one) === event.project);
      if (owner === undefined) throw new Error(`bug: no attempt of ${job} has ${event.project}`);
      if (owner.adopted) return [];
      return [{ is: 'charged', job, attempt: owner.name, charge: charge(event.credits) }];
    }
    case 'forgotten':
      return forgetting(before, event, attempt);
    case 'picked':
      return [{ is: 'picked', job, take: event.take }];
  }
}

type Settled = Extract<JobEvent, { readonly event: 'settled' }>;

function settling(event: Settled, attempt: string, state: Attempt['state'] | undefined): Move {
  const { job, status, credits, error, expires, at } = event;
  const fault = error ?? { code: status, message: '' };
  const charge = { credits, read: at };
  switch (status) {
    case 'complete': {
      const result = { ...event.result, ...(expires === undefined ? {} : { expires }) };
      return { is: 'complete', job, attempt, charge, result };
    }
    case 'error':
    case 'canceled':
      return { is: 'failed', job, attempt, charge, fault };
    case 'abandoned':
      return { is: 'said', job, attempt, mark: 'gaveUp' };
    case 'not_taken':
      // Only a person, or the service itself, ends a doubt.
      return state === 'doubt' || fault.code === 'not_charged'
        ? { is: 'said', job, attempt, mark: 'notCharged' }
        : { is: 'refused', job, attempt, fault };
  }
}

function forgetting(
  before: Job | undefined,
  { job, task, event }: Extract<JobEvent, { readonly event: 'forgotten' }>,
  attempt: Attempt | undefined,
): readonly Move[] {
  if (task !== undefined)
    return placesOf(before, task).map((place) => ({ is: 'unsaved', job, ...place }));
  if (attempt !== undefined) return [{ is: 'said', job, attempt: attempt.name, mark: 'forgotten' }];
  const [first] = before?.tasks ?? [];
  if (before === undefined || first === undefined) throw new Error(`bug: ${event} of ${job}`);
  return [{ is: 'supplied', job, kind: before.kind, task: first, result: {} }];
}

type Place = Pick<Output, 'of' | 'task' | 'index' | 'path'>;

/** The files of the attempt that counts. */
function placesOf(job: Job | undefined, task: string, index?: number): readonly Place[] {
  const attempt = job === undefined ? undefined : countingOf(job);
  return (job?.outputs ?? []).flatMap((output) =>
    output.of === attempt?.name &&
    output.task === task &&
    (index === undefined || output.index === index)
      ? [{ of: output.of, task, index: output.index, path: output.path }]
      : [],
  );
}

function defined<T extends object>(value: T): T {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries) as T;
}

/** Of two records of an attempt, the one that knows its run counts: its name is less than this one. */
export const unknownRun = 'unknown';
