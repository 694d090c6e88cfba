// The paid job. The intent is on disk before the request is sent, and the created project before anything uses it. A
// lost answer may still arrive as an event.

import { err, ok, type Result } from '../../base/result.ts';
import { scrubbed } from '../../base/scrub.ts';
import { type ApiFailure, explainFailure, remedy } from '../../contract/api/failure.ts';
import type { Project } from '../../contract/api/project.ts';
import { recordOf } from '../../contract/tools/all.ts';
import { pauseAfter } from '../../core/retry.ts';
import { outageCode } from '../../model/attempt.ts';
import { notTaken } from '../../model/settled.ts';
import type { CallPermit } from './circuit-breaker.ts';
import type { AwaitOrder, CreateOrder } from './job.ts';
import type { Asking, JobContext, Performance } from './job-context.ts';
import { outcomeOf, stopped } from './outcome.ts';
import { settle } from './settlement.ts';

export async function* create(order: CreateOrder, context: JobContext): Performance {
  const { fingerprint: job, task, kind, attempt, name, reserve, expectation } = order;
  const { measure } = expectation;
  // Wait before writing the intent: a crash during the wait then leaves nothing in doubt.
  const turn = await context.outages.readyToCreate();
  if (!turn.ok) return outcomeOf('read', turn.error);
  let answer: Sent;
  try {
    await context.pace();
    if (context.stop.aborted) return stopped;
    if (!context.outages.maySend(turn.value)) return { is: 'withheld', why: tooLate.message };
    context.inbox?.expect(name, recordOf(kind));
    const take = order.take === undefined ? {} : { take: order.take };
    const intent = { event: 'intent', job, task, kind, attempt, name, reserve, measure } as const;
    yield { durable: true, event: { ...intent, ...take } };
    answer = yield* sent(order, turn.value, context);
  } finally {
    context.outages.release(turn.value);
  }
  if (answer.is === 'made') return yield* created(order, answer.made, context);
  if (answer.is === 'withheld') return yield* withhold(order, answer.failure, context);
  return yield* notCreated(order, answer.failure, context);
}

interface Made {
  readonly project: string;
  readonly credits: number;
}

type Sent =
  | { readonly is: 'made'; readonly made: Made }
  | { readonly is: 'not-made'; readonly failure: ApiFailure }
  /** Certainly not accepted, for a reason that says nothing about the request: an outage, or a late permission. */
  | { readonly is: 'withheld'; readonly failure: ApiFailure };

const tooLate = {
  reason: 'late',
  message: 'other creations got no answer meanwhile',
} as const satisfies ApiFailure;

const notAlone = {
  reason: 'late',
  message: 'another run may be working on the state file',
} as const satisfies ApiFailure;

type SendAttempts = AsyncGenerator<Asking, Sent, void>;

/**
 * Sends the request. Repeats it only if it was certainly not accepted, and asks the budget each time, because prices
 * may have risen.
 */
async function* sent(order: CreateOrder, turn: CallPermit, context: JobContext): SendAttempts {
  for (let tries = 1; ; tries++) {
    if (!context.outages.maySend(turn)) return { is: 'withheld', failure: tooLate };
    if (context.isAlone?.() === false) return { is: 'withheld', failure: notAlone };
    const answer = ownAnswer(await answered(order, context), order, context);
    const outage = context.outages.hearOfCreation(answer, turn);
    if (answer.ok) return { is: 'made', made: answer.value };
    const failure = answer.error;
    if (failure.reason === 'late') return { is: 'withheld', failure };
    if (remedy('create', failure) !== 'retry') return { is: 'not-made', failure };
    if (outage || context.outages.holdCreations) return { is: 'withheld', failure };
    if (tries >= order.attempts) return { is: 'not-made', failure };
    await pauseAfter(failure, tries, context);
    await context.pace();
    if (context.stop.aborted)
      return { is: 'not-made', failure: { reason: 'aborted', message: '' } };
    yield { ask: 'send' };
  }
}

/**
 * Records before the wait that the creation was not accepted. After the wait it begins again, and no attempt is used
 * up.
 */
async function* withhold(
  { fingerprint: job, name }: CreateOrder,
  failure: ApiFailure,
  { inbox }: JobContext,
): Performance {
  const why = scrubbed(explainFailure(failure));
  inbox?.known(name);
  const error = { code: outageCode, message: why };
  yield { durable: true, event: notTaken(job, error) };
  return { is: 'withheld', why };
}

/** The service's answer or an event that names the attempt, whichever comes first: both name the project. */
async function answered(
  order: CreateOrder,
  context: JobContext,
): Promise<Result<Made, ApiFailure>> {
  const { inbox } = context;
  if (inbox === undefined) return await send(order, context);
  const early = inbox.told(order.name);
  if (early !== undefined) return ok(madeOf(order, early));
  const known = new AbortController();
  const answer = send(order, context, known.signal);
  const event = inbox
    .waitFor(order.name, known.signal)
    .then((told) => (told === undefined ? answer : ok(madeOf(order, told))));
  const first = await Promise.race([answer, event]);
  known.abort();
  return first;
}

async function send(
  { kind, name, body, reserve }: CreateOrder,
  context: JobContext,
  known?: AbortSignal,
): Promise<Result<Made, ApiFailure>> {
  const made = await context.api.create(kind, { ...body, name }, known);
  return made.ok ? ok({ project: made.value.id, credits: made.value.credits ?? reserve }) : made;
}

/** An answer with the project of another creation says nothing about this one: it may be paid, or not. */
function ownAnswer(
  answer: Result<Made, ApiFailure>,
  { name }: CreateOrder,
  { projects }: JobContext,
): Result<Made, ApiFailure> {
  if (!answer.ok || projects.claim(answer.value.project, name)) return answer;
  const message = `the service answered with project ${answer.value.project}, which belongs to another creation`;
  return err({ reason: 'unanswered', message });
}

/** The project of a creation, from an event with its record. */
function madeOf({ reserve }: CreateOrder | AwaitOrder, told: Project): Made {
  const credits = told.credits_charged ?? (told.status === 'error' ? 0 : reserve);
  return { project: told.id, credits };
}

/** Paid: recorded before anything uses the project, and before an event about it is answered. */
async function* created(
  order: CreateOrder | AwaitOrder,
  { project, credits }: Made,
  context: JobContext,
): Performance {
  const { fingerprint: job, name } = order;
  const { inbox, clock } = context;
  const [since, began] = [clock.now(), clock.elapsed()];
  inbox?.endSignalOf(project, name);
  yield { durable: true, event: { event: 'created', job, project, credits } };
  inbox?.known(name);
  const paid = { ...order, project, credits, since };
  return yield* settle(paid, clock.elapsed() - began, context);
}

async function* notCreated(
  order: CreateOrder,
  failure: ApiFailure,
  context: JobContext,
): Performance {
  const { inbox, clock } = context;
  const outcome = outcomeOf('create', failure);
  const why = scrubbed(explainFailure(failure));
  if (outcome.is === 'ended' && outcome.ending === 'doubt') {
    yield { durable: true, event: { event: 'doubt', job: order.fingerprint, why } };
    const told = await heard(order, clock.elapsed() + (inbox?.patienceMs ?? 0), context);
    if (told === undefined) return outcome;
    context.outages.toldByEvent();
    return yield* created(order, madeOf(order, told), context);
  }
  inbox?.known(order.name);
  const error = { code: failure.reason, message: why };
  yield { durable: false, event: notTaken(order.fingerprint, error) };
  return outcome;
}

/** For attempts in doubt since an earlier run: all of them are waited for at the same time. */
export async function* awaitEvent(order: AwaitOrder, context: JobContext): Performance {
  const told = await heard(order, context.inbox?.patientUntil ?? 0, context);
  if (told !== undefined) return yield* created(order, madeOf(order, told), context);
  const why =
    'in doubt: the answer to its creation was lost, and no event has said what became of it';
  return { is: 'ended', ending: 'doubt', why };
}

/** The record of an attempt in doubt, from an event; undefined if none came in time. */
async function heard(
  { name }: CreateOrder | AwaitOrder,
  until: number,
  { inbox, clock, stop, projects }: JobContext,
): Promise<Project | undefined> {
  if (inbox === undefined) return undefined;
  const over = new AbortController();
  const enough = AbortSignal.any([stop, over.signal]);
  const patience = clock
    .sleep(Math.max(0, until - clock.elapsed()), enough)
    .then(() => over.abort());
  const told = await inbox.waitFor(name, enough);
  over.abort();
  await patience;
  return told !== undefined && projects.claim(told.id, name) ? told : undefined;
}
