// Under a cap: the items that may buy, in the order in which they were admitted, and the credits that are set aside for
// all that each of them still needs. So an item that has begun can be finished, and the next one begins only if it can be, too.
import type { Expectation } from '../plan/estimate.ts';
import type { ItemNeeds, Need } from '../plan/needs.ts';

interface Due {
  readonly need: Need;
  times: number;
  /** What is set aside. */
  credits: number;
}

interface AdmittedItem {
  /** By task: what is not bought yet. */
  readonly due: Map<string, Due>;
  /** By task: what is being bought, and may have to be bought again. */
  readonly ordered: Map<string, Due>;
}

/** Items are named by their keys; "" stands for the shared steps. */
export class Admission {
  readonly #needs: ItemNeeds;
  readonly #worst: (expectation: Expectation) => number;
  readonly #items = new Map<string, AdmittedItem>();
  /** By content: the item that pays for it. */
  readonly #payers = new Map<string, string>();
  #sum = 0;
  #version = -1;

  /** `worst`: the most credits that a task may take, by current knowledge. */
  constructor(needs: ItemNeeds, worst: (expectation: Expectation) => number) {
    this.#needs = needs;
    this.#worst = worst;
  }

  /** Credits for all that the item needs and nobody else pays for. */
  needOf(key: string): number {
    let sum = 0;
    for (const need of this.#own(key)) sum += this.#worst(need[1].expectation) * need[1].times;
    return sum;
  }

  /** Credits for all that the item needs, whoever pays: what its results cost counts for it. */
  costOf(key: string): number {
    return this.#needs.costOf(key, this.#worst);
  }

  /** Credits that earlier runs spent on the item. */
  spentBefore(key: string): number {
    return this.#needs.of(key).spent;
  }

  /** Sets aside what the item needs. */
  admit(key: string): void {
    const due = new Map<string, Due>();
    for (const [task, need] of this.#own(key)) {
      if (need.content !== undefined) this.#payers.set(need.content, key);
      due.set(task, this.#set({ need, times: need.times, credits: 0 }));
    }
    this.#items.set(key, { due, ordered: new Map() });
  }

  *#own(key: string): Generator<readonly [string, Need]> {
    for (const [task, need] of this.#needs.of(key).needs) {
      const payer = need.content === undefined ? key : this.#payers.get(need.content);
      if (payer === undefined || payer === key) yield [task, need];
    }
  }

  /** A fan-out has these elements; the task stood for all of them. */
  opened(key: string, task: string, elements: readonly string[]): void {
    const due = this.#items.get(key)?.due;
    const all = due?.get(task);
    if (due === undefined || all === undefined) return;
    this.#drop(due, task);
    for (const element of elements)
      due.set(element, this.#set({ need: all.need, times: 1, credits: 0 }));
  }

  /** The task is being bought: its credits are no longer set aside here. */
  ordered(key: string, task: string): void {
    const item = this.#items.get(key);
    const due = item?.due.get(task);
    if (item === undefined || due === undefined) return;
    this.#drop(item.due, task);
    item.ordered.set(task, due);
  }

  /** Nothing was charged in the end, so the task may be bought again. */
  notCharged(key: string, task: string): void {
    const item = this.#items.get(key);
    const due = item?.ordered.get(task);
    if (item === undefined || due === undefined) return;
    item.ordered.delete(task);
    item.due.set(task, this.#set({ ...due, credits: 0 }));
  }

  /** The task has ended. If it was not done, another item pays for the content. */
  ended(key: string, task: string, isDone: boolean): void {
    const item = this.#items.get(key);
    const due = item?.due.get(task) ?? item?.ordered.get(task);
    if (item === undefined || due === undefined) return;
    this.#drop(item.due, task);
    item.ordered.delete(task);
    const { content } = due.need;
    if (!isDone && content !== undefined && this.#payers.get(content) === key)
      this.#payers.delete(content);
  }

  /** The item is over. */
  leave(key: string): void {
    const item = this.#items.get(key);
    if (item === undefined) return;
    for (const task of [...item.due.keys()]) this.ended(key, task, false);
    this.#items.delete(key);
  }

  /** Credits that are set aside for all items. `version`: of the rates that `worst` follows. */
  total(version: number): number {
    if (this.#version !== version) {
      this.#version = version;
      for (const { due } of this.#items.values()) for (const one of due.values()) this.#set(one);
    }
    return this.#sum;
  }

  /** Those set aside for an item, without one of its tasks. */
  restOf(key: string, task: string): number {
    let sum = 0;
    for (const [other, { credits }] of this.#items.get(key)?.due ?? [])
      if (other !== task) sum += credits;
    return sum;
  }

  /** Those set aside for items that were admitted earlier. */
  before(key: string): number {
    let sum = 0;
    for (const [earlier, { due }] of this.#items) {
      if (earlier === key) break;
      for (const { credits } of due.values()) sum += credits;
    }
    return sum;
  }

  #set(due: Due): Due {
    const credits = this.#worst(due.need.expectation) * due.times;
    this.#sum += credits - due.credits;
    due.credits = credits;
    return due;
  }

  #drop(due: Map<string, Due>, task: string): void {
    this.#sum -= due.get(task)?.credits ?? 0;
    due.delete(task);
  }
}
