// When a look at a project that renders is useful.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { medianMs, nextUsefulMoment } from '../../../src/runner/plan/useful-moments.ts';

const halfHour = 30 * 60_000;

/** The useful moments of a project that was created at 0, until this age. */
function momentsOf(kind: string, until: number, speedFactor = 1): readonly number[] {
  const moments: number[] = [];
  let last: number | undefined;
  for (;;) {
    last = nextUsefulMoment({ kind, since: 0 }, last, speedFactor);
    if (last > until) return moments;
    moments.push(last);
  }
}

describe('the useful moments', () => {
  test('begin at six tenths of the median, and each is half as late again', () => {
    const [first = 0, second = 0, third = 0] = momentsOf('character-replace', 3_600_000);
    expect(first).toBeCloseTo(0.6 * 446_000);
    expect([second / first, third / second]).toEqual([1.5, 1.5]);
  });

  test('are never more than half an hour apart, and never stop', () => {
    const moments = momentsOf('video-to-video', 7 * 86_400_000);
    const pauses = moments.slice(1).map((moment, n) => moment - (moments[n] ?? 0));
    expect(Math.max(...pauses)).toBeCloseTo(halfHour);
    expect(moments.length).toBeGreaterThan(330);
    expect(moments.length).toBeLessThan(350);
  });

  test('come faster at a faster service, with a shorter longest pause', () => {
    expect(medianMs('text-to-video', 60)).toBe(850);
    const [first] = momentsOf('text-to-video', 1000, 60);
    expect(first).toBeCloseTo(510);
  });

  test('a tool that nobody knows takes seconds', () => {
    expect(nextUsefulMoment({ kind: 'new-tool', since: 1000 }, undefined, 1)).toBe(7000);
  });

  test('depend only on the last look: whenever it was, the next one is later, and is one of the same moments', () => {
    const moments = momentsOf('lip-sync', 86_400_000);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 80_000_000 }), (lookedAt) => {
        const next = nextUsefulMoment({ kind: 'lip-sync', since: 0 }, lookedAt, 1);
        const expected = moments.find((moment) => moment > lookedAt);
        expect(Math.abs(next - (expected ?? 0))).toBeLessThan(1);
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});
