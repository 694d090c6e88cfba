// The clerk: puts on record what jobs say, and lets each go on when that is on disk where it must be, and when there
// is still money for what it is about to send.
import { type Bug, bugText } from '../../contract/base/bug.ts';
import { scrubbed } from '../../contract/base/scrub.ts';
import type { Happened } from '../journal/line.ts';
import { isNotTaken, notTaken } from '../journal/settled.ts';
import type { RunEvent } from '../report/run-event.ts';
import { count } from '../report/text.ts';
import type { Flight, Flights } from './flights.ts';
import type { Landing } from './jobs/job.ts';
import type { Journal, Notice, Runner } from './jobs/ports.ts';
import type { Purse } from './purse.ts';
import type { Refusals } from './refusals.ts';

export interface ClerkOptions {
  readonly journal: Journal;
  readonly runner: Runner;
  readonly purse: Purse;
  readonly flights: Flights;
  readonly refusals: Refusals;
  readonly onEvent: (event: RunEvent) => void;
}

/** The creation has its answer, or none. */
const isAnswer = (event: Happened): boolean =>
  event.event === 'created' || event.event === 'doubt' || isNotTaken(event);

/** How a job counts that a bug has ended. */
type Afterwards = Extract<Landing, { readonly end: 'doubt' | 'pending' | 'failed' }>;

interface Waiting {
  readonly key: string;
  /** It is about to send a creation. */
  readonly sends: boolean;
}

export class Clerk {
  readonly #o: ClerkOptions;
  /** By how much a step kind was charged above its estimate, at worst, as far as that was told. */
  readonly #told = new Map<string, number>();

  constructor(options: ClerkOptions) {
    this.#o = options;
  }

  /** True: a creation has its answer, or none, which others may wait for. */
  take(notices: readonly Notice[]): boolean {
    const durable: Waiting[] = [];
    let answered = false;
    for (const notice of notices) {
      if (notice.is === 'ended') continue;
      const { key } = notice;
      if (notice.is === 'ask') {
        this.#send(key);
        continue;
      }
      const event = this.#priced(key, notice.event);
      if (event === undefined) continue;
      this.#record(key, event);
      answered ||= isAnswer(event);
      if (notice.durable) durable.push({ key, sends: event.event === 'intent' });
      else this.#o.runner.proceed(key);
    }
    if (durable.length > 0) this.#sync(durable);
    return answered;
  }

  /** An intent is recorded with what it is expected to cost now; undefined: there is no money for it any more. */
  #priced(key: string, event: Happened): Happened | undefined {
    if (event.event !== 'intent') return event;
    const leave = this.#o.purse.recheck(key);
    if (leave.may) return { ...event, reserve: leave.reserve };
    this.#o.runner.decline(key, leave.why);
    return undefined;
  }

  #record(key: string, event: Happened): void {
    const { journal, purse, flights } = this.#o;
    const flight = flights.get(key);
    this.#remark(flight, event);
    journal.append([event]);
    purse.hear(flight, event);
    if (event.event === 'created') this.#o.refusals.taken(flight.step);
  }

  /** Jobs go on when the disk has what they said; nobody waits here, others' syncs are grouped meanwhile. */
  #sync(waiting: readonly Waiting[]): void {
    const { journal, runner } = this.#o;
    journal.sync().then(
      () => {
        for (const { key, sends } of waiting) {
          if (sends) this.#send(key);
          else runner.proceed(key);
        }
      },
      (error: unknown) => runner.fail(error),
    );
  }

  /** Right before a creation leaves: prices may have risen, or the purse been closed, since its intent was written. */
  #send(key: string): void {
    const { purse, runner, flights } = this.#o;
    const leave = purse.recheck(key);
    if (leave.may) return runner.proceed(key);
    const { order } = flights.get(key);
    if (order.operation === 'create') {
      const error = { code: 'withheld', message: leave.why };
      this.#record(key, notTaken(order.fingerprint, error));
    }
    runner.decline(key, leave.why);
  }

  /**
   * A bug ended a job in the middle, and what it leaves is told and recorded as what it is: with nothing but an intent on
   * record, its creation may have been paid.
   */
  afterBug(key: string, bug: Bug): Afterwards {
    const { order } = this.#o.flights.get(key);
    const { ledger } = this.#o.journal;
    this.#o.onEvent({ type: 'bug', task: order.task, ...bug });
    const why = scrubbed(bugText(bug));
    const state = 'fingerprint' in order ? ledger.job(order.fingerprint)?.state : undefined;
    if (order.operation === 'create' && state === 'intended')
      this.#record(key, { event: 'doubt', job: order.fingerprint, why });
    if (state === 'intended' || state === 'doubt') return { end: 'doubt', why };
    // Paid: the next run goes on with it.
    if (state === 'created' || state === 'complete') return { end: 'pending', why };
    return { end: 'failed', why, again: false, code: 'bug' };
  }

  /** Charges that are not what was expected are said, with their projects. */
  #remark({ order, charged }: Flight, event: Happened): void {
    const { onEvent, purse, journal } = this.#o;
    if (event.event === 'settled' && charged > 0 && event.credits > charged) {
      const added = count(event.credits - charged, 'credit');
      const project = journal.ledger.job(event.job)?.project ?? '';
      const message = `${order.task}: the service added ${added} to what it had charged for project ${project}`;
      onEvent({ type: 'warning', message });
    }
    if (event.event !== 'created') return;
    const reserve = purse.reserveOf(order.key);
    const over = reserve > 0 ? event.credits / reserve : 1;
    if (over <= (this.#told.get(order.kind) ?? 1)) return;
    this.#told.set(order.kind, over);
    const message =
      `${order.task}: project ${event.project} was charged ${count(event.credits, 'credit')} where ${reserve} were expected; ` +
      'the estimates of what is still to come are raised';
    onEvent({ type: 'warning', message });
  }
}
