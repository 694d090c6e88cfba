// The paid job. The intent is on disk above the request, what was created above everything that uses it. An answer
// that was lost may still come as an event.
import { type ApiFailure, explainFailure, remedy, worthAnotherAttempt } from '../api/failure.ts';
import type { Project, RecordKind } from '../api/project.ts';
import { ok, type Result, unreachable } from '../base/result.ts';
import { toolNamed } from '../kinds/tools.ts';
import { lastingOf, liveProject } from '../task/outputs.ts';
import type { AttachOrder, AwaitOrder, CreateOrder, Outcome } from './job.ts';
import type { Performance, Recorded } from './performance.ts';
import { pauses, rarerWithNews } from './poll.ts';
import { patiently } from './retry.ts';
import { scrubbed } from './scrub.ts';
import type { World } from './world.ts';

export async function* create(order: CreateOrder, world: World): Performance {
  const { fingerprint: job, task, kind, attempt, name, reserve } = order;
  world.news?.expect(name, recordOf(kind));
  yield { durable: true, event: { event: 'intent', job, task, kind, attempt, name, reserve } };
  const made = await answered(order, world);
  if (!made.ok) return yield* notCreated(order, made.error, world);
  return yield* created(order, made.value, world);
}

interface Made {
  readonly project: string;
  readonly credits: number;
}

/** The service's answer or an event that names the attempt, whichever comes first: both say what was made. */
async function answered(order: CreateOrder, world: World): Promise<Result<Made, ApiFailure>> {
  const { news } = world;
  if (news === undefined) return await send(order, world);
  const known = new AbortController();
  // Once an event has come, nothing may be sent again, and nobody waits for the answer.
  const stop = AbortSignal.any([world.stop, known.signal]);
  const answer = send(order, { ...world, stop }, known.signal);
  const event = news
    .hear(order.name, known.signal)
    .then((told) => (told === undefined ? answer : ok(madeOf(order, told))));
  const first = await Promise.race([answer, event]);
  known.abort();
  return first;
}

async function send(
  { kind, name, attempts, body }: CreateOrder,
  world: World,
  known?: AbortSignal,
): Promise<Result<Made, ApiFailure>> {
  const made = await patiently('create', attempts, world, () =>
    world.api.create(kind, { ...body, name }, known),
  );
  return made.ok ? ok({ project: made.value.id, credits: made.value.credits_charged }) : made;
}

/** An event says what was made, in the words of a project's record. */
function madeOf({ reserve }: CreateOrder | AwaitOrder, told: Project): Made {
  const credits = told.credits_charged ?? (told.status === 'error' ? 0 : reserve);
  return { project: told.id, credits };
}

/** Paid: known for ever before anything uses it, and before an event that says so is answered. */
async function* created(
  order: CreateOrder | AwaitOrder,
  { project, credits }: Made,
  world: World,
): Performance {
  const { fingerprint: job, name } = order;
  yield { durable: true, event: { event: 'created', job, project, credits } };
  world.news?.known(name);
  return yield* settle({ ...order, project, credits }, world);
}

async function* notCreated(order: CreateOrder, failure: ApiFailure, world: World): Performance {
  const { news, clock } = world;
  const why = scrubbed(explainFailure(failure));
  const what = remedy('create', failure);
  if (what === 'doubt') {
    yield { durable: true, event: { event: 'doubt', job: order.fingerprint, why } };
    const told = await heard(order, clock.now() + (news?.patienceMs ?? 0), world);
    if (told === undefined) return { end: 'doubt', why };
    return yield* created(order, madeOf(order, told), world);
  }
  news?.known(order.name);
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

/** In doubt since an earlier run: all such attempts are waited for at the same time, not one after the other. */
export async function* awaitNews(order: AwaitOrder, world: World): Performance {
  const told = await heard(order, world.news?.patientUntil ?? 0, world);
  if (told !== undefined) return yield* created(order, madeOf(order, told), world);
  const { name, begun } = order;
  const why = `in doubt: a creation named "${name}" was begun ${begun}, and no event has said what became of it`;
  return { end: 'doubt', why };
}

/** What an event says of an attempt in doubt; undefined: none came in time. */
async function heard(
  { name }: CreateOrder | AwaitOrder,
  until: number,
  { news, clock, stop }: World,
): Promise<Project | undefined> {
  if (news === undefined) return undefined;
  const over = new AbortController();
  const enough = AbortSignal.any([stop, over.signal]);
  const patience = clock.sleep(Math.max(0, until - clock.now()), enough).then(() => over.abort());
  const told = await news.hear(name, enough);
  over.abort();
  await patience;
  return told;
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

/** Waits until a project is over; an event that says so ends a pause early. The record is the truth all the same. */
async function* settle(paid: Paid, world: World): Performance {
  const { project } = paid;
  const { clock, stop, news } = world;
  const until = clock.now() + paid.timeoutMs;
  const waits = pauses((toolNamed(paid.kind)?.medianSeconds ?? 10) / world.haste);
  const rarer = news === undefined ? 1 : rarerWithNews;
  try {
    for (;;) {
      const pause = waits.next().value * rarer;
      // From before the read: what happens while it is on its way counts as news.
      const bell = news?.bell(project);
      const read = await readProject(paid, world);
      if (!read.ok) return unreadable(read.error);
      const over = overWith(paid, read.value);
      if (over !== undefined) {
        yield over.settled;
        return over.outcome;
      }
      const left = until - clock.now();
      if (left <= 0) {
        const why = `project ${project} is still ${read.value.status} after its timeout`;
        return { end: 'pending', why };
      }
      const enough = bell === undefined ? stop : AbortSignal.any([stop, bell]);
      await clock.sleep(Math.min(pause, left), enough);
      if (stop.aborted) return { end: 'stopped' };
    }
  } finally {
    news?.unbell(project);
  }
}

interface Over {
  readonly settled: Recorded;
  readonly outcome: Outcome;
}

/** What a record says of a project that is over; undefined: it is not. */
function overWith({ fingerprint: job, credits: paid }: Paid, record: Project): Over | undefined {
  const credits = record.credits_charged ?? (record.status === 'error' ? 0 : paid);
  if (record.status === 'complete') {
    const result = lastingOf(record);
    const event = { event: 'settled', job, status: 'complete', credits, result } as const;
    return {
      settled: { durable: false, event },
      outcome: { end: 'done', live: liveProject(record) },
    };
  }
  if (record.status !== 'error' && record.status !== 'canceled') return undefined;
  const error = record.error ?? { code: record.status, message: 'stopped by hand in the hub' };
  const told = { code: error.code, message: scrubbed(error.message) };
  const event = { event: 'settled', job, status: record.status, credits, error: told } as const;
  const again = record.status === 'error' && worthAnotherAttempt(error.code);
  return {
    settled: { durable: false, event },
    outcome: { end: 'failed', why: `${told.code}: ${told.message}`, again },
  };
}

function readProject(
  { kind, project, attempts }: Pick<AttachOrder, 'kind' | 'project' | 'attempts'>,
  world: World,
): ReturnType<World['api']['project']> {
  return patiently<Project>('free', attempts, world, () =>
    world.api.project(recordOf(kind), project),
  );
}

const recordOf = (kind: string): RecordKind => toolNamed(kind)?.record ?? 'image';

function unreadable(failure: ApiFailure): Outcome {
  const why = scrubbed(explainFailure(failure));
  if (failure.reason === 'aborted') return { end: 'stopped' };
  if (failure.reason === 'unauthorized') return { end: 'stop', what: 'run', why, failure };
  return { end: 'pending', why: `its project could not be read: ${why}` };
}
