// When to look at a project that renders. The more looks, the sooner its end is noticed; of looks that find it rendering, a run makes
// at most ten in any second. Published medians are not trusted: one that is wrong by a factor of three costs little.
import type { Project } from '../contract/api/project.ts';
import { toolNamed } from '../contract/tools/all.ts';
import { durationsThatCount, type KnownDurations } from './durations.ts';
import { stopped } from './ended.ts';
import type { Clock } from './ports.ts';

/** Times and ages in milliseconds. */
export interface LooksOptions {
  readonly clock: Clock;
  /** If it is aborted, all waits end. */
  readonly signal: AbortSignal;
  /** The speed of the service relative to the hosted one: every time here is divided by it. */
  readonly speedFactor: number;
  /** Durations in earlier runs. Asked once, when they are first needed. */
  readonly earlier: () => KnownDurations;
}

/** One project, which counts among those that share the looks until it is disposed of. */
export interface Watch extends Disposable {
  /**
   * Resolves when a look is due and may be made, at the latest after `leftMs`, or when nobody waits any more. `told`: resolves when an
   * event says that the project is over; then the look is due. Throws `Ended` if the run stops.
   */
  turn(
    told?: Promise<unknown>,
    rest?: { readonly leftMs: number; readonly leave?: AbortSignal },
  ): Promise<void>;
  /** Call if the look has found the project over. */
  over(project: Pick<Project, 'status'>): void;
}

const looksPerSecond = 10;
/** As often as a script with the vendor's client; however fast the service is, no more often than is of use. */
const minPauseMs = { hosted: 500, ever: 20 };
const maxPauseMs = 10 * 60_000;
const maxPauseShare = 0.1;
/** Of what each project has if all share the looks, because hardly any needs its share while it is young. */
const usedShare = 0.4;
/** If nothing is known, the first look is at this share of the published median; a face detection has none. */
const unknownShare = 0.2;
const unpublishedSeconds = 4;
/** An age that is only an upper bound of a duration counts for so much of it: else durations would grow from run to run. */
const boundShare = 0.9;
/** A first look that comes so much later than it was due tells no duration. */
const maxLateness = 1.5;

/** Where events tell of ends, looks are for lost events: the first one is at this multiple of the known, or published, median. */
const lostEvent = { known: 3, published: 10 };

/** Whether an event tells of its end: also of one that has come already, or only from the first look on. */
export type Told = 'always' | 'from-first-look' | 'never';

interface Learnt {
  /** The newest last. */
  readonly newest: number[];
  /** The same from short to long. */
  sorted: readonly number[];
}

export class Looks {
  readonly #o: LooksOptions;
  readonly #kinds = new Map<string, Learnt>();
  #earlier: KnownDurations | undefined;
  /** What ends the waits of each watch. */
  readonly #watches = new Set<() => void>();
  /** Until when each look counts that found nothing, or is under way. */
  #spent: number[] = [];
  #lastInLine: Promise<unknown> = Promise.resolve();
  #givenBack = new AbortController();
  /** False if the last end was seen by a look, though an event was to tell of it. */
  #isTrusted = true;

  constructor(options: LooksOptions) {
    this.#o = options;
    options.signal.addEventListener('abort', () => {
      for (const wake of this.#watches) wake();
    });
  }

  /** `since`: when it was created, in milliseconds since 1970. A time that lies ahead of the clock counts as now. */
  watch(kind: string, since: number, events: Told = 'never'): Watch {
    const { clock, signal } = this.#o;
    const bornAt = clock.elapsed() - Math.max(0, clock.now() - since);
    const age = (): number => clock.elapsed() - bornAt;
    let woken = new AbortController();
    // Without a reason, each gets an error with a stack.
    const wake = (): void => woken.abort('woken');
    let [seenMs, lookMs, dueMs, isTold, byEvent] = [0, 0, 0, false, false];
    let spent: number | undefined;
    this.#watches.add(wake);
    return {
      turn: async (told, { leftMs, leave } = { leftMs: Number.POSITIVE_INFINITY }) => {
        const mine = new AbortController();
        woken = mine;
        let isOver = false;
        void told?.then(() => {
          isOver = true;
          mine.abort();
        });
        const onLeave = (): void => mine.abort();
        leave?.addEventListener('abort', onLeave);
        if (leave?.aborted === true) onLeave();
        seenMs = lookMs;
        byEvent =
          this.#isTrusted && (events === 'always' || (events === 'from-first-look' && seenMs > 0));
        dueMs = byEvent ? this.#besidesEvents(kind, seenMs) : this.#next(kind, seenMs);
        const pauseMs = Math.min(dueMs - age(), leftMs);
        if (!signal.aborted && pauseMs > 0) await clock.sleep(pauseMs, mine.signal);
        spent = signal.aborted ? undefined : await this.#inTurn(mine.signal);
        leave?.removeEventListener('abort', onLeave);
        if (signal.aborted) throw stopped();
        isTold = isOver;
        // 0 says that nobody has looked.
        lookMs = Math.max(1, age());
      },
      over: ({ status }) => {
        this.#giveBack(spent);
        if (isTold || byEvent) this.#isTrusted = isTold;
        if (status !== 'complete') return;
        if (isTold) this.#learn(kind, lookMs);
        else if (seenMs > 0) this.#learn(kind, (seenMs + Math.min(dueMs, lookMs)) / 2);
        else if (lookMs <= maxLateness * dueMs) this.#learn(kind, boundShare * dueMs);
      },
      [Symbol.dispose]: () => {
        this.#watches.delete(wake);
        wake();
      },
    };
  }

  /** The age at the next look; `seenMs`: at the last one. */
  #next(kind: string, seenMs: number): number {
    const factor = 1 / this.#o.speedFactor;
    const leastMs = Math.max(minPauseMs.ever, minPauseMs.hosted * factor);
    const shareMs = Math.max(leastMs, (1000 / looksPerSecond) * factor * this.#watches.size);
    const { sorted } = this.#learnt(kind);
    const isKnown = sorted.length >= durationsThatCount.min;
    const lowMs = this.#lowMs(kind);
    const firstMs = isKnown ? firstLook(sorted, shareMs) : Math.min(lowMs, shareMs);
    const wantedMs = Math.max(leastMs, (isKnown ? usedShare : 1) * shareMs);
    // Before the low quantile hardly any project ends: the pauses become shorter towards it.
    const early = seenMs < lowMs ? (lowMs / seenMs) ** 3 : 1;
    const pauseMs = Math.min(maxPauseShare * seenMs, wantedMs * early, maxPauseMs * factor);
    if (seenMs === 0 && firstMs < minPauseMs.ever) return 0;
    const nextMs = seenMs < firstMs ? firstMs : seenMs + Math.max(leastMs, pauseMs);
    if (shareMs > leastMs) return nextMs;
    // At the ages at which a script looks, so that it never notices an end earlier; looks come a little late.
    const pauses = nextMs / leastMs;
    return leastMs * (seenMs > 0 ? Math.round(pauses) : Math.ceil(pauses));
  }

  #besidesEvents(kind: string, seenMs: number): number {
    const { sorted } = this.#learnt(kind);
    const firstMs =
      sorted.length >= durationsThatCount.min
        ? lostEvent.known * quantile(sorted, 0.5)
        : lostEvent.published * this.#publishedMs(kind);
    return Math.max(minPauseMs.ever, firstMs, 2 * seenMs);
  }

  /** Whether a look is useful although nobody waits for its project. A time in the future is one by a clock that was wrong. */
  isUseful(kind: string, since: number): boolean {
    const ageMs = this.#o.clock.now() - since;
    return ageMs < 0 || ageMs >= this.#lowMs(kind);
  }

  /** When the next look is, after those of this moment: in milliseconds since 1970. */
  nextUsefulAt(kind: string, since: number): number {
    const { clock, speedFactor } = this.#o;
    const now = clock.now();
    if (!this.isUseful(kind, since)) return since + this.#lowMs(kind);
    const pauseMs = Math.min(maxPauseShare * (now - since), maxPauseMs / speedFactor);
    return now + Math.max(minPauseMs.hosted / speedFactor, pauseMs);
  }

  /** Before this age hardly any project ends. */
  #lowMs(kind: string): number {
    const { sorted } = this.#learnt(kind);
    if (sorted.length >= durationsThatCount.min) return quantile(sorted, 0.1);
    return unknownShare * this.#publishedMs(kind);
  }

  #publishedMs(kind: string): number {
    const seconds = toolNamed(kind)?.medianSeconds ?? unpublishedSeconds;
    return (1000 * seconds) / this.#o.speedFactor;
  }

  #learnt(kind: string): Learnt {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    this.#earlier ??= this.#o.earlier();
    const earlier = this.#earlier.get(kind)?.slice(0, durationsThatCount.max) ?? [];
    const newest = earlier.map((ms) => boundShare * ms).reverse();
    const learnt: Learnt = { newest, sorted: newest.toSorted(byLength) };
    this.#kinds.set(kind, learnt);
    return learnt;
  }

  #learn(kind: string, ms: number): void {
    const learnt = this.#learnt(kind);
    learnt.newest.push(ms);
    if (learnt.newest.length > durationsThatCount.max) learnt.newest.shift();
    learnt.sorted = learnt.newest.toSorted(byLength);
  }

  /** Whoever is due first looks first. Undefined if the signal is aborted before. */
  async #inTurn(woken: AbortSignal): Promise<number | undefined> {
    const turn = this.#lastInLine.then(() => this.#spend(woken));
    this.#lastInLine = turn;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    woken.addEventListener('abort', () => resolve(undefined), { once: true });
    return woken.aborted ? undefined : await Promise.race([turn, promise]);
  }

  async #spend(woken: AbortSignal): Promise<number | undefined> {
    const { clock, speedFactor } = this.#o;
    while (!woken.aborted) {
      const now = clock.elapsed();
      this.#spent = this.#spent.filter((until) => until > now);
      const [first] = this.#spent;
      if (first === undefined || this.#spent.length < looksPerSecond) {
        const until = now + 1000 / speedFactor;
        this.#spent.push(until);
        return until;
      }
      await clock.sleep(first - now, woken, this.#givenBack.signal);
    }
    return undefined;
  }

  /** A look that finds its project over is not in vain. */
  #giveBack(spent: number | undefined): void {
    const index = spent === undefined ? -1 : this.#spent.indexOf(spent);
    if (index < 0) return;
    this.#spent.splice(index, 1);
    this.#givenBack.abort();
    this.#givenBack = new AbortController();
  }
}

/** At which no more looks are in vain than there are: about as many for each project as its usual duration has shares. */
function firstLook(sorted: readonly number[], shareMs: number): number {
  const share = (1 + quantile(sorted, 0.5) / shareMs) ** -1.3;
  // Durations of renders spread so that a tenth of the share comes a third earlier.
  return share >= 0.1
    ? quantile(sorted, share)
    : 0.97 * (share / 0.1) ** 0.17 * quantile(sorted, 0.1);
}

const byLength = (one: number, other: number): number => one - other;

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(share * sorted.length)] ?? 0;
