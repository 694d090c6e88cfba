// What a person sees of a run at one moment, folded from its events. Each event costs the same, whatever the number of
// items; what is kept is a few counts, what is at work, and the last few events.
import { creditDollarsOn } from '../../contract/api/tier.ts';
import type { RunEvent } from '../../run/run-event.ts';
import { type Happening, keepLast } from './happening.ts';
import { StepProgress } from './step-progress.ts';
import { isLate, timeLeft } from './time-left.ts';

export interface LiveOptions {
  /** The name of the pipeline. */
  readonly pipeline: string;
  /** The speed of a rehearsal relative to the hosted service; undefined if unknown. */
  readonly speed: number | undefined;
  /** The user's own price of a credit in US dollars; undefined: that of the account's plan. */
  readonly creditDollars?: number | undefined;
  /** When the run began, in milliseconds of any clock. All other times are of the same clock. */
  readonly began: number;
}

export interface ItemCounts {
  readonly total: number;
  readonly done: number;
  /** With a failed task, and none in doubt. */
  readonly failed: number;
  readonly doubt: number;
  /** Over, but neither done nor failed: blocked, left for later. */
  readonly open: number;
}

interface OpenItem {
  since?: number;
  credits: number;
  trouble?: 'failed' | 'doubt';
}

export interface TaskAtWork {
  readonly task: string;
  readonly forMs: number;
  /** It takes several times as long as usual. */
  readonly late?: boolean;
}

interface AtWork {
  readonly step: StepProgress | undefined;
  readonly since: number;
}

export class LiveView {
  readonly pipeline: string;
  readonly began: number;
  rehearsal = false;
  stage: Stage = { is: 'planning', seen: 0, of: 0 };
  /** Credits that the run was charged, also for projects that still render. */
  charged = 0;
  /** The most that the plan may take; undefined if nobody knows. */
  planned: number | undefined;
  budget: number | undefined;
  /** The price of a credit in US dollars; undefined if unknown, and in a rehearsal. */
  creditDollars: number | undefined;
  /** Rises with everything that a view may show. */
  version = 0;
  #speed: number | undefined;
  #steps = new Map<string, StepProgress>();
  #items = { total: 0, done: 0, failed: 0, doubt: 0, open: 0 };
  /** Finished items for which the run did something. */
  #changed = 0;
  /** Items in progress, and tasks at work. */
  readonly #open = new Map<string, OpenItem>();
  readonly #atWork = new Map<string, AtWork>();
  #firstBegin: number | undefined;
  /** The sum over time of the number of tasks at work, in milliseconds, up to `#summedAt`. */
  #busyMs = 0;
  #summedAt = 0;
  readonly #troubles: Happening[] = [];
  readonly #done: Happening[] = [];

  constructor({ pipeline, speed, creditDollars, began }: LiveOptions) {
    this.creditDollars = creditDollars;
    this.pipeline = pipeline;
    this.began = began;
    this.#speed = speed;
  }

  /** The plan has looked at so many items. */
  look(seen: number, of: number): void {
    this.version += 1;
    if (this.stage.is === 'planning') this.stage = { is: 'planning', seen, of };
  }

  take(event: RunEvent, now: number): void {
    this.version += 1;
    switch (event.type) {
      case 'started':
        this.rehearsal = event.rehearsal;
        if (event.rehearsal) this.creditDollars = undefined;
        else this.#speed ??= 1;
        return;
      case 'account':
        if (!this.rehearsal) this.creditDollars ??= creditDollarsOn(event.tier);
        return;
      case 'planned':
        return this.#plan(event);
      case 'begun':
        return this.#begin(event, now);
      case 'charged':
        this.charged += event.credits;
        return;
      case 'task':
        return this.#end(event, now);
      case 'item':
        return this.#itemOver(event, now);
      case 'waiting':
        if (this.stage.is === 'stopping') return;
        this.stage = { is: 'waiting', why: event.why, since: this.#waitingSince(now) };
        return;
      case 'back':
        if (this.stage.is === 'waiting') this.stage = { is: 'working' };
        return;
      case 'stopping':
        this.stage = { is: 'stopping', why: event.why };
        return;
      default:
        return;
    }
  }

  #waitingSince(now: number): number {
    return this.stage.is === 'waiting' ? this.stage.since : now;
  }

  #plan({ plan, budget, usualMs = {} }: Extract<RunEvent, { type: 'planned' }>): void {
    this.#steps = new Map(
      plan.rows.map((row) => [row.step, new StepProgress(row, usualMs[row.kind])]),
    );
    this.#items.total = plan.items;
    this.planned = plan.unpriced + plan.uncounted > 0 ? undefined : plan.credits;
    this.budget = budget;
    if (this.stage.is === 'planning') this.stage = { is: 'connecting' };
  }

  #begin({ step, task, item }: Extract<RunEvent, { type: 'begun' }>, now: number): void {
    this.#work();
    this.#sumTo(now);
    this.#firstBegin ??= now;
    const progress = this.#steps.get(step);
    this.#atWork.set(task, { step: progress, since: now });
    progress?.begin();
    if (item !== undefined) this.#itemAt(item).since ??= now;
  }

  #end(event: Extract<RunEvent, { type: 'task' }>, now: number): void {
    this.#work();
    this.#sumTo(now);
    const { step, task, item, ending, credits, why } = event;
    const since = this.#atWork.get(task)?.since;
    const took = since === undefined ? undefined : now - since;
    this.#atWork.delete(task);
    this.#steps.get(step)?.end(ending, took);
    const more = why === undefined ? {} : { why };
    if (ending === 'failed' || ending === 'doubt')
      keepLast(this.#troubles, { what: ending, name: task, ...more });
    if (item === undefined) {
      if (took === undefined || ending !== 'done') return;
      return keepLast(this.#done, { what: 'done', name: task, credits, tookMs: took });
    }
    const open = this.#itemAt(item);
    open.credits += credits;
    if (ending === 'doubt' || (ending === 'failed' && open.trouble === undefined))
      open.trouble = ending;
  }

  #itemOver({ item, ok, changed }: Extract<RunEvent, { type: 'item' }>, now: number): void {
    const { since, credits, trouble } = this.#itemAt(item);
    this.#open.delete(item);
    this.#items[ok ? 'done' : (trouble ?? 'open')] += 1;
    if (changed) this.#changed += 1;
    if (!ok || !changed) return;
    const tookMs = since === undefined ? {} : { tookMs: now - since };
    keepLast(this.#done, { what: 'done', name: item, credits, ...tookMs });
  }

  #itemAt(key: string): OpenItem {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const open: OpenItem = { credits: 0 };
    this.#open.set(key, open);
    return open;
  }

  #work(): void {
    if (this.stage.is === 'connecting') this.stage = { is: 'working' };
  }

  #sumTo(now: number): void {
    this.#busyMs += this.#atWork.size * (now - this.#summedAt);
    this.#summedAt = now;
  }

  /** The tasks that have been at work the longest, and for how many milliseconds. */
  atWork(most: number, now: number): readonly TaskAtWork[] {
    // They began in the order of the map.
    const oldest = [...this.#atWork].slice(0, most);
    return oldest.map(([task, { step, since }]) => ({
      ...{ task, forMs: Math.max(0, now - since) },
      ...(this.stage.is === 'working' && isLate(step, now - since, this.#speed)
        ? { late: true }
        : {}),
    }));
  }

  get steps(): readonly StepProgress[] {
    return [...this.#steps.values()];
  }

  get items(): ItemCounts {
    return this.#items;
  }

  /** The share of the tasks that are over, from 0 to 1. */
  get share(): number {
    const [ended, total] = this.steps.reduce(
      ([ended, total], step) => [ended + step.ended, total + step.total],
      [0, 0],
    );
    return total === 0 ? 0 : ended / total;
  }

  /** Failures and doubts, the last first. */
  get troubles(): readonly Happening[] {
    return this.#troubles.toReversed();
  }

  get done(): readonly Happening[] {
    return this.#done.toReversed();
  }

  /** Finished items per minute; undefined if too few are finished for a rate. */
  rate(now: number): number | undefined {
    if (this.#changed < 3 || this.#firstBegin === undefined) return undefined;
    const minutes = (now - this.#firstBegin) / 60_000;
    return minutes <= 0 ? undefined : this.#changed / minutes;
  }

  /** In milliseconds; undefined if nobody knows. */
  timeLeft(now: number): number | undefined {
    const { planned, budget } = this;
    if (this.stage.is !== 'working' || this.#firstBegin === undefined) return undefined;
    // The run will stop on the way, and nobody knows where.
    if (budget !== undefined && (planned === undefined || planned > budget)) return undefined;
    const elapsedMs = now - this.#firstBegin;
    const busyMs = this.#busyMs + this.#atWork.size * (now - this.#summedAt);
    const parallel = elapsedMs <= 0 ? 0 : busyMs / elapsedMs;
    // What takes so much longer than usual has no usual end.
    const late = ({ step, since }: AtWork): boolean => isLate(step, now - since, this.#speed);
    if (this.#atWork.size > 0 && [...this.#atWork.values()].every(late)) return undefined;
    return timeLeft(this.steps, { parallel, elapsedMs, speed: this.#speed });
  }
}

// What a run does at one moment.

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
