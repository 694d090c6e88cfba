// The one function that moves a job. What it does not allow is a corrupt journal, or a bug that would cost money:
// nothing that was paid for and not refunded can become `failed`, and nothing in doubt can begin again.
import { err, ok, type Result } from '../base/result.ts';
import type { EventLine, JobLine } from './line.ts';

/** The events that are about a job. */
export type JobEvent = Extract<EventLine, { readonly job: string }>;

export const isJobEvent = (event: EventLine): event is JobEvent => 'job' in event;

type Move = Result<JobLine, string>;

export function stateAfter(before: JobLine | undefined, event: JobEvent): Move {
  const illegal = (): Move =>
    err(`${event.event} cannot follow ${before?.state ?? 'nothing'} (job ${event.job})`);
  switch (event.event) {
    case 'supplied':
      if (before !== undefined && before.state !== 'supplied') return illegal();
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
      if (before !== undefined && before.state !== 'failed' && before.state !== 'deleted')
        return illegal();
      return ok({
        job: event.job,
        kind: event.kind,
        state: 'intended',
        tasks: withTask(before?.tasks, event.task),
        attempt: event.attempt,
        at: event.at,
        name: event.name,
        reserve: event.reserve,
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
      if (before?.state !== 'created') return illegal();
      return ok({
        ...before,
        state: event.status === 'complete' ? 'complete' : 'failed',
        at: event.at,
        credits: event.credits,
        ...(event.result === undefined ? {} : { result: event.result }),
        ...(event.error === undefined ? {} : { error: event.error }),
      });
    case 'refused':
      if (before?.state !== 'intended' && before?.state !== 'doubt') return illegal();
      return ok({ ...before, state: 'failed', at: event.at, error: event.error });
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
    case 'deleted':
      if (before?.state !== 'complete') return illegal();
      return ok({
        ...before,
        state: 'deleted',
        at: event.at,
        tasks: withTask(before.tasks, event.task),
      });
  }
}

function withTask(tasks: readonly string[] | undefined, task: string): string[] {
  return [...new Set([...(tasks ?? []), task])].sort();
}

type OutputEvent = Extract<JobEvent, { readonly event: 'output' }>;

function withOutput(
  outputs: NonNullable<JobLine['outputs']>,
  event: OutputEvent,
): NonNullable<JobLine['outputs']> {
  const { task, index, path, bytes, sha256 } = event;
  const others = outputs.filter((output) => output.task !== task || output.index !== index);
  return [...others, { task, index, path, bytes, sha256 }].sort(
    (a, b) => (a.task < b.task ? -1 : a.task > b.task ? 1 : 0) || a.index - b.index,
  );
}

function without<K extends keyof JobLine>(job: JobLine, ...keys: readonly K[]): Omit<JobLine, K> {
  const copy = { ...job };
  for (const key of keys) delete copy[key];
  return copy;
}
