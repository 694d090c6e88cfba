// May this be paid? The one object that says so: it knows the caps, what is charged or held by the record, and what is set aside
// for items that have begun. Under a cap, an item begins only if all that it still needs fits.
import { creditsOf } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { Measure } from '../model/record/line.ts';
import { CalendarBudget, type CalendarCaps, nextBeginsAt } from './calendar-budget.ts';
import { chargeFor } from './price.ts';
import type { Held } from './scope.ts';

/** In credits; a missing field is no cap. */
export interface Caps {
  /** Of this run, together with the interrupted one that it continues. */
  readonly run: number | undefined;
  /** What the account has, together with what this run has spent: set only if that may not be enough. */
  readonly balance?: number | undefined;
  readonly perItem: number | undefined;
  readonly calendar: CalendarCaps;
}

/** Something that an item pays for, by its request. `credits`: at most, if any task of the walk creates it; else 0. */
export interface Need {
  readonly fingerprint: string;
  readonly credits: number;
  readonly measure: Measure;
}

export type LimitOf = 'run' | 'day' | 'month' | 'balance';

/** Why a run buys nothing more, or not everything. */
export interface Closed {
  readonly because: 'budget' | 'credits' | 'machine' | 'failures' | 'left' | 'unanswered';
  readonly why: string;
  /** The cap that is reached. */
  readonly limit?: { readonly of: LimitOf; readonly most: number; readonly spent: number };
  /** Epoch milliseconds: when a day or a month with a new budget begins. */
  readonly until?: number | undefined;
}

interface Limit {
  readonly of: LimitOf;
  readonly most: number;
  readonly spent: number;
  /** The subject and the verb of a sentence. */
  readonly reached: string;
  readonly next?: { readonly until: number; readonly text: string };
}

export interface SpendingOptions {
  readonly ledger: Pick<Ledger, 'job' | 'totals' | 'since' | 'dearest' | 'lastSent'>;
  /** Whose charges count against the cap of the run; undefined: it has none yet. */
  readonly run: () => string | undefined;
  readonly caps: Caps;
  /** By item; '' are the steps that run once. */
  readonly needs: ReadonlyMap<string, readonly Need[]>;
  /** Items of which something is in the record: a cap that holds one of them back holds only that one back. */
  readonly begun: ReadonlySet<string>;
  readonly now: () => number;
  /** For a plan: nothing is ever given back. */
  readonly isPlan: boolean;
}

export class Spending {
  readonly #o: SpendingOptions;
  readonly #calendar: CalendarBudget;
  /** Credits that are set aside, by item. */
  readonly #held = new Map<string, number>();
  #heldSum = 0;
  /** Who has set aside what a request costs. */
  readonly #payers = new Map<string, string>();
  /** Requests that are sent or rendering: what they were charged may come back. */
  readonly #open = new Set<string>();
  /** By request: items that wait for what another one is to pay. */
  readonly #sharers = new Map<string, Set<string>>();
  /** Requests for which there is no room until something comes back, by who wants them. */
  readonly #waiting = new Map<string, string>();
  #turn: Promise<unknown> = Promise.resolve();
  #released = Promise.withResolvers<void>();
  /** Creations of a tool with settings of which no charge is known, of which one goes at a time. */
  readonly #firsts = new Map<string, Promise<void>>();
  /** By item: requests that only the run knows, such as those of the elements of a list. */
  readonly #found = new Map<string, Set<string>>();
  /** By kind of order: what one unit was charged when somebody last asked. */
  readonly #prices = new Map<string, number>();
  #isSettled = false;
  #closed: Closed | undefined;
  /** Why no further item begins, although those that have begun may still buy. */
  #full: Closed | undefined;
  /** A cap that held some items back. */
  #heldBack: Closed | undefined;
  readonly isCapped: boolean;

  constructor(options: SpendingOptions) {
    this.#o = options;
    const { run, balance, perItem, calendar } = options.caps;
    this.#calendar = new CalendarBudget(calendar);
    const hasCap = [run, balance, perItem].some((cap) => cap !== undefined);
    this.isCapped = hasCap || !this.#calendar.isEmpty;
  }

  /** No creation begins any more. The first reason stays. */
  close(closed: Closed): void {
    this.#closed ??= closed;
    this.#release();
  }

  get closed(): Closed | undefined {
    return this.#closed;
  }

  /** Why the run did not buy everything, once it is over. */
  get end(): Closed | undefined {
    return this.#closed ?? this.#full ?? this.#heldBack;
  }

  /**
   * Sets aside what an item still needs and nobody else pays for. Items are asked for in their order, and each waits as long as
   * those before it may give something back.
   */
  admit(item: string): Promise<true | Held> | true {
    if (!this.isCapped && this.#closed === undefined) return true;
    const admitted = this.#turn.then(() => this.#admit(item));
    this.#turn = admitted;
    return admitted;
  }

  async #admit(item: string): Promise<true | Held> {
    for (;;) {
      const released = this.#released.promise;
      if (this.#closed !== undefined) return heldBy(this.#closed);
      const { perItem } = this.#o.caps;
      const { spent, remaining, own, all } = this.costOf(item);
      if (all === 0 || !this.isCapped) return true;
      if (perItem !== undefined && item !== '' && spent + all > perItem)
        return tooDear(perItem, spent, all);
      const passed = this.#passed(remaining, this.#heldSum, 'the next item');
      const isShut = this.#full !== undefined && !this.#o.begun.has(item) && item !== '';
      if (passed === undefined && !isShut) {
        this.#setAside(item, remaining, own);
        return true;
      }
      if (passed === undefined) return heldBy(this.#full ?? notNow);
      if (passed.isTooDear && item !== '') return this.#holdBack(passed);
      if (!this.#mayReturn || this.#o.isPlan) {
        if (this.#o.begun.has(item)) return this.#holdBack(passed);
        this.#full ??= passed;
        return heldBy(passed);
      }
      await released;
    }
  }

  /** Something that has begun may give credits back. */
  get #mayReturn(): boolean {
    return this.#held.size > (this.#isSettled && this.#held.has('') ? 1 : 0);
  }

  #holdBack(closed: Closed): Held {
    this.#heldBack ??= closed;
    return heldBy(closed);
  }

  /** `spent`: for any of its requests, in any run; `all`: what it needs, whoever pays; `remaining`: without what another has set aside. */
  costOf(item: string) {
    let [spent, remaining, all] = [0, 0, 0];
    const own: string[] = [];
    const seen = new Set<string>();
    for (const { fingerprint, credits, measure } of this.#o.needs.get(item) ?? []) {
      if (seen.has(fingerprint)) continue;
      seen.add(fingerprint);
      spent += this.#spentFor(fingerprint);
      const cost = credits === 0 ? 0 : this.#dearer(credits, measure);
      all += cost;
      if (cost === 0 || (this.#payers.get(fingerprint) ?? item) !== item) continue;
      remaining += cost;
      own.push(fingerprint);
    }
    for (const request of this.#found.get(item) ?? [])
      if (!seen.has(request)) spent += this.#spentFor(request);
    return { spent, remaining, own, all };
  }

  #setAside(item: string, credits: number, requests: readonly string[]): void {
    for (const request of requests) this.#payers.set(request, item);
    this.#held.set(item, credits);
    this.#heldSum += credits;
  }

  /** What was charged for the same kind of order counts, if it is more than expected. */
  #dearer(credits: number, measure: Measure): number {
    return Math.max(credits, chargeFor(measure, { dearest: () => this.#dearest(measure) }));
  }

  /** The highest charge for one unit; 0 if there is none. Where all is refunded, the price that was seen before still counts. */
  #dearest(measure: Measure): number {
    const known = this.#o.ledger.dearest(measure) ?? 0;
    if (known === 0) return this.#prices.get(measure.of) ?? 0;
    this.#prices.set(measure.of, known);
    return known;
  }

  /**
   * Credits to reserve for a creation; the intent is committed in this same turn. Whoever has set the money aside pays, whoever of
   * those who share the result comes first. A promise: it may fit once something has come back, so ask again then.
   */
  draw(
    wanting: string,
    request: string,
    price: { credits: number | undefined; measure: Measure },
  ): number | Held | Promise<void> {
    if (this.#closed !== undefined) return heldBy(this.#closed);
    const credits = this.#dearer(price.credits ?? 0, price.measure);
    if (!this.isCapped) return credits;
    const item = this.#payers.get(request) ?? wanting;
    const held = this.#held.get(item) ?? 0;
    // Where prices have risen, whoever began first goes first.
    const earlier = held >= credits ? [] : this.#earlier(item, request);
    const before = earlier.reduce((sum, one) => sum + (this.#held.get(one) ?? 0), 0);
    const passed = this.#passed(credits, before, 'this');
    this.#waiting.delete(request);
    if (passed !== undefined) {
      const mayLeave = earlier.some((one) => this.#mayLeave(one, item));
      const later = passed.isTooDear ? undefined : this.#later(request, mayLeave);
      if (later !== undefined) this.#waiting.set(request, item);
      else this.#full ??= passed;
      return later ?? heldBy(passed);
    }
    const { perItem } = this.#o.caps;
    if (perItem !== undefined && item !== '') {
      const found = this.#found.get(item) ?? new Set<string>();
      this.#found.set(item, found.add(request));
      const { spent } = this.costOf(item);
      const wanted = Math.max(held, credits);
      if (spent + wanted > perItem) return tooDear(perItem, spent, wanted);
    }
    this.#hold(item, Math.max(0, held - credits));
    this.#open.add(request);
    return credits;
  }

  /** It renders, or is about to. */
  opens(request: string): void {
    this.#open.add(request);
  }

  /** Nothing of it comes back any more. */
  over(request: string): void {
    if (this.#open.delete(request)) this.#release();
  }

  #later(request: string, mayLeave = false): Promise<void> | undefined {
    this.over(request);
    return this.#open.size > 0 || mayLeave ? this.#released.promise : undefined;
  }

  /** An item waits for what another one is to pay. */
  joins(request: string, item: string): void {
    if (!this.isCapped) return;
    const sharers = this.#sharers.get(request) ?? new Set<string>();
    this.#sharers.set(request, sharers.add(item));
    if (this.#waiting.has(request)) this.#release();
  }

  /** Whoever began before this item, and gets nothing of this request. */
  #earlier(item: string, request: string): readonly string[] {
    const all = [...this.#held.keys()];
    const sharers = this.#sharers.get(request);
    const place = all.indexOf(item);
    return all.slice(0, place < 0 ? all.length : place).filter((one) => !sharers?.has(one));
  }

  /** False if it does not give back what it has set aside while the item waits. */
  #mayLeave(one: string, item: string): boolean {
    if ((this.#held.get(one) ?? 0) === 0 || (one === '' && this.#isSettled)) return false;
    return !this.#waitsFor(one, item, new Set());
  }

  /** For what the item is to pay, or for what somebody is to pay who waits for the item. */
  #waitsFor(one: string, item: string, seen: Set<string>): boolean {
    if (seen.has(one)) return false;
    seen.add(one);
    for (const [request, payer] of this.#waiting) {
      if (this.#sharers.get(request)?.has(one) !== true) continue;
      if (payer === item || this.#earlier(payer, request).includes(item)) return true;
      if (this.#waitsFor(payer, item, seen)) return true;
    }
    return false;
  }

  /** What a request was charged, or holds: each attempt counts, since one that is asked for again is paid again. */
  #spentFor(request: string): number {
    let sum = 0;
    for (const attempt of this.#o.ledger.job(request)?.attempts ?? [])
      if (!attempt.adopted && attempt.forgotten === undefined) sum += creditsOf(attempt);
    return sum;
  }

  /** Asked once more after the intent is on disk: its own reserve counts now, and others may have been charged more. */
  stillFits(request: string): true | Held | Promise<void> {
    if (this.#closed !== undefined && this.#closed.because !== 'budget')
      return heldBy(this.#closed);
    const passed = this.#passed(0, 0, 'this');
    if (passed === undefined) return this.#stillFitsItem(request);
    const later = this.#later(request);
    if (later !== undefined) return later;
    const why = `${passed.why.split(': ')[0]}: others were charged more than expected while this waited`;
    return heldBy({ ...passed, why });
  }

  #stillFitsItem(request: string): true | Held {
    const { caps, ledger } = this.#o;
    const item = this.#payers.get(request) ?? '';
    if (caps.perItem === undefined || item === '') return true;
    const { spent } = this.costOf(item);
    if (spent <= caps.perItem) return true;
    const own = ledger.job(request)?.attempts.at(-1)?.reserve ?? 0;
    return tooDear(caps.perItem, spent - own, own);
  }

  /** Under a cap, the first creation of a kind of order goes alone: only its charge is a reliable price. A refund shows none. */
  async first(tool: string, measure: Measure): Promise<{ over(): void }> {
    const nobody = { over: (): void => undefined };
    if (!this.isCapped) return nobody;
    while (this.#dearest(measure) === 0) {
      const other = this.#firsts.get(tool);
      if (other !== undefined) {
        await other;
        continue;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#firsts.set(tool, promise);
      return {
        over: () => {
          if (this.#firsts.get(tool) === promise) this.#firsts.delete(tool);
          resolve();
        },
      };
    }
    return nobody;
  }

  #hold(item: string, credits: number): void {
    const held = this.#held.get(item);
    if (held === undefined) return;
    this.#held.set(item, credits);
    this.#heldSum += credits - held;
  }

  /** What runs once gives nothing back any more while items wait. */
  settled(): void {
    this.#isSettled = true;
    this.#release();
  }

  /** An item buys nothing more: what it did not use is free. */
  leave(item: string): void {
    this.#found.delete(item);
    if (!this.#held.has(item)) return;
    this.#hold(item, 0);
    this.#held.delete(item);
    for (const { fingerprint } of this.#o.needs.get(item) ?? [])
      if (this.#payers.get(fingerprint) === item) this.#payers.delete(fingerprint);
    this.#release();
  }

  #release(): void {
    this.#released.resolve();
    this.#released = Promise.withResolvers();
  }

  // The caps of a whole run

  /** The cap with the least room, and the most that it ever leaves; undefined without such a cap. */
  get tightest(): { readonly of: LimitOf; readonly most: number } | undefined {
    return this.#least();
  }

  /** `more`: credits that are asked for, `held`: those that are set aside for others. */
  #passed(more: number, held: number, what: string): (Closed & { isTooDear: boolean }) | undefined {
    const least = this.#least();
    if (least === undefined || least.spent + held + more <= least.most) return undefined;
    const { of, most, reached, next } = least;
    const spent = least.spent + held;
    const isTooDear = more > most;
    const because = of === 'balance' ? 'credits' : 'budget';
    const all = of === 'balance' ? 'the account has' : 'a whole budget';
    // The next day would not help.
    const rest = isTooDear ? `, which is more than ${all}` : next && `; ${next.text}`;
    const why = `${reached}: ${spent} are spent or set aside, ${what} would take ${more}${rest ?? ''}`;
    const until = isTooDear ? undefined : next?.until;
    return { because, limit: { of, most, spent }, isTooDear, why, until };
  }

  #least(): Limit | undefined {
    let least: Limit | undefined;
    for (const limit of this.#limits())
      if (least === undefined || limit.most - limit.spent < least.most - least.spent) least = limit;
    return least;
  }

  *#limits(): Generator<Limit> {
    const { ledger, caps, now } = this.#o;
    const spent = spentBy(ledger, this.#o.run());
    const { run: most, balance } = caps;
    if (most !== undefined)
      yield { of: 'run', most, spent, reached: `the budget of ${most} credits is reached` };
    const isTooLittle = 'the account does not have enough credits';
    if (balance !== undefined) yield { of: 'balance', most: balance, spent, reached: isTooLittle };
    if (this.#calendar.isEmpty) return;
    for (const limit of this.#calendar.at(now(), ledger)) {
      const { per, name, until } = limit.period;
      const reached = `budget.per_${per} is reached, ${limit.most} credits for ${name}`;
      const next = { until, text: `the next ${per} begins at ${nextBeginsAt(limit)}` };
      yield { of: per, most: limit.most, spent: limit.spent, reached, next };
    }
  }
}

/** What a run was charged, with an interrupted one that it continues, and what is set aside, also since earlier runs. */
export const spentBy = (ledger: Pick<Ledger, 'totals'>, run: string | undefined): number =>
  (run === undefined ? 0 : ledger.totals(run).charged) + ledger.totals().reserved;

const notNow: Closed = { because: 'budget', why: 'a cap is reached' };

const heldBy = ({ why }: Pick<Closed, 'why'>): Held => ({ why, held: { by: 'run' } });

const tooDear = (most: number, spent: number, wanted: number): Held => ({
  why: `its item has a budget of ${most} credits: ${spent} are spent or set aside, this would take ${wanted}`,
  held: { by: 'item', most, spent, wanted },
});
