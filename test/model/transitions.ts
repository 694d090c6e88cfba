// The transition function of a job's view, written by itself: what a line of the state file says after its moves is compared with
// this. A job that was paid and not refunded can become `failed` only if a person says so, a job in doubt can never begin again,
// and no credit leaves a job without an entry in its past.
import { err, ok, type Result } from '../../src/base/result.ts';
import { unknownKind } from '../../src/model/job-kind.ts';
import type { EventLine, JobLine, OutputLine, PastAttempt } from '../../src/model/line.ts';
import { type JobEvent, jobFacts } from '../../src/model/state.ts';

type Move = Result<JobLine, string>;

export function stateAfter(before: JobLine | undefined, event: JobEvent): Move {
  const illegal = (): Move =>
    err(`${event.event} cannot follow ${before?.state ?? 'nothing'} (job ${event.job})`);
  switch (event.event) {
    case 'supplied':
      if (before !== undefined && !maySupply.includes(before.state) && before.kind !== unknownKind)
        return illegal();
      return ok({
        job: event.job,
        kind: event.kind,
        state: 'supplied',
        tasks: withTask(before?.tasks, event.task),
        attempt: (before?.attempt ?? 0) + 1,
        at: event.at,
        result: event.result,
      });
    case 'intent':
      if (before !== undefined && !jobFacts[before.state].mayBegin) return illegal();
      return ok({
        job: event.job,
        kind: event.kind,
        state: 'intended',
        tasks: withTask(before?.tasks, event.task),
        attempt: event.attempt,
        at: event.at,
        name: event.name,
        reserve: event.reserve,
        ...(event.measure === undefined ? {} : { measure: event.measure }),
        ...takesIn(before),
        ...(event.take === undefined ? {} : { take: event.take }),
        ...withPeak(before, 0),
        ...withPast(before),
      });
    case 'created':
      if (before?.state !== 'intended' && before?.state !== 'doubt') return illegal();
      return ok({
        ...without(before, 'error'),
        state: 'created',
        at: event.at,
        project: event.project,
        credits: event.credits,
      });
    case 'settled':
      if (event.status === 'not_taken' || event.status === 'abandoned')
        return before?.state === 'intended' || before?.state === 'doubt'
          ? ok(neverMade(before, event))
          : illegal();
      if (before?.state !== 'created') return illegal();
      return ok({
        ...before,
        state: event.status === 'complete' ? 'complete' : 'failed',
        at: event.at,
        credits: event.credits,
        ...addition(before, event.credits),
        ...withPeak(before, event.credits),
        ...(event.expires === undefined ? {} : { expires: event.expires }),
        ...(event.result === undefined ? {} : { result: event.result }),
        ...(event.error === undefined ? {} : { error: event.error }),
      });
    case 'doubt':
      if (before?.state !== 'intended') return illegal();
      return ok({
        ...before,
        state: 'doubt',
        at: event.at,
        error: { code: 'in_doubt', message: event.why },
      });
    case 'serves':
      if (before === undefined) return illegal();
      return ok({ ...before, tasks: withTask(before.tasks, event.task) });
    case 'output':
      if (before?.state !== 'complete' && before?.state !== 'deleted') return illegal();
      return ok({ ...before, outputs: withOutput(before.outputs ?? [], event) });
    case 'stored':
    case 'pruned': {
      const mark = event.event === 'stored' ? { stored: event.store } : { pruned: event.at };
      const outputs = markedOutputs(before?.outputs, event, mark);
      return before === undefined || outputs === undefined ? illegal() : ok({ ...before, outputs });
    }
    case 'deleted':
      if (event.why === undefined && before?.state !== 'complete') return illegal();
      if (before?.state !== 'created' && before?.state !== 'complete') return illegal();
      return ok({
        ...before,
        state: 'deleted',
        at: event.at,
        ...(event.task === undefined ? {} : { tasks: withTask(before.tasks, event.task) }),
        ...(event.why === undefined ? {} : { error: { code: 'gone', message: event.why } }),
      });
    case 'amended':
      return before === undefined ? illegal() : amended(before, event, illegal);
    case 'forgotten':
      if (before === undefined || !jobFacts[before.state].mayForget) return illegal();
      return ok(
        event.task === undefined ? forgotten(before, event.at) : unsaved(before, event.task),
      );
    case 'picked':
      return before === undefined || before.state === 'supplied' || before.take !== undefined
        ? illegal()
        : ok({ ...before, picked: { take: event.take, at: event.at } });
  }
}

const maySupply: readonly JobLine['state'][] = ['supplied', 'forgotten'];

type SettledEvent = Extract<JobEvent, { readonly event: 'settled' }>;

/** An end without a project: the attempt cost nothing, or a person wrote its credits off. */
function neverMade(before: JobLine, { at, status, credits, error }: SettledEvent): JobLine {
  return {
    ...before,
    state: 'failed',
    at,
    ...(status === 'abandoned' ? { credits } : {}),
    ...(error === undefined ? {} : { error }),
  };
}

/** Adds an attempt to the past if the service accepted it, or may have. */
function withPast(before: JobLine | undefined): { past?: PastAttempt[] } {
  if (before === undefined) return {};
  const { name = '', project, credits = 0, past = [], adopted } = before;
  const last =
    project === undefined && credits === 0
      ? []
      : [
          {
            name,
            credits,
            ...(project === undefined ? {} : { project }),
            ...(adopted === undefined ? {} : { adopted: true as const }),
          },
        ];
  const all = [...past, ...last];
  return all.length === 0 ? {} : { past: all };
}

/** The credits that the service added to a charge that it had reported before. */
function addition(before: JobLine, credits: number): { added?: number } {
  const added = credits - (before.credits ?? 0) + (before.added ?? 0);
  return added > 0 ? { added } : {};
}

/** The highest charge before a partial refund: a budget must expect that much again, at least for a while. */
function withPeak(before: JobLine | undefined, credits: number): { peak?: number } {
  const told = before?.project === undefined ? 0 : (before.credits ?? 0);
  const peak = Math.max(before?.peak ?? 0, told);
  return peak > credits ? { peak } : {};
}

function amended(
  before: JobLine,
  { project, credits }: Extract<JobEvent, { readonly event: 'amended' }>,
  illegal: () => Move,
): Move {
  if (before.project === project && before.state !== 'intended' && before.state !== 'doubt')
    return ok({
      ...without(before, 'added', 'peak'),
      ...addition(before, credits),
      ...withPeak(before, credits),
      credits,
    });
  const { past = [] } = before;
  if (!past.some((attempt) => attempt.project === project)) return illegal();
  return ok({
    ...before,
    past: past.map((attempt) => (attempt.project === project ? { ...attempt, credits } : attempt)),
  });
}

function forgotten(before: JobLine, at: string): JobLine {
  const { job, kind, tasks, attempt } = before;
  const kept = { ...withPeak(before, 0), ...takesIn(before), ...withPast(before) };
  return { job, kind, state: 'forgotten', tasks, attempt, at, ...kept };
}

/** Which take a job is, and which one a person has picked, stay as they are if the job begins again. */
function takesIn(before: JobLine | undefined): Pick<JobLine, 'take' | 'picked'> {
  const { take, picked } = before ?? {};
  return { ...(take === undefined ? {} : { take }), ...(picked === undefined ? {} : { picked }) };
}

function unsaved(before: JobLine, task: string): JobLine {
  const outputs = (before.outputs ?? []).filter((output) => output.task !== task);
  return { ...before, outputs };
}

function withTask(tasks: readonly string[] = [], task: string): string[] {
  return tasks.includes(task) ? [...tasks] : [...tasks, task].sort();
}

function without<K extends keyof JobLine>(job: JobLine, ...keys: readonly K[]): Omit<JobLine, K> {
  // An object that lost a field is slower for good, and most jobs have none of these.
  if (!keys.some((key) => key in job)) return job;
  const copy = { ...job };
  for (const key of keys) delete copy[key];
  return copy;
}

// The recorded files of a job: one for each task that saved it, and each download.

type OutputEvent = Extract<EventLine, { readonly event: 'output' }>;

type Outputs = NonNullable<JobLine['outputs']>;

/** Replaces what was recorded of the file. The store still has content that is the same. */
function withOutput(outputs: Outputs, event: OutputEvent): Outputs {
  const { task, index, path, bytes, sha256, duration, unproved } = event;
  const others = outputs.filter((output) => !isOf(output, event));
  const before = outputs.find((output) => isOf(output, event));
  const inStore =
    before?.stored !== undefined && before.sha256 === sha256 ? { stored: before.stored } : {};
  const length = duration === undefined ? {} : { duration };
  const doubt = unproved === undefined ? {} : { unproved };
  return [...others, { task, index, path, bytes, sha256, ...length, ...doubt, ...inStore }].sort(
    (a, b) => (a.task < b.task ? -1 : a.task > b.task ? 1 : 0) || a.index - b.index,
  );
}

/** Adds to what is recorded of a file; undefined if there is no such file. */
function markedOutputs(
  outputs: Outputs = [],
  file: RecordedOutput,
  mark: Pick<OutputLine, 'stored'> | Pick<OutputLine, 'pruned'>,
): Outputs | undefined {
  if (!outputs.some((output) => isOf(output, file))) return undefined;
  return outputs.map((output) => (isOf(output, file) ? { ...output, ...mark } : output));
}

type RecordedOutput = Pick<OutputLine, 'task' | 'index'>;

const isOf = (output: RecordedOutput, { task, index }: RecordedOutput): boolean =>
  output.task === task && output.index === index;
