// The paid job. The intent is on disk above the request, what was created above everything that uses it.
import { type ApiFailure, explainFailure, remedy, worthAnotherAttempt } from '../api/failure.ts';
import type { Project } from '../api/project.ts';
import { unreachable } from '../base/result.ts';
import { toolNamed } from '../kinds/tools.ts';
import { lastingOf, liveProject } from '../task/outputs.ts';
import type { AttachOrder, CreateOrder, Outcome } from './job.ts';
import type { Performance } from './performance.ts';
import { pauses } from './poll.ts';
import { patiently } from './retry.ts';
import { scrubbed } from './scrub.ts';
import type { World } from './world.ts';

export async function* create(order: CreateOrder, world: World): Performance {
  const { fingerprint: job, task, kind, attempt, name, reserve } = order;
  yield { durable: true, event: { event: 'intent', job, task, kind, attempt, name, reserve } };
  const made = await patiently('create', order.attempts, world, () =>
    world.api.create(kind, { ...order.body, name }),
  );
  if (!made.ok) return yield* notCreated(order, made.error);
  const { id, credits_charged: credits } = made.value;
  yield { durable: true, event: { event: 'created', job, project: id, credits } };
  return yield* settle({ ...order, project: id, credits }, world);
}

async function* notCreated(order: CreateOrder, failure: ApiFailure): Performance {
  const why = scrubbed(explainFailure(failure));
  const what = remedy('create', failure);
  if (what === 'doubt') {
    yield { durable: true, event: { event: 'doubt', job: order.fingerprint, why } };
    return { end: 'doubt', why };
  }
  const error = { code: failure.reason, message: why };
  yield { durable: false, event: { event: 'refused', job: order.fingerprint, error } };
  switch (what) {
    case 'retry':
    case 'fail':
      return { end: 'failed', why, again: false };
    case 'resupply':
      return { end: 'resupply', why };
    case 'stop-step':
      return { end: 'stop', what: 'step', why, failure };
    case 'stop-paid':
      return { end: 'stop', what: 'paid', why, failure };
    case 'stop-run':
      return { end: 'stop', what: 'run', why, failure };
    case 'stopped':
      return { end: 'stopped' };
    default:
      return unreachable(what);
  }
}

/** Paid by an earlier run: its result is waited for, or read again for fresh addresses. */
export async function* attach(order: AttachOrder, world: World): Performance {
  if (!order.settled) return yield* settle(order, world);
  const record = await readProject(order, world);
  if (!record.ok) return unreadable(record.error);
  if (record.value.enabled === false)
    return { end: 'pending', why: `project ${order.project} was deleted elsewhere` };
  return { end: 'done', live: liveProject(record.value) };
}

type Paid = Pick<
  AttachOrder,
  'fingerprint' | 'kind' | 'project' | 'credits' | 'timeoutMs' | 'attempts'
>;

/** Waits until a project is over. Paid things cannot fail here: trouble in reading leaves it for the next run. */
async function* settle(paid: Paid, world: World): Performance {
  const { fingerprint: job, project } = paid;
  const { clock, stop } = world;
  const until = clock.elapsed() + paid.timeoutMs;
  const waits = pauses((toolNamed(paid.kind)?.medianSeconds ?? 10) / world.haste);
  for (;;) {
    const pause = waits.next().value;
    const read = await readProject(paid, world);
    if (!read.ok) return unreadable(read.error);
    const record = read.value;
    const credits = record.credits_charged ?? (record.status === 'error' ? 0 : paid.credits);
    if (record.status === 'complete') {
      const result = lastingOf(record);
      yield {
        durable: false,
        event: { event: 'settled', job, status: 'complete', credits, result },
      };
      return { end: 'done', live: liveProject(record) };
    }
    if (record.status === 'error' || record.status === 'canceled') {
      const error = record.error ?? { code: record.status, message: 'stopped by hand in the hub' };
      const told = { code: error.code, message: scrubbed(error.message) };
      yield {
        durable: false,
        event: { event: 'settled', job, status: record.status, credits, error: told },
      };
      const again = record.status === 'error' && worthAnotherAttempt(error.code);
      return { end: 'failed', why: `${told.code}: ${told.message}`, again };
    }
    if (clock.elapsed() + pause >= until)
      return {
        end: 'pending',
        why: `project ${project} is still ${record.status} after its timeout`,
      };
    await clock.sleep(pause, stop);
    if (stop.aborted) return { end: 'stopped' };
  }
}

function readProject(
  { kind, project, attempts }: Pick<AttachOrder, 'kind' | 'project' | 'attempts'>,
  world: World,
): ReturnType<World['api']['project']> {
  const record = toolNamed(kind)?.record ?? 'image';
  return patiently<Project>('free', attempts, world, () => world.api.project(record, project));
}

function unreadable(failure: ApiFailure): Outcome {
  const why = scrubbed(explainFailure(failure));
  if (failure.reason === 'aborted') return { end: 'stopped' };
  if (failure.reason === 'unauthorized') return { end: 'stop', what: 'run', why, failure };
  return { end: 'pending', why: `its project could not be read: ${why}` };
}
