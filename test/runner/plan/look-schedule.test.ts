// When a look at a project that renders is useful.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chanceOf } from '../../../src/contract/base/chance.ts';
import {
  nextLook,
  nextLookBesidesEvents,
  type Timing,
  withJitter,
} from '../../../src/runner/plan/look-schedule.ts';

const longestPauseMs = 600_000;
const timing = (medianMs: number, spread = 0.35): Timing => ({ medianMs, spread, longestPauseMs });

/** The looks at a project until it is over, as ages. */
function looksAt(took: number, known: Timing, next = nextLook): readonly number[] {
  const looks = [next(known, 0)];
  for (let at = looks[0] ?? 0; at < took; looks.push(at)) at = next(known, Math.max(1, at));
  return looks;
}

const lastOf = (looks: readonly number[]): number => looks.at(-1) ?? 0;

/** Log-normal, always the same. */
function durations(medianMs: number, spread: number, count = 2000): readonly number[] {
  const chance = chanceOf(1, 1);
  const normal = () => Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  return Array.from({ length: count }, () => medianMs * Math.exp(spread * normal()));
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0;

const aTiming = fc
  .tuple(
    fc.double({ min: 3, max: 7.5, noNaN: true }),
    fc.double({ min: 0.02, max: 1.2, noNaN: true }),
  )
  .map(([exponent, spread]) => timing(10 ** exponent, spread));

const aFactor = fc.double({ min: -3, max: 3, noNaN: true }).map((exponent) => 10 ** exponent);

describe('the looks at a project', () => {
  test('are never before the first, one after the other, and never closer than 20 ms', () => {
    fc.assert(
      fc.property(aTiming, fc.double({ min: 0, max: 1e9, noNaN: true }), (known, seenMs) => {
        for (const next of [nextLook, nextLookBesidesEvents]) {
          const at = next(known, seenMs);
          expect(at).toBeGreaterThanOrEqual(next(known, 0));
          if (seenMs > 0) expect(at - seenMs).toBeGreaterThanOrEqual(20 - 1e-6);
        }
      }),
      { seed: 1 },
    );
  });

  test('come at the same shares of the median, whatever it is, until the longest pause', () => {
    const shares = (medianMs: number) =>
      looksAt(2.5 * medianMs, timing(medianMs)).map((at) => Math.round((1000 * at) / medianMs));
    for (const medianMs of [10_000, 60_000, 1_000_000])
      expect(shares(medianMs)).toEqual(shares(3000));
  });

  test.each([
    { spread: 0.02, looks: 1.1, delay: 0.03 },
    { spread: 0.05, looks: 1.9, delay: 0.029 },
    { spread: 0.1, looks: 3.1, delay: 0.029 },
    { spread: 0.15, looks: 3.7, delay: 0.034 },
    { spread: 0.2, looks: 3.9, delay: 0.041 },
    { spread: 0.25, looks: 3.9, delay: 0.052 },
    { spread: 0.35, looks: 3.9, delay: 0.074 },
    { spread: 0.7, looks: 4.1, delay: 0.148 },
  ])(
    'are $looks on average, with a median delay of $delay of the duration, if durations have the spread $spread that they are planned with',
    ({ spread, looks, delay }) => {
      for (const medianMs of [1000, 4000, 446_000, 3 * 3_600_000]) {
        const known = { ...timing(medianMs, spread), longestPauseMs: medianMs };
        const all = durations(medianMs, spread).map((took) => ({
          looks: looksAt(took, known),
          took,
        }));
        expect(mean(all.map((one) => one.looks.length))).toBeCloseTo(looks, 1);
        expect(median(all.map((one) => lastOf(one.looks) / one.took - 1))).toBeCloseTo(delay, 2);
      }
    },
  );

  test('are not wasted just before the first useful one', () => {
    const known = timing(4000);
    const first = nextLook(known, 0);
    expect(nextLook(known, first / 2)).toBe(first);
    expect(nextLook(known, 0.99 * first)).toBeGreaterThan(1.03 * first);
  });

  test('are bounded in number and delay, however wrong the median is', () => {
    fc.assert(
      fc.property(aTiming, aFactor, (known, factor) => {
        const endless = { ...known, longestPauseMs: Number.POSITIVE_INFINITY };
        const took = known.medianMs * factor;
        const looks = looksAt(took, endless);
        const tooLong = Math.max(0, Math.log(factor) - 1.6 * known.spread);
        expect(looks.length).toBeLessThan(20 + tooLong / Math.log(1.25));
        if (looks.length === 1) expect(lastOf(looks)).toBeLessThan(1.05 * known.medianMs);
        else expect(lastOf(looks) / took).toBeLessThanOrEqual(1.5);
      }),
      { seed: 1 },
    );
  });

  test('with a median that is wrong by a factor of ten cost at most 16 looks more, or the first look', () => {
    const known = timing(60_000);
    for (const took of durations(600_000, 0.35, 200)) {
      const looks = looksAt(took, known);
      expect(looks.length).toBeLessThanOrEqual(24);
      expect(lastOf(looks) / took).toBeLessThan(1.25 + 1e-6);
    }
    for (const took of durations(6000, 0.35, 200)) {
      const looks = looksAt(took, known).filter((at) => at < took);
      expect(looks).toEqual([]);
      expect(nextLook(known, 0)).toBeLessThan(0.7 * 60_000);
    }
  });

  test('are at once if the project may be over before anybody can look', () => {
    expect(nextLook(timing(10), 0)).toBe(0);
    expect(nextLook(timing(10), 1)).toBe(21);
  });

  test('at a project that never ends are the longest pause apart', () => {
    const looks = looksAt(7 * 86_400_000, timing(772_000));
    const pauses = looks.slice(1).map((at, n) => at - (looks[n] ?? 0));
    expect(Math.max(...pauses)).toBeCloseTo(longestPauseMs);
    expect(looks.length).toBeLessThan(7 * 144 + 30);
  });

  test('besides events are hardly any', () => {
    const all = durations(60_000, 0.35).map((took) => {
      const looks = looksAt(took, timing(60_000), nextLookBesidesEvents);
      return looks.filter((at) => at < took).length;
    });
    expect(mean(all)).toBeLessThan(0.01);
    expect(looksAt(600_000, timing(60_000), nextLookBesidesEvents).length).toBeLessThan(4);
    // An event that comes a second late is no lost event.
    expect(nextLookBesidesEvents(timing(4000, 0.02), 0)).toBeGreaterThan(5000);
  });
});

test('jitter only prolongs a pause, by a tenth at most, and by less where durations hardly vary', () => {
  const prolonged = (spread: number) =>
    [0, 0.5, 1].map((chance) => Math.round(withJitter(1000, timing(4000, spread), chance)));
  expect(prolonged(0.35)).toEqual([1000, 1050, 1100]);
  expect(prolonged(0.1)).toEqual([1000, 1025, 1050]);
});
