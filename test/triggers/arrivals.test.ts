// Files that arrive, change, fail and go: when a run takes them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Arrivals, type Sighting } from '../../src/triggers/watch/arrivals.ts';

const terms = { settleMs: 2000, patienceMs: 10_000 } as const;
const seen = (stamps: Readonly<Record<string, string>>, age = 0): readonly Sighting[] =>
  Object.entries(stamps).map(([key, stamp]) => ({ key, stamp, age }));

describe('a file', () => {
  test('that is old when the watch begins is complete at once; a young one, and any later one, is observed first', () => {
    const arrivals = new Arrivals(terms);
    arrivals.look([...seen({ old: '1' }, 5000), ...seen({ young: '1' }, 500)], 0);
    expect([...arrivals.selection(0)]).toEqual(['old']);
    expect(arrivals.standing(0)).toEqual({
      ...{ added: 1, changed: 0, settling: 1, ready: false, nextAt: 1500 },
    });
    arrivals.look([...seen({ old: '1', young: '1' }), ...seen({ copied: '1' }, 99_999)], 1500);
    expect([...arrivals.selection(1500)]).toEqual(['old', 'young']);
  });

  test('that changes is observed again, and waits no longer than its patience for others', () => {
    const arrivals = new Arrivals(terms);
    arrivals.look(seen({ done: '1' }, 5000), 0);
    for (let elapsed = 0; elapsed < 10_000; elapsed += 1000) {
      arrivals.look(seen({ done: '1', slow: String(elapsed) }), elapsed);
      expect(arrivals.standing(elapsed)).toMatchObject({ added: 1, settling: 1, ready: false });
    }
    arrivals.look(seen({ done: '1', slow: 'x' }), 10_000);
    expect(arrivals.standing(10_000)).toMatchObject({ ready: true });
    expect([...arrivals.selection(10_000)]).toEqual(['done']);
  });

  test('that failed is left out as it is, and taken when it changes or the pipeline does', () => {
    const arrivals = new Arrivals(terms);
    arrivals.look(seen({ a: '1', b: '1' }, 5000), 0);
    arrivals.take(arrivals.selection(0))(['a']);
    expect([...arrivals.selection(0)]).toEqual(['b']);
    expect(arrivals.failed).toBe(1);
    expect(arrivals.standing(0)).toMatchObject({ added: 0, changed: 0, ready: false });
    arrivals.look(seen({ a: '2', b: '1' }), 1);
    expect(arrivals.failed).toBe(0);
    expect(arrivals.standing(2001)).toMatchObject({ changed: 1, ready: true });
    expect([...arrivals.selection(2001)]).toEqual(['a', 'b']);
    arrivals.take(arrivals.selection(2001))(['a']);
    arrivals.forgive();
    expect([...arrivals.selection(2001)]).toEqual(['a', 'b']);
  });

  test('that changed during a run is due again after it, even if it failed', () => {
    const arrivals = new Arrivals(terms);
    arrivals.look(seen({ a: '1' }, 5000), 0);
    const end = arrivals.take(arrivals.selection(0));
    arrivals.look(seen({ a: '2' }), 1);
    end(['a']);
    expect(arrivals.standing(2001)).toMatchObject({ changed: 1, ready: true });
    expect([...arrivals.selection(2001)]).toEqual(['a']);
  });

  test('that is gone is forgotten: it is new when it comes back', () => {
    const arrivals = new Arrivals(terms);
    arrivals.look(seen({ a: '1' }, 5000), 0);
    arrivals.take(arrivals.selection(0))(['a']);
    arrivals.look([], 1);
    expect(arrivals.has('a')).toBe(false);
    arrivals.look(seen({ a: '1' }), 2);
    expect(arrivals.standing(2002)).toMatchObject({ added: 1, changed: 0 });
  });
});

test('whatever happens, a run takes each version of a file at most once as new, never before it is complete, and misses none', () => {
  interface Step {
    readonly key: string;
    readonly does: 'write' | 'remove' | 'nothing';
    readonly ms: number;
  }
  const steps = fc.array(
    fc.record<Step>({
      key: fc.constantFrom('a', 'b', 'c'),
      does: fc.constantFrom('write', 'write', 'remove', 'nothing'),
      ms: fc.constantFrom(0, 500, 1000, 3000, 9000),
    }),
    { maxLength: 60 },
  );
  let taken = 0;
  fc.assert(
    fc.property(steps, (list) => {
      const arrivals = new Arrivals(terms);
      const files = new Map<string, { stamp: string; since: number }>();
      const runs = new Map<string, number>();
      let [elapsed, version] = [0, 0];
      const look = (): void => {
        arrivals.look(
          [...files].map(([key, { stamp }]) => ({ key, stamp, age: 0 })),
          elapsed,
        );
        const { ready, added, changed } = arrivals.standing(elapsed);
        if (!ready) return;
        const keys = arrivals.selection(elapsed);
        let news = 0;
        for (const key of keys) {
          const file = files.get(key);
          if (file === undefined) throw new Error('it is not there');
          expect(elapsed - file.since).toBeGreaterThanOrEqual(terms.settleMs);
          if (!runs.has(file.stamp)) news += 1;
          runs.set(file.stamp, (runs.get(file.stamp) ?? 0) + 1);
        }
        expect(news).toBe(added + changed);
        taken += news;
        arrivals.take(keys)([]);
      };
      for (const { key, does, ms } of list) {
        if (does === 'write') files.set(key, { stamp: `v${++version}`, since: elapsed });
        if (does === 'remove') files.delete(key);
        look();
        elapsed += ms;
      }
      for (let more = 0; more < 8; more++) {
        elapsed += terms.settleMs;
        look();
      }
      for (const { stamp } of files.values()) expect(runs.has(stamp)).toBe(true);
    }),
    { seed: 20261122, numRuns: 300 },
  );
  expect(taken).toBeGreaterThan(400);
});
