// What is known of how long projects take: first what this run has seen, then what the state file has, then the published
// medians.
import { toolNamed } from '../../contract/kinds/tools.ts';
import type { Timing } from './look-schedule.ts';
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
const spreadNeeds = 8;
const [narrowest, widest] = [0.1, 1.2];
/** Between the quartiles of a normal distribution, in standard deviations. */
const quartiles = 1.349;

const longestPauseMs = 10 * 60_000;

/** A project that was over at the first look took some share of that time; nobody knows which. */
const shareUnseen = 0.7;

interface Seen {
  /** The newest durations, in milliseconds, in a ring. */
  readonly newest: number[];
  begun: number;
  over: number;
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
    const took = afterMs > 0 ? Math.sqrt(afterMs * byMs) : byMs * shareUnseen;
    if (took > 0) seen.newest[seen.over++ % most] = took;
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
    const { speedFactor, known } = this.#o;
    this.#known ??= known?.() ?? new Map();
    const { newest, begun, over } = this.#seen.get(kind) ?? { newest: [], begun: 0, over: 0 };
    const earlier = this.#known.get(kind) ?? [];
    const counts = over * inProgressPerOver >= begun - over;
    const observed =
      counts && over >= enough ? newest : earlier.length >= least ? earlier : counts ? newest : [];
    const tool = toolNamed(kind);
    const usual =
      tool === undefined ? unpublished : { medianSeconds: tool.medianSeconds, spread: usualSpread };
    const { median, spread } = distribution(observed, usual.spread);
    return {
      medianMs: median ?? (usual.medianSeconds * 1000) / speedFactor,
      spread,
      longestPauseMs: Math.max(1000, longestPauseMs / speedFactor),
    };
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
  const own = Math.log(high / low) / quartiles;
  const variance = (spreadNeeds * usual ** 2 + count * own ** 2) / (spreadNeeds + count);
  const spread = Math.min(widest, Math.max(narrowest, Math.sqrt(variance)));
  return { median, spread };
}
