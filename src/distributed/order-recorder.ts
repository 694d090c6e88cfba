// Records what becomes of one order of a worker, and asks before it pays. The rules of a creation that may have been begun
// before are here (engine.md, "Why nothing is paid twice").
import { unreachable } from '../base/result.ts';
import type { NewEvent } from '../model/line.ts';
import { notTaken } from '../model/settled.ts';
import type { Recorder } from '../run/jobs/drive.ts';
import type { AttachOrder, AwaitOrder, CreateOrder, JobOutcome } from '../run/jobs/job.ts';
import { stopped } from '../run/jobs/outcome.ts';
import type { Clock, Intent, Permission } from '../run/jobs/ports.ts';
import type { BatchedRecorder } from './batched-recorder.ts';
import {
  type BegunJob,
  type ClaimAnswer,
  eventFact,
  type IssuedOrder,
  isOfAttempt,
  type Lease,
} from './database/batch.ts';
import type { Promptness } from './promptness.ts';

export interface OrderRecorderOptions {
  readonly issued: IssuedOrder;
  readonly lease: Lease;
  /** Unique to the process. */
  readonly worker: string;
  readonly batchedRecorder: BatchedRecorder;
  readonly promptness: Promptness;
  readonly clock: Clock;
  /** Aborted when the order must end soon. */
  readonly stop: AbortSignal;
}

const go: Permission = { is: 'go' };

export class OrderRecorder implements Recorder {
  readonly #o: OrderRecorderOptions;
  #facts = 0;
  /** No record says that the order has begun. */
  #silent = true;
  /** The attempt that this order has begun. */
  #begun: Intent | undefined;

  constructor(options: OrderRecorderOptions) {
    this.#o = options;
  }

  /** Says that the order is being performed, if nothing else has said so for some time. */
  remind(): void {
    if (!this.#silent) return;
    void this.#o.batchedRecorder.fact({ ...this.#head(), is: 'begun' });
  }

  async claim(intent: Intent): Promise<Permission> {
    const answer = await this.#ask(intent, false);
    if (answer.is === 'exists') return this.#existing(intent, answer);
    if (answer.is !== 'go') return permissionOf(answer);
    this.#silent = false;
    this.#begun = intent;
    return go;
  }

  async again(): Promise<Permission> {
    const intent = this.#begun;
    if (intent === undefined) throw new Error('bug: nothing was begun that could be sent again');
    const permission = permissionOf(await this.#ask(intent, true));
    if (permission.is === 'go') return go;
    // It was certainly not accepted, so it must not stay in doubt.
    const message = 'it is not sent again';
    await this.record(notTaken(intent.job, { code: 'withheld', message }), true);
    return permission;
  }

  async record(event: NewEvent, durable: boolean): Promise<Permission> {
    const { order } = this.#o.issued;
    const name = this.#begun?.name ?? (order.operation === 'await' ? order.name : undefined);
    if (isOfAttempt(event) && this.#begun !== undefined) this.#o.promptness.over(this.#begun.name);
    const written = this.#o.batchedRecorder.fact(eventFact(this.#head(), event, name));
    if (!durable) return go;
    if ((await written) !== 'refused') return go;
    const why = `the database does not accept that it was ${event.event}: see the warnings of the run`;
    return over({ is: 'ended', ending: event.event === 'created' ? 'doubt' : 'pending', why });
  }

  /** True if the end counts: else the order was delivered to another worker meanwhile. */
  async end(outcome: JobOutcome): Promise<boolean> {
    const { batchedRecorder, lease, issued } = this.#o;
    const { key } = issued.order;
    const next = nextOf(issued, outcome);
    if (next === undefined) return await batchedRecorder.end({ is: 'ended', lease, key, outcome });
    return await batchedRecorder.end({
      is: 'parked',
      lease,
      next: next.issued,
      afterMs: next.afterMs,
    });
  }

  #head(): { readonly id: string; readonly key: string } {
    const { worker, lease, issued } = this.#o;
    this.#silent = false;
    this.#facts += 1;
    return { id: `${worker}/${lease.id}/${lease.retry}/${this.#facts}`, key: issued.order.key };
  }

  async #ask(intent: Intent, again: boolean): Promise<ClaimAnswer> {
    const { batchedRecorder, lease, issued, promptness, clock, stop } = this.#o;
    const { epoch, seen, order } = issued;
    for (;;) {
      promptness.asking(intent.name);
      const ask = { lease, epoch, seen, key: order.key, intent, again };
      const answer = await batchedRecorder.ask(ask);
      if (answer.is !== 'wait') return answer;
      await clock.sleep(answer.ms, stop);
      if (stop.aborted) return { is: 'closed', why: stopped.why };
    }
  }

  /** The attempt was begun under an earlier lease, or the job is not what the coordinator took it for. */
  async #existing(intent: Intent, job: BegunJob): Promise<Permission> {
    const { order } = this.#o.issued;
    if (!job.same || order.operation !== 'create')
      return over({ is: 'withheld', why: `it is ${job.state} already` });
    switch (job.state) {
      case 'intended': {
        const why = 'a worker began it, and was gone before its answer was recorded';
        this.#begun = intent;
        const doubt = { event: 'doubt', job: intent.job, why, silent: true } as const;
        const said = await this.record(doubt, true);
        // Meanwhile, the other worker has recorded its answer.
        if (said.is !== 'go') return await this.claim(intent);
        return over({ is: 'ended', ending: 'doubt', why });
      }
      case 'doubt':
        return over({ is: 'ended', ending: 'doubt', why: 'its answer was lost' });
      case 'created':
      case 'complete':
        return job.project === undefined
          ? over({ is: 'withheld', why: `it is ${job.state} without a project` })
          : { is: 'instead', order: attachTo(order, job.project, job) };
      default:
        return over({ is: 'withheld', why: `it is ${job.state} already` });
    }
  }
}

const over = (outcome: JobOutcome): Permission => ({ is: 'over', outcome });

function permissionOf(answer: ClaimAnswer): Permission {
  switch (answer.is) {
    case 'go':
      return go;
    case 'exists':
      return over({ is: 'withheld', why: `it is ${answer.state} already` });
    case 'stale':
      return over({ is: 'withheld', why: 'the order is no longer valid' });
    case 'repriced':
      return over({ is: 'withheld', why: 'prices rose while it waited' });
    case 'closed':
      return over({ is: 'withheld', why: answer.why });
    case 'budget':
      return over({ is: 'withheld', why: 'the budget does not cover it' });
    case 'wait':
      throw new Error('bug: a wait is not an answer');
    default:
      return unreachable(answer);
  }
}

function attachTo(order: CreateOrder, project: string, job: BegunJob): AttachOrder {
  return {
    ...attachFor(order),
    project,
    timeoutMs: order.timeoutMs,
    settled: job.state !== 'created',
    since: Date.parse(job.at),
    credits: job.credits,
  };
}

/** What an order to follow a project takes over from the order before it. */
function attachFor({
  key,
  task,
  kind,
  attempts,
  fingerprint,
  saveTo,
}: CreateOrder | AttachOrder | AwaitOrder) {
  const same = { operation: 'attach', key, task, kind, attempts, fingerprint } as const;
  return saveTo === undefined ? same : { ...same, saveTo };
}

/** The order that goes on with a project that still renders. */
function nextOf(
  { order, epoch, seen }: IssuedOrder,
  outcome: JobOutcome,
): { readonly issued: IssuedOrder; readonly afterMs: number } | undefined {
  if (outcome.is !== 'ended' || outcome.rest === undefined) return undefined;
  if (order.operation !== 'create' && order.operation !== 'attach' && order.operation !== 'await')
    throw new Error(`bug: an order to ${order.operation} renders nothing`);
  const { seenMs, pauseMs, ...rest } = outcome.rest;
  const next: AttachOrder = {
    ...attachFor(order),
    settled: false,
    ...rest,
    ...(order.operation === 'attach' && order.adopted === true ? { adopted: true } : {}),
  };
  return { issued: { order: next, epoch, seen, seenMs }, afterMs: pauseMs };
}
