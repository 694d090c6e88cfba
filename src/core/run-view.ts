// A run at one moment, folded from its events. The summary, the live screen and the live file of a run are functions of it.
// Credits are not: their one account is the ledger, and `charged` only says what the run has told so far.
import { creditDollarsOn } from '../contract/api/tier.ts';
import type { OutageEvent, RunEvent } from './run-event.ts';
import { Tally } from './tally.ts';

interface RunViewOptions {
  /** The name of the pipeline. */
  readonly pipeline: string;
  /** The speed of a rehearsal relative to the hosted service; undefined if unknown. */
  readonly speed: number | undefined;
  /** When the run began, in milliseconds of any clock. All other times are of the same clock. */
  readonly began: number;
}

/** What the run does, as a whole. */
type Stage =
  /** Looking at items and their files; `of` is 0 as long as the number is unknown. */
  | { readonly is: 'planning'; readonly seen: number; readonly of: number }
  /** Planned; nothing has begun yet. */
  | { readonly is: 'connecting' }
  | { readonly is: 'working' }
  /** The service does not answer. */
  | { readonly is: 'waiting'; readonly why: string; readonly since: number }
  | { readonly is: 'stopping'; readonly why: string };

export class RunView {
  readonly pipeline: string;
  readonly began: number;
  rehearsal = false;
  /** Of the service, relative to the hosted one; undefined if unknown. */
  speed: number | undefined;
  stage: Stage = { is: 'planning', seen: 0, of: 0 };
  /** Credits that the run was charged, also for projects that still render. */
  charged = 0;
  planned: Extract<RunEvent, { type: 'planned' }> | undefined;
  /** The price of a credit in US dollars by the account's plan; undefined if unknown, and in a rehearsal. */
  creditDollars: number | undefined;
  /** Rises with everything that anybody may see. */
  version = 0;
  /** Of the walk that the events tell of, which does the folding itself. */
  tally = new Tally();
  /** The outages that last, the last told last. */
  readonly #outages = new Map<string, Extract<Stage, { is: 'waiting' }>>();

  constructor({ pipeline, speed, began }: RunViewOptions) {
    this.pipeline = pipeline;
    this.speed = speed;
    this.began = began;
  }

  /** The plan has looked at so many items. */
  look(seen: number, of: number): void {
    this.version += 1;
    if (this.stage.is === 'planning') this.stage = { is: 'planning', seen, of };
  }

  /** A walk begins that the events will tell of. */
  walk(): Tally {
    const { plan, usualMs } = this.planned ?? {};
    this.tally = new Tally(plan?.rows, usualMs);
    return this.tally;
  }

  take(event: RunEvent, now: number): void {
    this.version += 1;
    switch (event.type) {
      case 'started':
        this.rehearsal = event.rehearsal;
        if (!event.rehearsal) this.speed ??= 1;
        return;
      case 'account':
        if (!this.rehearsal) this.creditDollars = creditDollarsOn(event.tier);
        return;
      case 'planned':
        this.planned = event;
        this.walk();
        if (this.stage.is === 'planning') this.stage = { is: 'connecting' };
        return;
      case 'begun':
      case 'task':
        if (this.stage.is === 'connecting') this.stage = { is: 'working' };
        return;
      case 'charged':
        this.charged += event.credits;
        return;
      case 'waiting': {
        const name = nameOf(event);
        const { since = now } = this.#outages.get(name) ?? {};
        this.#outages.delete(name);
        this.#outages.set(name, { is: 'waiting', why: event.why, since });
        return this.#awaitOutages();
      }
      case 'back':
        this.#outages.delete(nameOf(event));
        return this.#awaitOutages();
      case 'stopping':
        this.stage = { is: 'stopping', why: event.why };
        return;
    }
  }

  #awaitOutages(): void {
    const waiting = [...this.#outages.values()].at(-1);
    if (this.stage.is === 'stopping') return;
    if (waiting !== undefined) this.stage = waiting;
    else if (this.stage.is === 'waiting') this.stage = { is: 'working' };
  }

  /** True during an outage of this kind. */
  isAway(of: OutageEvent['of']): boolean {
    return [...this.#outages.keys()].some((name) => name.split(' ', 1)[0] === of);
  }
}

const nameOf = (event: OutageEvent): string =>
  event.of === 'storage' ? `${event.of} ${event.at}` : event.of;
