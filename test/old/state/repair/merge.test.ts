// Merges of compacted files whose common beginning is known, each looked at from both sides.
import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../../../src/model/line.ts';
import type { Repair } from '../../../../src/state/repair/proposal.ts';
import {
  complete,
  created,
  doubted,
  ended,
  intent,
  job,
  output,
  run,
} from '../../../model/lines.ts';
import { compact, conflict, header, json, repaired, stateOf } from '../../../tables/damaged.ts';

const start = [run(), intent('a', 10), created('a', 12)];
const before = compact(...start, ended);
const moved = (...more: readonly NewEvent[]): string[] => compact(...start, ...more, ended);

/** Both ways round: nothing depends on whose side is whose. */
function bothWays(
  one: readonly string[],
  other: readonly string[],
  base: readonly string[] | undefined,
  check: (found: Repair) => void,
): void {
  const rest = (lines: readonly string[]): readonly string[] => lines.slice(1);
  const head = [JSON.stringify(header)];
  for (const [ours, theirs] of [
    [one, other],
    [other, one],
  ] as const)
    check(repaired(conflict(head, rest(ours), rest(theirs), base && rest(base))));
}

const creditsOf = ({ ledger }: Repair): readonly number[] => [
  ledger.total.charged,
  ledger.total.refunded,
];

describe('a merge', () => {
  test('takes a job from the one side that moved on, whatever keeps more', () => {
    // A refund: by what it keeps, the other line would win.
    const failed: NewEvent = {
      event: 'settled',
      job: job('a'),
      status: 'error',
      credits: 0,
      error: { code: 'unknown_error', message: 'it broke' },
    };
    bothWays(moved(failed), before, before, (found) => {
      expect(stateOf(found, 'a')).toBe('failed');
      expect(found.damages.map(({ kind }) => kind)).toEqual(['conflict']);
      expect(found.orphans).toEqual([]);
      expect(creditsOf(found)).toEqual([12, 12]);
    });
  });

  test('keeps the take that was picked last, whichever side picked it and whatever the other side did', () => {
    const second: NewEvent = {
      ...{ event: 'intent', job: job('b'), task: 'swap:a', kind: 'face-swap-photo', attempt: 1 },
      ...{ name: 'b #1', reserve: 10, take: { of: job('a'), number: 2 } },
    };
    const base = moved(complete('a', 12), second, created('b', 10), complete('b', 10));
    const both = [complete('a', 12), second, created('b', 10), complete('b', 10)] as const;
    const pick = (take: number): NewEvent => ({ event: 'picked', job: job('a'), take });
    const served: NewEvent = { event: 'serves', job: job('a'), task: 'swap:copy' };
    // The first take is picked again a day later.
    const back = moved(...both, served, pick(1)).map((line) =>
      line.replace(/(?<="picked":\{"take":1,"at":")[^"]*/, '2026-08-06T10:00:00.000Z'),
    );
    const sides = [moved(...both, pick(2)), back] as const;
    bothWays(...sides, base, ({ ledger }) => {
      expect(ledger.job(job('a'))?.picked?.take).toBe(1);
      expect(ledger.job(job('a'))?.tasks).toEqual(['swap:a', 'swap:copy']);
      expect(ledger.takes.later(job('a')).map((line) => line.job)).toEqual([job('b')]);
    });
    bothWays(moved(...both, pick(2)), moved(...both, served), base, ({ ledger }) => {
      expect(ledger.job(job('a'))?.picked?.take).toBe(2);
    });
  });

  test('keeps that the worker of a doubt is silent, and since when', () => {
    const intended = compact(run(), intent('a', 10), ended);
    const lost: NewEvent = { event: 'doubt', job: job('a'), why: 'gone', silent: true };
    const later = '2026-08-06T10:00:00.000Z';
    const silent = compact(run(), intent('a', 10), lost, ended).map((line) =>
      line.replace(/(?<="state":"doubt".*"at":")[^"]*/, later),
    );
    bothWays(silent, intended, undefined, ({ ledger }) => {
      expect(ledger.job(job('a'))).toMatchObject({ silent: true, at: later });
    });
  });

  test('keeps that a file was pruned on one side, whatever the other side did to the job', () => {
    const saved = [complete('a', 12), output('a', 0, 'a.png')] as const;
    const base = moved(...saved);
    const pruned: NewEvent = { event: 'pruned', job: job('a'), task: 'save:a', index: 0 };
    const served: NewEvent = { event: 'serves', job: job('a'), task: 'swap:copy' };
    bothWays(moved(...saved, pruned), moved(...saved, served), base, (found) => {
      const line = found.ledger.job(job('a'));
      expect(line?.tasks).toEqual(['swap:a', 'swap:copy']);
      expect(line?.outputs).toMatchObject([{ path: 'a.png', pruned: expect.any(String) }]);
    });
  });

  test('takes a job that only one side has', () => {
    bothWays(moved(intent('b', 5), created('b', 5)), before, before, (found) => {
      expect(stateOf(found, 'b')).toBe('created');
      expect(creditsOf(found)).toEqual([17, 0]);
      expect(found.credits.jobs).toBe(17);
    });
  });

  test('keeps a job and a run that both sides have lost and the common beginning still has', () => {
    const nothing = [JSON.stringify(header)];
    bothWays(nothing, nothing, before, (found) => {
      expect(stateOf(found, 'a')).toBe('created');
      expect(found.ledger.runs()).toMatchObject([{ run: 1, charged: 12 }]);
    });
  });

  test('says what the sides disagree about, and takes the one that keeps more', () => {
    const one = moved(complete('a', 12), output('a'));
    const other = moved(complete('a', 12));
    bothWays(one, other, before, (found) => {
      expect(found.ledger.job(job('a'))?.outputs).toHaveLength(1);
      expect(found.damages.map(({ kind }) => kind)).toEqual(['conflict', 'disagree']);
      expect(found.changes).toMatchObject([{ job: job('a'), is: 'kept' }]);
    });
  });
});

describe('a run that both sides went on with', () => {
  const at = '2026-08-05T10:00:00.000Z';
  const line = (charged: number, refunded: number, end?: string): string[] =>
    json([header, { run: 1, at, charged, refunded, ...(end === undefined ? {} : { ended: end }) }]);

  test('has the credits that each added, and those from before once', () => {
    bothWays(line(15, 1), line(17, 2), line(10, 0), (found) => {
      expect(creditsOf(found)).toEqual([22, 3]);
      expect(found.ledger.runs()).toHaveLength(1);
    });
  });

  test('never has fewer credits than one of the sides, or than before', () => {
    bothWays(line(5, 0), line(12, 3), line(20, 9), (found) => {
      expect(creditsOf(found)).toEqual([20, 9]);
    });
  });

  test('ended when the later of them ended, and not while one of them goes on', () => {
    bothWays(line(10, 0, '2026-08-06'), line(11, 0, '2026-08-07'), line(10, 0), (found) => {
      expect(found.ledger.runs()).toMatchObject([{ ended: '2026-08-07' }]);
    });
    bothWays(line(10, 0, '2026-08-06'), line(11, 0), line(10, 0), (found) => {
      expect(found.ledger.openRun).toMatchObject({ run: 1 });
    });
  });

  test('without a known beginning has the credits of both: no credit is dropped', () => {
    bothWays(line(10, 0), line(12, 0), undefined, (found) => {
      expect(creditsOf(found)).toEqual([22, 0]);
      expect(found.ledger.runs()).toHaveLength(1);
    });
  });

  test('is charged with what it sent and nobody will hear of, not the run after it', () => {
    const doubt = [run(1), intent('a', 10), doubted('a'), ended, run(2), ended];
    const paid = intent('a', 12, 2);
    const done = [run(1), paid, created('a', 12), complete('a', 12), ended];
    bothWays(compact(...doubt), compact(...done), compact(run(1)), (found) => {
      expect(stateOf(found, 'a')).toBe('complete');
      expect(found.ledger.runs()).toMatchObject([{ charged: 22 }, { charged: 0 }]);
    });
  });
});
