// What is known of how long projects take.
import { describe, expect, test } from 'vitest';
import { Durations } from '../../../src/runner/plan/durations.ts';
import { narrowestStep, nextLook, withJitter } from '../../../src/runner/plan/look-schedule.ts';

const animation = 596_000;

/** So many projects were begun, and some of them are over, each after so many milliseconds. */
function taught(begun: number, over: readonly number[], known?: readonly number[]): Durations {
  const durations = new Durations({
    speedFactor: 1,
    ...(known === undefined ? {} : { known: () => new Map([['animation', known]]) }),
  });
  for (let times = 0; times < begun; times++) durations.begun('animation');
  for (const ms of over) durations.over('animation', ms, ms);
  return durations;
}

/** Of an earlier run: the end was noticed about a step late. */
const earlier = (ms: number): number => ms * Math.exp(-narrowestStep);

const medianOf = (durations: Durations): number => durations.timingOf('animation').medianMs;

const times = (count: number, ms: number): readonly number[] => Array(count).fill(ms);

describe('the duration of a kind', () => {
  test('is the published median at first, divided by the speed of the service', () => {
    expect(medianOf(taught(0, []))).toBe(animation);
    const fast = new Durations({ speedFactor: 10 }).timingOf('animation');
    expect(fast).toEqual({ medianMs: animation / 10, spread: 0.35, longestPauseMs: 60_000 });
  });

  test('of which nothing is published is a few seconds, or something quite different', () => {
    for (const kind of ['face-detect', 'a-new-tool'])
      expect(new Durations({ speedFactor: 1 }).timingOf(kind)).toMatchObject({
        ...{ medianMs: 4000, spread: 0.7 },
      });
  });

  test('follows the projects of earlier runs, if there are three', () => {
    expect(medianOf(taught(0, [], [1000, 3000, 2000]))).toBeCloseTo(earlier(2000));
    expect(medianOf(taught(0, [], [1000, 3000]))).toBe(animation);
  });

  test('follows the projects of this run when eight are over', () => {
    expect(medianOf(taught(8, times(7, 5000), times(9, 2000)))).toBeCloseTo(earlier(2000));
    expect(medianOf(taught(8, times(8, 5000), times(9, 2000)))).toBe(5000);
  });

  test('does not follow the first ones to end while more than twice as many are in progress', () => {
    expect(medianOf(taught(99, times(32, 500_000)))).toBe(animation);
    expect(medianOf(taught(99, times(33, 500_000)))).toBe(500_000);
  });

  test('is shown by a pilot, which tells the others if it is far shorter than what is published', () => {
    const durations = new Durations({ speedFactor: 1 });
    const pilot = durations.pilot('animation');
    expect(pilot).toBeDefined();
    expect(durations.pilot('animation')).toBeUndefined();
    expect(durations.pilot('face-detect')).toBeDefined();
    const sooner = durations.sooner('animation');
    durations.over('animation', 4000, 9000);
    expect(sooner?.aborted).toBe(true);
    expect(durations.timingOf('animation')).toMatchObject({ medianMs: 6000, spread: 0.7 });
    expect([durations.pilot('animation'), durations.sooner('animation')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('is shown by another pilot if the first one ended without a result, and by none if earlier runs show it', () => {
    const durations = new Durations({ speedFactor: 1 });
    durations.pilot('animation')?.[Symbol.dispose]();
    expect(durations.pilot('animation')).toBeDefined();
    expect(taught(0, [], [1000, 3000, 2000]).pilot('animation')).toBeUndefined();
  });

  test('stays as published if the pilot takes about as long', () => {
    const durations = new Durations({ speedFactor: 1 });
    const sooner = durations.sooner('animation');
    durations.over('animation', 400_000, 450_000);
    expect(sooner?.aborted).toBe(false);
    expect(medianOf(durations)).toBe(animation);
  });

  test('stays as published if a project is over at its first look and the timer fired early', () => {
    const durations = new Durations({ speedFactor: 1 });
    const sooner = durations.sooner('animation');
    const firstLookMs = nextLook(durations.timingOf('animation'), 0);
    durations.over('animation', 0, firstLookMs - 1);
    expect(sooner?.aborted).toBe(false);
    expect(medianOf(durations)).toBe(animation);
  });

  test.each([
    { runs: 50, count: 12 },
    { runs: 50, count: 60 },
    { runs: 1, count: 5000 },
  ])(
    'does not grow when it is learnt from ends that were noticed late: runs $runs, projects $count',
    ({ runs, count }) => {
      const tookMs = 5000;
      let known: readonly number[] = [];
      for (let run = 0; run < runs; run++) {
        const durations = taught(0, [], known);
        const noticed = Array.from({ length: count }, () => {
          durations.begun('animation');
          const timing = durations.timingOf('animation');
          let [seenMs, at] = [0, 0];
          while (at < tookMs) {
            seenMs = at;
            at += withJitter(nextLook(timing, at) - at, timing, 0.5);
          }
          durations.over('animation', seenMs, at);
          return at;
        });
        known = [...noticed.toReversed(), ...known].slice(0, 100);
      }
      expect(Math.max(...known.slice(0, 12))).toBeLessThan(1.1 * tookMs);
      expect(medianOf(taught(0, [], known))).toBeGreaterThan(0.95 * tookMs);
    },
  );

  test('is forgotten after a hundred newer ones', () => {
    expect(medianOf(taught(0, [...times(100, 5000), ...times(60, 9000)]))).toBe(9000);
  });

  test('does not depend on a few that hung', () => {
    const { medianMs, spread } = taught(0, [...times(90, 5000), ...times(9, 9e9)]).timingOf(
      'animation',
    );
    expect(medianMs).toBe(5000);
    expect(spread).toBeLessThan(0.2);
  });

  test('has the spread of what was seen, which a few projects say little about', () => {
    const wide = [1000, 2000, 4000, 8000, 16_000, 32_000];
    const few = taught(0, [], wide).timingOf('animation').spread;
    const many = taught(0, [], Array(16).fill(wide).flat()).timingOf('animation').spread;
    expect(few).toBeGreaterThan(0.35);
    expect(many).toBeGreaterThan(few);
    expect(many).toBeLessThanOrEqual(1.2);
  });

  test('is taken to vary little when many take the same time, and not by much less when three do', () => {
    const spreadOf = (count: number) =>
      taught(0, [], times(count, 5000)).timingOf('animation').spread;
    expect(spreadOf(3)).toBeGreaterThan(0.1);
    expect(spreadOf(100)).toBeLessThan(0.025);
    expect(spreadOf(100)).toBeGreaterThan(0.02);
  });

  test('is between two looks; before the first look, it may have been much shorter', () => {
    const durations = new Durations({ speedFactor: 1 });
    for (let n = 0; n < 8; n++) durations.over('animation', 4000, 9000);
    expect(medianOf(durations)).toBe(6000);
    const early = new Durations({ speedFactor: 1 });
    for (let n = 0; n < 3; n++) early.over('animation', 0, 420_000);
    expect(medianOf(early)).toBeCloseTo(420_000 * Math.exp(-0.35));
  });

  test('before the first look may have been a little shorter where durations hardly vary', () => {
    const steady = taught(0, [], times(100, 5000));
    for (let n = 0; n < 8; n++) steady.over('animation', 0, 5000);
    expect(medianOf(steady)).toBeLessThan(5000);
    expect(medianOf(steady)).toBeGreaterThan(4700);
  });

  test('asks for the projects of earlier runs only once, when somebody waits', () => {
    let asked = 0;
    const known = () => {
      asked += 1;
      return new Map();
    };
    const durations = new Durations({ speedFactor: 1, known });
    durations.begun('animation');
    expect(asked).toBe(0);
    durations.timingOf('animation');
    durations.timingOf('lip-sync');
    expect(asked).toBe(1);
  });
});
