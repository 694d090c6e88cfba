// The paid job. The intent is on disk above the request, what was created above everything that uses it.
import { type ApiFailure, explainFailure, remedy, worthAnotherAttempt } from '../api/failure.ts';
import type { Project, Taking } from '../api/project.ts';
import { err, type Result, unreachable } from '../base/result.ts';
import { toolNamed } from '../kinds/tools.ts';
import { liveProject } from '../task/outputs.ts';
import type { AttachOrder, CreateOrder, Outcome } from './job.ts';
import type { Asking, Performance } from './performance.ts';
import { pauses } from './poll.ts';
import { patiently, pauseAfter } from './retry.ts';
import { scrubbed } from './scrub.ts';
import { settlementOf } from './settlement.ts';
import type { World } from './world.ts';

export async function* create(order: CreateOrder, world: World): Performance {
  const { fingerprint: job, task, kind, attempt, name, reserve, expectation } = order;
  const { measure } = expectation;
  const intent = { event: 'intent', job, task, kind, attempt, name, reserve, measure } as const;
  yield { durable: true, event: intent };
  const made = yield* sent(order, world);
  if (!made.ok) return yield* notCreated(order, made.error);
  const { id, credits = reserve } = made.value;
  yield { durable: true, event: { event: 'created', job, project: id, credits } };
  return yield* settle({ ...order, project: id, credits }, world);
}

type Sending = AsyncGenerator<Asking, Result<Taking, ApiFailure>, void>;

/** Sends the request; again only while it was surely not taken, and each time with leave, since prices may have risen. */
async function* sent({ kind, body, name, attempts }: CreateOrder, world: World): Sending {
  for (let tries = 1; ; tries++) {
    const made = await world.api.create(kind, { ...body, name });
    if (made.ok || remedy('create', made.error) !== 'retry' || tries >= attempts) return made;
    await pauseAfter(made.error, tries, world);
    if (world.stop.aborted) return err({ reason: 'aborted', message: '' });
    yield { ask: 'send' };
  }
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
      return { end: 'failed', why, again: false, code: failure.reason };
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
    const settled = settlementOf(job, record, paid.credits);
    if (settled !== undefined) {
      yield { durable: false, event: settled };
      if (settled.error === undefined) return { end: 'done', live: liveProject(record) };
      const { code, message } = settled.error;
      const again = settled.status === 'error' && worthAnotherAttempt(code);
      return { end: 'failed', why: `${code}: ${message}`, again, code };
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
