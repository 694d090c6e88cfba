// When the next look at a project that renders is useful: planned from how long projects of its kind take. A run, a tick, a
// worker that parks an order, and a face detection use this one rule.

/** How long projects of a kind take: a log-normal distribution. */
export interface Timing {
  readonly medianMs: number;
  /** The standard deviation of the logarithm: with 0.35, two thirds of the projects are within a factor of 1.4. */
  readonly spread: number;
  /** No pause between two looks is longer. */
  readonly longestPauseMs: number;
}

/**
 * The constants make a project take four looks on average if the timing is right and the spread is 0.2 or more: creation and looks
 * are five requests. The first look is at the 15th percentile. The pause after a look balances the delay against the number
 * of looks: it is short where a project is likely to end next (Barlow and Proschan's rule: looks are as dense as the
 * square root of the hazard). All of this in standard deviations of the logarithm of the age.
 */
const firstLook = -1.036;
const density = 0.325;
/**
 * A delay below a twentieth of the age is not worth another look. So projects with a narrower spread take fewer looks: no step is
 * shorter, and the first look is at least one such step after the 10th percentile.
 */
export const narrowestStep = 0.05;
const soonEnd = -1.282;
/** Hardly any project takes longer, so the timing may be wrong: from here on, the pauses grow. */
const late = 1.6;
const growth = 0.5;

/** However wide the distribution is, a look is never later than at this multiple of the age at the look before. */
const widestStep = Math.log(1.5);
/** The same where the pauses grow. */
const latestStep = Math.log(1.25);

/** More often than this is never useful, in milliseconds. A project that may be over sooner is looked at immediately. */
const shortestPauseMs = 20;

/**
 * The age of a project at its next look, in milliseconds; never earlier than the first look of its timing, and always later
 * than the last. `seenMs`: its age at the last look; 0 if nobody has looked yet.
 */
export function nextLook(timing: Timing, seenMs: number): number {
  const { medianMs, spread } = timing;
  const first = medianMs * Math.exp(Math.max(firstLook * spread, soonEnd * spread + narrowestStep));
  if (seenMs <= 0) return first < shortestPauseMs ? 0 : first;
  if (seenMs < first) return Math.max(first, after(seenMs, Math.expm1(narrowestStep), timing));
  const deviations = Math.log(seenMs / medianMs) / spread;
  const dense = (spread * density) / Math.sqrt(hazard(deviations));
  const step = Math.max(narrowestStep, Math.min(widestStep, dense));
  const grown = step + spread * growth * Math.max(0, deviations - late);
  return after(seenMs, Math.expm1(Math.max(step, Math.min(grown, latestStep))), timing);
}

/** The logistic function has the normal distribution's hazard, nearly, and a longer tail. */
const hazard = (deviations: number): number => 1.702 / (1 + Math.exp(-1.702 * deviations));

/** Where an event tells that a project is over, looks are for lost events: one in a thousand projects takes longer. */
const overdue = 3;
/** An event may take a moment, however narrow the spread is. */
const spreadOfEvents = 0.1;

/** The same, for a project whose end an event tells. */
export function nextLookBesidesEvents(timing: Timing, seenMs: number): number {
  const { medianMs, spread } = timing;
  const first = Math.max(
    shortestPauseMs,
    medianMs * Math.exp(overdue * Math.max(spreadOfEvents, spread)),
  );
  return seenMs < first ? first : after(seenMs, 1, timing);
}

/** In milliseconds. */
const firstPilotLook = 250;

/** The same, for the first project of a kind at a service that may be much faster than the timing says. */
export function nextPilotLook(timing: Timing, seenMs: number): number {
  return Math.min(nextLook(timing, seenMs), seenMs > 0 ? 3 * seenMs : firstPilotLook);
}

/** Keeps projects that were created together from being looked at together: less where their ends are close. `chance`: 0 to 1. */
export const withJitter = (pauseMs: number, { spread }: Timing, chance: number): number =>
  pauseMs * (1 + chance * Math.min(0.1, spread / 2));

function after(seenMs: number, share: number, { longestPauseMs }: Timing): number {
  return seenMs + Math.max(shortestPauseMs, Math.min(longestPauseMs, seenMs * share));
}
