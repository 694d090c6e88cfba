// When to look at a project that renders: the more looks, the shorter the delay between its end and the look that finds it. A run, a
// tick and a face detection use this one rule. It does not trust published medians: one that is wrong by a factor of three costs little.

import { toolNamed } from '../contract/tools/all.ts';
import type { KnownDurations } from '../core/durations.ts';
import { knownFrom, newestCount } from '../core/durations.ts';

/** What a `LookBudget` allows, shared by all projects that one process waits for: where few are in progress, each may be looked at more often. */
export const looksPerSecond = 10;
/** A script with the vendor's client looks this often. */
const usualPauseMs = 500;
const maxPauseMs = 10 * 60_000;
/** A pause is at most this share of the project's age. */
const pauseShare = 0.1;
/** More often than this is never useful, however fast the service is. */
const minPauseMs = 20;
const beforeLow = 0.95;
/** If nothing is known, the first look is at this share of the published median, which may be far too long. */
const unknownShare = 0.2;
/** A kind without a published median is a face detection, or a new tool. */
const unpublishedMs = 4_000;
/** A project that was over at its first look took less time than that, by an unknown part. */
const unseenShare = 0.9;
/** Earlier runs may know only when an end was noticed. A share of 1 would let durations grow from run to run. */
const earlierShare = 0.9;
/** A first look that came later than this multiple of the planned age says nothing of how long the project took. */
const lateFirstLook = 1.5;
/** Where events tell of ends, looks are for lost events: the first one is at this multiple of the known, or published, median. */
const lostEvent = { known: 3, published: 10 };

export interface LookScheduleOptions {
  /** The speed of the service relative to the hosted one: every time here is divided by it. */
  readonly speedFactor: number;
  /** Of earlier runs. Called once, when a duration is first needed. */
  readonly known?: () => KnownDurations;
}

/** How long a project took, as far as looks can tell: ages in milliseconds. */
export interface NoticedEnd {
  /** At the last look that found it rendering; 0 if there was none. */
  readonly afterMs: number;
  /** When the look that found its end was due. */
  readonly dueMs: number;
  /** At that look. */
  readonly byMs: number;
}

interface Learnt {
  /** In milliseconds, the newest last. */
  readonly newest: number[];
  /** Of these; undefined if there are too few. */
  known: { readonly lowMs: number; readonly medianMs: number } | undefined;
}

/** All ages are in milliseconds. `seenMs`: the age at the last look; 0 if nobody has looked. */
export class LookSchedule {
  readonly #options: LookScheduleOptions;
  readonly #pauseMs: number;
  readonly #maxPauseMs: number;
  readonly #learnt = new Map<string, Learnt>();
  #earlier: KnownDurations | undefined;
  #waiting = 0;

  constructor(options: LookScheduleOptions) {
    const { speedFactor } = options;
    this.#options = options;
    this.#pauseMs = Math.max(minPauseMs, usualPauseMs / speedFactor);
    this.#maxPauseMs = Math.max(this.#pauseMs, maxPauseMs / speedFactor);
  }

  /** Counts one more project that this process waits for, until it is disposed of. */
  wait(): Disposable {
    this.#waiting += 1;
    return { [Symbol.dispose]: () => (this.#waiting -= 1) };
  }

  /** The age at the next look at a project that this process does not wait for: in a tick. */
  next(kind: string, seenMs: number): number {
    return this.#next(kind, seenMs, Number.POSITIVE_INFINITY);
  }

  /** The same for a project that this process waits for: each has its share of the looks that there may be in a second. */
  nextWhileWaiting(kind: string, seenMs: number): number {
    const shareMs = (1000 / looksPerSecond / this.#options.speedFactor) * this.#waiting;
    const atMs = this.#next(kind, seenMs, Math.max(this.#pauseMs, shareMs));
    if (shareMs > this.#pauseMs) return atMs;
    // At the same ages as a script that looks every half second, so that the script never notices an end earlier. Rounded, because
    // every look comes a little late.
    const pauses = atMs / this.#pauseMs;
    return this.#pauseMs * (seenMs > 0 ? Math.round(pauses) : Math.ceil(pauses));
  }

  /** The same for a project whose end an event tells. */
  nextBesidesEvents(kind: string, seenMs: number): number {
    const medianMs = this.#of(kind).known?.medianMs;
    const firstMs =
      medianMs === undefined
        ? lostEvent.published * this.#publishedMs(kind)
        : lostEvent.known * medianMs;
    return Math.max(this.#pauseMs, firstMs, 2 * seenMs);
  }

  /**
   * Call when a look finds a project over. Its duration is taken as the middle between the last two looks. A look that had to wait for its
   * turn counts as if it had come when it was due.
   */
  over(kind: string, { afterMs, dueMs, byMs }: NoticedEnd): void {
    if (afterMs === 0 && byMs > lateFirstLook * dueMs) return;
    const atMs = Math.min(dueMs, byMs);
    const learnt = this.#of(kind);
    learnt.newest.push(afterMs > 0 ? (afterMs + atMs) / 2 : unseenShare * atMs);
    if (learnt.newest.length > newestCount) learnt.newest.shift();
    learnt.known = knownFrom(learnt.newest);
  }

  /** `shareMs`: the pause that each project may have if all of them get the same share of the looks. */
  #next(kind: string, seenMs: number, shareMs: number): number {
    const { known } = this.#of(kind);
    const lowMs = known?.lowMs ?? unknownShare * this.#publishedMs(kind);
    const firstMs =
      known === undefined
        ? Math.min(lowMs, shareMs)
        : lowMs * Math.min(beforeLow, (shareMs / (pauseShare * lowMs)) ** 0.25);
    if (seenMs <= 0) return firstMs < minPauseMs ? 0 : firstMs;
    // Before the low quantile, hardly any project ends: the pauses become shorter towards it.
    const spareMs = shareMs * Math.max(1, (lowMs / seenMs) ** 3);
    const pauseMs = Math.min(pauseShare * seenMs, spareMs, this.#maxPauseMs);
    return Math.max(firstMs, seenMs + Math.max(this.#pauseMs, pauseMs));
  }

  #publishedMs(kind: string): number {
    const seconds = toolNamed(kind)?.medianSeconds;
    return (seconds === undefined ? unpublishedMs : seconds * 1000) / this.#options.speedFactor;
  }

  #of(kind: string): Learnt {
    const found = this.#learnt.get(kind);
    if (found !== undefined) return found;
    this.#earlier ??= this.#options.known?.() ?? new Map();
    const earlier = this.#earlier.get(kind)?.slice(0, newestCount) ?? [];
    const newest = earlier.map((ms) => earlierShare * ms).reverse();
    const learnt: Learnt = { newest, known: knownFrom(newest) };
    this.#learnt.set(kind, learnt);
    return learnt;
  }
}

// How long projects of each tool took here: the newest ones of a state file.
