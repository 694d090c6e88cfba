// What is known of how long projects take: first what this run has seen, then what the state file has, then the published
// medians.
import { toolNamed } from '../../contract/kinds/tools.ts';
import { narrowestStep, nextLook, type Timing } from './look-schedule.ts';
import type { KnownDurations } from './usual-durations.ts';

/** Fewer projects say little. */
const least = 3;
/** With so many, this run's own projects count more than earlier ones. */
const enough = 8;
/** The first projects to end are the shortest ones: they count unless more than twice as many are still in progress. */
const inProgressPerOver = 2;
/** Of each kind. */
const most = 100;

/** Without a history, two thirds of a tool's projects are taken to be within a factor of 1.4 of the published median. */
const usualSpread = 0.35;
/** A kind without a published median (face detection, a new tool) takes about as long as the fast tools, or something quite different. */
const unpublished = { medianSeconds: 4, spread: 0.7 };
/** The spread of fewer projects than this says less than the usual spread. */
const spreadNeeds = 4;
const [narrowest, widest] = [0.02, 1.2];
/** Between the quartiles of a normal distribution, in standard deviations. */
const quartiles = 1.349;

const longestPauseMs = 10 * 60_000;

/**
 * The durations of earlier runs end when the end was noticed. Without a share of less than 1, they would grow from run to run where
 * durations hardly vary, because the first look comes after the median there.
 */
const shareNoticed = Math.exp(-narrowestStep);

/** A project that was over at the first look took some share of that time. Nobody knows which: one standard deviation less is a guess. */
const shareUnseen = ({ spread }: Timing): number => Math.min(shareNoticed, Math.exp(-spread));

/** A timer may fire a little early: only before this share of the first look is a look certainly a pilot's. */
const certainlyEarly = 0.9;

interface Seen {
  /** The newest durations, in milliseconds, in a ring. */
  readonly newest: number[];
  begun: number;
  over: number;
}

/** Projects of a kind that nobody has seen end. */
interface Unseen {
  /** One of them is looked at early. */
  hasPilot: boolean;
  /** Aborted when the pilot is over earlier than any of them would be looked at. */
  readonly sooner: AbortController;
}

export interface DurationsOptions {
  /** The speed of the service relative to the hosted one: divides the published medians. */
  readonly speedFactor: number;
  /** Of earlier runs. Called once, when a duration is first asked for. */
  readonly known?: () => KnownDurations;
}

export class Durations {
  readonly #o: DurationsOptions;
  readonly #seen = new Map<string, Seen>();
  readonly #timings = new Map<string, { readonly over: number; readonly timing: Timing }>();
  readonly #unseen = new Map<string, Unseen>();
  #known: KnownDurations | undefined;

  constructor(options: DurationsOptions) {
    this.#o = options;
  }

  /** Call when a project is created. */
  begun(kind: string): void {
    this.#of(kind).begun += 1;
  }

  /**
   * Call when a project is over: it ended at an age between these two, in milliseconds. `afterMs`: 0 if nobody had looked
   * before.
   */
  over(kind: string, afterMs: number, byMs: number): void {
    const seen = this.#of(kind);
    const expected = this.timingOf(kind);
    const took = afterMs > 0 ? Math.sqrt(afterMs * byMs) : byMs * shareUnseen(expected);
    if (took > 0) seen.newest[seen.over++ % most] = took;
    const unseen = this.#unseen.get(kind);
    this.#unseen.delete(kind);
    if (this.timingOf(kind).medianMs < expected.medianMs) unseen?.sooner.abort();
  }

  /**
   * The published medians may be wrong at this service. So, until a project of a kind is over, one of them is the pilot: it is
   * looked at early. Undefined for the others, and for a kind with a history.
   */
  pilot(kind: string): Disposable | undefined {
    const unseen = this.#unseenOf(kind);
    if (unseen === undefined || unseen.hasPilot) return undefined;
    unseen.hasPilot = true;
    return { [Symbol.dispose]: () => (unseen.hasPilot = false) };
  }

  /** Aborted when the pilot shows that projects of the kind take less time than is published. Undefined if that is known. */
  sooner(kind: string): AbortSignal | undefined {
    return this.#unseenOf(kind)?.sooner.signal;
  }

  #unseenOf(kind: string): Unseen | undefined {
    if (this.#of(kind).over > 0 || this.#historyOf(kind).length >= least) return undefined;
    const known = this.#unseen.get(kind) ?? { hasPilot: false, sooner: new AbortController() };
    this.#unseen.set(kind, known);
    return known;
  }

  #historyOf(kind: string): readonly number[] {
    this.#known ??= this.#o.known?.() ?? new Map();
    return this.#known.get(kind) ?? [];
  }

  timingOf(kind: string): Timing {
    const over = this.#seen.get(kind)?.over ?? 0;
    const found = this.#timings.get(kind);
    // After the first hundred, one more project changes little.
    if (found !== undefined && (over === found.over || over < found.over * 1.05))
      return found.timing;
    const timing = this.#timingFrom(kind);
    this.#timings.set(kind, { over, timing });
    return timing;
  }

  #of(kind: string): Seen {
    const known = this.#seen.get(kind);
    if (known !== undefined) return known;
    const seen = { newest: [], begun: 0, over: 0 };
    this.#seen.set(kind, seen);
    return seen;
  }

  #timingFrom(kind: string): Timing {
    const { speedFactor } = this.#o;
    const { newest, begun, over } = this.#seen.get(kind) ?? { newest: [], begun: 0, over: 0 };
    const earlier = this.#historyOf(kind).map((ms) => ms * shareNoticed);
    const counts = over * inProgressPerOver >= begun - over;
    const observed =
      counts && over >= enough ? newest : earlier.length >= least ? earlier : counts ? newest : [];
    const tool = toolNamed(kind);
    const usual =
      tool === undefined ? unpublished : { medianSeconds: tool.medianSeconds, spread: usualSpread };
    const { median, spread } = distribution(observed, usual.spread);
    const rest = { longestPauseMs: Math.max(1000, longestPauseMs / speedFactor) };
    const timing = { medianMs: (usual.medianSeconds * 1000) / speedFactor, spread, ...rest };
    if (median !== undefined) return { ...timing, medianMs: median };
    // Only a pilot is seen to end so early, and it disproves what is published.
    const soonest = Math.min(...newest);
    return soonest < nextLook(timing, 0) * shareUnseen(timing) * certainlyEarly
      ? { medianMs: soonest, spread: unpublished.spread, ...rest }
      : timing;
  }
}

/** By quartiles, so that a few projects that hung do not count. */
function distribution(
  durations: readonly number[],
  usual: number,
): { readonly median: number | undefined; readonly spread: number } {
  const count = durations.length;
  const sorted = durations.toSorted((one, other) => one - other);
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => sorted[Math.floor(share * count)]);
  if (count < least || low === undefined || high === undefined)
    return { median: undefined, spread: usual };
  const seen = Math.log(high / low) / quartiles;
  const own = Math.min(widest, Math.max(narrowest, seen));
  return { median, spread: usual * (own / usual) ** (count / (count + spreadNeeds)) };
}
