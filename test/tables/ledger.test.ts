// The ledger of a state file: credits reserved, charged and refunded, and what it says when it is read again.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { standingFailures } from '../../src/model/failures.ts';
import { committed, Ledger } from '../../src/model/ledger.ts';
import type { JobLine, NewEvent, RunLine } from '../../src/model/line.ts';
import { worthOf } from '../../src/model/state.ts';
import {
  abandoned,
  amended,
  at,
  complete,
  created,
  deleted,
  doubted,
  ended,
  errored,
  folded,
  forgotten,
  intent,
  job,
  journals,
  move,
  output,
  readBack,
  refused,
  run,
  serves,
  supplied,
  textsOf,
  timeOf,
} from '../model/lines.ts';
import { partOf } from '../sweep.ts';

type Sum = readonly [charged: number, refunded: number, reserved: number];

function sums(ledger: Ledger): Sum {
  const { charged, refunded, reserved } = ledger.total;
  return [charged, refunded, reserved];
}

describe('credits', () => {
  test.each<readonly [string, readonly NewEvent[], Sum]>([
    ['nothing happened', [run()], [0, 0, 0]],
    ['a creation is about to be sent', [run(), intent('a', 10)], [0, 0, 10]],
    ['two are', [run(), intent('a', 10), intent('b', 5)], [0, 0, 15]],
    ['it was taken', [run(), intent('a', 10), created('a', 12)], [12, 0, 0]],
    ['it is done', [run(), intent('a', 10), created('a', 12), complete('a', 12)], [12, 0, 0]],
    ['it came dearer', [run(), intent('a', 10), created('a', 12), complete('a', 15)], [15, 0, 0]],
    ['it came cheaper', [run(), intent('a', 10), created('a', 12), complete('a', 9)], [12, 3, 0]],
    [
      'it failed and was refunded',
      [run(), intent('a', 10), created('a', 12), errored('a', 0)],
      [12, 12, 0],
    ],
    [
      'it failed and was not refunded',
      [run(), intent('a', 10), created('a', 12), errored('a', 12)],
      [12, 0, 0],
    ],
    ['it was refused', [run(), intent('a', 10), refused('a')], [0, 0, 0]],
    ['it is in doubt', [run(), intent('a', 10), doubted('a')], [0, 0, 10]],
    [
      'a doubt turned out paid',
      [run(), intent('a', 10), doubted('a'), created('a', 11)],
      [11, 0, 0],
    ],
    [
      'a doubt turned out not charged',
      [run(), intent('a', 10), doubted('a'), refused('a')],
      [0, 0, 0],
    ],
    [
      'another attempt after a refund',
      [
        run(),
        intent('a', 10),
        created('a', 10),
        errored('a', 0),
        intent('a', 10, 2),
        created('a', 10),
        complete('a', 10),
      ],
      [20, 10, 0],
    ],
    [
      'a deletion',
      [run(), intent('a', 10), created('a', 10), complete('a', 10), output('a'), deleted('a')],
      [10, 0, 0],
    ],
    ['free work', [run(), supplied('a'), serves('a')], [0, 0, 0]],
  ])('when %s', (_, events, expected) => {
    expect(sums(folded(events))).toEqual(expected);
  });

  test('count in the run in which they were charged, and all runs make the total', () => {
    const ledger = folded([
      run(1),
      intent('a'),
      created('a', 10),
      ended,
      run(2),
      complete('a', 7),
      intent('b', 20),
      created('b', 25),
    ]);
    expect(ledger.runs()).toEqual([
      { run: 1, at, ended: timeOf(3), charged: 10, refunded: 3 },
      { run: 2, at: timeOf(4), charged: 25, refunded: 0 },
    ]);
    expect(sums(ledger)).toEqual([35, 3, 0]);
    expect(ledger.account).toEqual({ charged: 25, refunded: 0, reserved: 0 });
  });

  test('that are reserved stay so over runs, until somebody resolves the doubt', () => {
    const ledger = folded([run(1), intent('a', 10), doubted('a'), ended, run(2)]);
    expect(ledger.account).toEqual({ charged: 0, refunded: 0, reserved: 10 });
    expect(committed(ledger.account)).toBe(10);
  });

  test('committed are what was charged and not refunded, and what is reserved', () => {
    expect(committed({ charged: 30, refunded: 12, reserved: 7 })).toBe(25);
  });
});

test('a job that was sent outside of a run has no sender', () => {
  expect(folded([intent()]).job(job('a'))).not.toHaveProperty('sender');
  expect(folded([run(1), ended, run(2), intent()]).job(job('a'))).toMatchObject({ sender: 2 });
});

describe('runs', () => {
  test('that were interrupted are gone on with', () => {
    expect(folded([run(1), supplied(), run(2)]).runs()).toEqual([
      { run: 1, at, charged: 0, refunded: 0 },
    ]);
  });

  test('that ended are not', () => {
    const ledger = folded([run(1), ended, run(2)]);
    expect(ledger.openRun).toMatchObject({ run: 2 });
    expect(folded([run(1), ended]).openRun).toBeUndefined();
  });
});

test('an illegal move is a bug: no line is made of it', () => {
  const ledger = folded([run(), intent()]);
  const before = textsOf(ledger);
  expect(() => folded([deleted()], ledger)).toThrow('bug: "deleted" cannot happen');
  expect(textsOf(ledger)).toEqual(before);
});

describe('tasks without a job', () => {
  test('are remembered until they get one', () => {
    const failed: NewEvent = { event: 'failed', task: 'swap:a', why: 'no such file' };
    expect(folded([run(), failed]).task('swap:a')).toEqual({
      task: 'swap:a',
      state: 'failed',
      why: 'no such file',
    });
    expect(folded([run(), failed, intent('a')]).tasks()).toEqual([]);
  });

  test('come sorted, and the last word counts', () => {
    const ledger = folded([
      run(),
      { event: 'failed', task: 'b', why: 'one' },
      { event: 'failed', task: 'a', why: 'two' },
      { event: 'failed', task: 'b', why: 'three' },
    ]);
    expect(ledger.tasks()).toEqual([
      { task: 'a', state: 'failed', why: 'two' },
      { task: 'b', state: 'failed', why: 'three' },
    ]);
  });
});

describe('a skipped task', () => {
  const why = 'its if: is false';
  const skipped: NewEvent = { event: 'skipped', task: 'swap:a', why };
  const failed: NewEvent = { event: 'failed', task: 'swap:a', why: 'no such file' };
  const skip = { task: 'swap:a', state: 'skipped', why } as const;

  test('is not worth a line, and leaves none: the pipeline says that it is skipped', () => {
    expect(folded([run()]).lacks(skip)).toBe(false);
    expect(folded([run(), skipped]).tasks()).toEqual([]);
  });

  test('takes back its failure before a job began', () => {
    expect(folded([run(), failed]).lacks(skip)).toBe(true);
    const ledger = folded([run(), failed, skipped]);
    expect(ledger.tasks()).toEqual([]);
    expect(ledger.lacks(skip)).toBe(false);
    expect(standingFailures(ledger)).toEqual([]);
  });

  test('takes back the failure of its job, also once the file is read again', () => {
    const ledger = folded([run(), intent(), refused()]);
    expect(ledger.lacks(skip)).toBe(true);
    expect(standingFailures(ledger)).toHaveLength(1);
    const after = readBack(folded([run(), intent(), refused(), skipped]));
    expect(after.tasks()).toEqual([skip]);
    expect(after.lacks(skip)).toBe(false);
    expect(standingFailures(after)).toEqual([]);
  });

  test('fails again when it is tried again', () => {
    const tried = [run(), intent(), refused(), skipped, intent('a', 10, 2)];
    expect(folded(tried).lacks(skip)).toBe(false);
    expect(folded([...tried, refused()]).lacks(skip)).toBe(true);
  });
});

test('a failure before a job began is new unless the same is on record', () => {
  const failed = { task: 't', state: 'failed', why: 'one' } as const;
  expect(folded([run()]).lacks(failed)).toBe(true);
  const ledger = folded([run(), { event: 'failed', task: 't', why: 'one' }]);
  expect(ledger.lacks(failed)).toBe(false);
  expect(ledger.lacks({ ...failed, why: 'two' })).toBe(true);
});

describe('money’s trace', () => {
  const paid = [run(), intent(), created('a', 10), complete('a', 10)];

  test('stays when a job is forgotten and begun again', () => {
    const ledger = folded([...paid, forgotten(), intent('a', 10, 2), created('a', 12)]);
    expect(ledger.total).toEqual({ charged: 22, refunded: 0, reserved: 0 });
    expect(ledger.job(job('a'))?.past).toEqual([{ name: 'a #1', project: 'p-a', credits: 10 }]);
  });

  test('of a failed attempt keeps its project, and a later correction of its credits', () => {
    const failed = [run(), intent(), created('a', 10), errored('a', 0), intent('a', 10, 2)];
    const ledger = folded([...failed, amended('a', 4)]);
    expect(ledger.job(job('a'))?.past).toEqual([{ name: 'a #1', project: 'p-a', credits: 4 }]);
    expect(ledger.total).toEqual({ charged: 14, refunded: 10, reserved: 10 });
  });

  test('of a doubt that a person gives up is a charge', () => {
    const ledger = folded([run(), intent('a', 30), doubted(), abandoned('a', 30)]);
    expect(ledger.total).toEqual({ charged: 30, refunded: 0, reserved: 0 });
    expect(ledger.job(job('a'))?.state).toBe('failed');
  });
});

describe('a reservation', () => {
  test('counts also while no run is going on', () => {
    const ledger = folded([run(1), intent('a', 10), created('a', 8), intent('b', 5), ended]);
    expect(ledger.openRun).toBeUndefined();
    expect(ledger.account).toEqual({ charged: 0, refunded: 0, reserved: 5 });
  });
});

test('of two runs with one number, the later one is charged', () => {
  const ledger = folded([run(1), ended, run(1), intent('a', 10), created('a', 8)]);
  expect(ledger.runs().map(({ charged }) => charged)).toEqual([0, 8]);
});

test('the account is that of the run in progress alone', () => {
  const first = [run(1), intent(), created('a', 10), errored('a', 3), ended];
  const ledger = folded([...first, run(2), intent('c'), created('c', 5), errored('c', 0)]);
  expect(ledger.account).toEqual({ charged: 5, refunded: 5, reserved: 0 });
  // That it was refunded in the same run is nothing that the file says.
  expect(readBack(ledger).account).toEqual({ charged: 0, refunded: 0, reserved: 0 });
});

/** What a run or a person does next. */
const acts: Readonly<Record<JobLine['state'], 'begin' | 'attach' | 'doubt' | 'reuse'>> = {
  ...{ failed: 'begin', forgotten: 'begin', created: 'attach', intended: 'doubt', doubt: 'doubt' },
  ...{ complete: 'reuse', deleted: 'reuse', supplied: 'reuse' },
};

/** Goes on with a tool's job as a run and a person would, whatever the service answers, until it is done. */
function endsWell(start: JobLine, chance: () => number): void {
  let line = start;
  if (line.kind === 'upload') return;
  for (let step = 0; step < 60; step++) {
    const act = acts[line.state];
    if (act === 'reuse') return;
    const of = line.tasks[0]?.split(':')[1] ?? 'a';
    const next = nextOf(act, of, line, chance());
    if (next.event === 'intent') {
      const settled = ['failed', 'forgotten'].includes(line.state);
      expect(settled, `${line.state} must not be begun`).toBe(true);
    }
    const moved = move(line, next);
    if (!moved.ok) throw new Error(moved.error);
    expect(worthOf(moved.value)).toBeGreaterThanOrEqual(
      next.event === 'intent' ? worthOf(line) : 0,
    );
    line = moved.value;
  }
  throw new Error('it never ended');
}

function nextOf(act: string, of: string, line: JobLine, chance: number): NewEvent {
  const late = chance % 5;
  switch (act) {
    case 'begin':
      return intent(of, 10, line.attempt + 1);
    case 'attach':
      return late === 0 ? errored(of) : complete(of);
    case 'doubt':
      if (line.state === 'intended' && late === 1) return doubted(of);
      if (late === 2) return refused(of);
      return late === 3 ? abandoned(of) : created(of);
    default:
      throw new Error(`a tool's job cannot ${act}`);
  }
}

/** What the file says of a run: refunds are taken off, and its number is its place. */
const netOf = ({ run: _, charged, refunded, ...run }: RunLine) => ({
  ...run,
  net: charged - refunded,
});

describe('any history', () => {
  test('can be cut after any line: it folds, nothing is below zero, and what it has written says the same', () => {
    fc.assert(
      fc.property(journals, fc.nat(), (events, cut) => {
        const ledger = folded(events.slice(0, events.length === 0 ? 0 : cut % (events.length + 1)));
        const { charged, refunded, reserved } = ledger.total;
        expect(reserved).toBeGreaterThanOrEqual(0);
        expect(charged).toBeGreaterThanOrEqual(refunded);
        const again = readBack(ledger);
        expect(committed(again.total)).toBe(committed(ledger.total));
        expect(committed(again.account)).toBe(committed(ledger.account));
        expect(again.total.reserved).toBe(reserved);
        expect([...again.jobs()]).toEqual([...ledger.jobs()]);
        // A file that was saved outdates the failure of its task, when the record is read.
        expect(again.tasks()).toEqual(new Ledger(ledger.record).tasks());
        expect(again.runs().map(netOf)).toEqual(ledger.runs().map(netOf));
      }),
      { seed: 1, numRuns: partOf(300) },
    );
  });

  test('charges exactly what its jobs cost, earlier attempts included', () => {
    fc.assert(
      fc.property(journals, (events) => {
        const ledger = folded(events);
        const spent = [...ledger.jobs()].reduce((sum, line) => sum + worthOf(line), 0);
        expect(ledger.total.charged - ledger.total.refunded).toBe(spent);
      }),
      { seed: 1, numRuns: partOf(500) },
    );
  });

  test('cut after any line leads to a state from which every job can end, and none is paid twice unasked', () => {
    fc.assert(
      fc.property(journals, fc.nat(), fc.infiniteStream(fc.nat()), (events, cut, chance) => {
        const ledger = folded(events.slice(0, events.length === 0 ? 0 : cut % (events.length + 1)));
        for (const line of ledger.jobs()) endsWell(line, () => Number(chance.next().value));
      }),
      { seed: 7, numRuns: partOf(500) },
    );
  });

  test('has its jobs in the order of their tasks, whatever the order of events', () => {
    const ledger = folded([run(), supplied('z'), supplied('b'), supplied('m')]);
    expect([...ledger.jobs()].map(({ tasks }) => tasks[0])).toEqual([
      'photo:b',
      'photo:m',
      'photo:z',
    ]);
  });
});
