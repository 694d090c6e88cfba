// How many projects of the account are in progress at once, and how many tasks of a step kind. Whoever has to wait waits for a slot
// that another gives back: nobody is asked again, and nothing decides that nobody can begin.
import { allowances, isTier } from '../contract/api/tier.ts';
import { toolNamed } from '../contract/tools/all.ts';
import type { Limits } from '../language/pipeline.ts';
import { Ended, stopped } from './ended.ts';

/** What is paid goes before what would be bought, and what has begun before what has not. */
export const priorities = ['owed', 'begun', 'new'] as const;
export type Priority = (typeof priorities)[number];

export interface SlotLimits {
  /** Projects of all tools together; undefined: no limit. */
  readonly projects: number | undefined;
  /** Tasks by step kind. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** Disposed of when the project is over, or nothing was sent. */
export interface Slot extends Disposable {
  /** Nobody waits for the project, and it still renders: its slot stays taken as long as this run lasts. */
  leave(): void;
}

interface Waiting {
  readonly kind: string;
  readonly goOn: () => void;
  readonly giveUp: () => void;
}

/** Projects at once on a plan of the account; undefined: unlimited, or not published. */
export const projectsOn = (tier: string | undefined): number | undefined =>
  tier !== undefined && isTier(tier) ? allowances[tier].generations : undefined;

/** A run that does not wait leaves its projects, so they count as items in progress. */
export function slotLimits(
  { items, steps }: Limits,
  tier: string | undefined,
  waits: boolean,
): SlotLimits {
  const ofPlan = projectsOn(tier);
  const projects = waits ? ofPlan : Math.min(items, ofPlan ?? items);
  return { projects, kinds: steps };
}

export class Slots {
  readonly #limits: SlotLimits;
  #projects = 0;
  /** Slots that may still be given back. */
  #busy = 0;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map(priorities.map((priority) => [priority, new Set<Waiting>()]));

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /**
   * Of those for whom there is a slot, the first of the highest priority is next. Throws `Ended`: `later` once only projects that
   * the run leaves have slots.
   */
  async take(kind: string, priority: Priority, signal: AbortSignal): Promise<Slot> {
    if (signal.aborted) throw stopped();
    // Nobody waits for whom there is a slot, so nobody is passed over.
    if (this.#hasRoom(kind)) return this.#slot(kind);
    if (this.#busy === 0) throw noSlot();
    return await this.#wait(kind, priority, signal);
  }

  /** For a project that renders already, whether or not there is room. */
  keep(kind: string): Slot {
    return this.#slot(kind);
  }

  #wait(kind: string, priority: Priority, signal: AbortSignal): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const over = (end: () => void): void => {
      this.#waiting.get(priority)?.delete(waiting);
      signal.removeEventListener('abort', onAbort);
      end();
    };
    const waiting: Waiting = {
      kind,
      goOn: () => over(() => resolve(this.#slot(kind))),
      giveUp: () => over(() => reject(noSlot())),
    };
    const onAbort = (): void => over(() => reject(stopped()));
    this.#waiting.get(priority)?.add(waiting);
    signal.addEventListener('abort', onAbort);
    return promise;
  }

  #slot(kind: string): Slot {
    this.#count(kind, 1);
    this.#busy += 1;
    let isOurs = true;
    const over = (isFree: boolean): void => {
      if (!isOurs) return;
      isOurs = false;
      this.#busy -= 1;
      if (isFree) this.#count(kind, -1);
      this.#serve();
    };
    return { leave: () => over(false), [Symbol.dispose]: () => over(true) };
  }

  #count(kind: string, change: 1 | -1): void {
    this.#taken.set(kind, (this.#taken.get(kind) ?? 0) + change);
    if (toolNamed(kind) !== undefined) this.#projects += change;
  }

  #hasRoom(kind: string): boolean {
    const { projects = Number.POSITIVE_INFINITY, kinds } = this.#limits;
    if (toolNamed(kind) !== undefined && this.#projects >= projects) return false;
    return (this.#taken.get(kind) ?? 0) < (kinds[kind] ?? Number.POSITIVE_INFINITY);
  }

  #serve(): void {
    for (const list of this.#waiting.values())
      for (const waiting of list) if (this.#hasRoom(waiting.kind)) waiting.goOn();
    if (this.#busy > 0) return;
    for (const list of this.#waiting.values()) for (const waiting of list) waiting.giveUp();
  }
}

const noSlot = (): Ended =>
  new Ended('later', 'as many projects are in progress as may be at once', { code: 'no-slot' });
