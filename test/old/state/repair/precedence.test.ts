// What becomes of one job when a line about it cannot be read, or when two lines disagree: a row of the tables each.
import { describe, expect, test } from 'vitest';
import type { JobLine, NewEvent } from '../../../../src/model/line.ts';
import type { Claim } from '../../../../src/state/repair/adjudicator.ts';
import { verdictOn } from '../../../../src/state/repair/adjudicator.ts';
import { preferred } from '../../../../src/state/repair/precedence.ts';
import {
  amended,
  complete,
  created,
  deleted,
  doubted,
  ended,
  errored,
  forgotten,
  gone,
  intent,
  job,
  jobAfter,
  output,
  run,
  serves,
  supplied,
} from '../../../model/lines.ts';
import { compact, journal, repaired, stateOf } from '../../../tables/damaged.ts';

function line(...events: readonly NewEvent[]): JobLine {
  const after = jobAfter(...events);
  if (after === undefined) throw new Error('no job');
  return after;
}

/** The same job, paid with another project. */
const elsewhere = (of: JobLine): JobLine => ({ ...of, name: 'other', project: 'q-a' });
const bare = (of: JobLine): JobLine => {
  const { project: _project, ...rest } = of;
  return rest;
};

const paid = [intent(), created()];
const rows: readonly (readonly [string, JobLine])[] = [
  ['free and done', line(supplied())],
  ['complete', line(...paid, complete())],
  ['deleted with its files', line(...paid, complete(), output(), deleted())],
  ['created', line(...paid)],
  ['deleted without a file', line(...paid, gone())],
  ['in doubt', line(intent(), doubted())],
  ['failed', line(intent('a', 10, 1), created(), errored())],
];

describe('of two lines about one job', () => {
  const pairs = rows.flatMap(([better, a], index) =>
    rows.slice(index + 1).map(([worse, b]) => [better, worse, a, b] as const),
  );
  test.each(pairs)('%s is taken over %s', (_, _worse, a, b) => {
    const other = b.project === undefined ? b : elsewhere(b);
    const { line: kept } = preferred(a, other);
    expect([kept.state, kept.project]).toEqual([a.state, a.project]);
    expect(preferred(other, a).line.state).toBe(a.state);
  });

  test.each(['created', 'complete', 'deleted'] as const)(
    'one that is %s without a project is worth no more than a doubt',
    (state) => {
      const lost = { ...bare(line(...paid, complete(), output())), state };
      expect(preferred(lost, line(...paid, gone())).line.project).toBe('p-a');
    },
  );

  test('both in doubt, the later attempt is taken, and the other one is listed', () => {
    const first = line(intent(), doubted());
    const second = { ...first, attempt: 2, name: 'a #2' };
    for (const found of [preferred(first, second), preferred(second, first)]) {
      expect(found.line).toMatchObject({ name: 'a #2', attempt: 2 });
      expect(found.orphan).toMatchObject({ name: 'a #1' });
    }
  });

  test('about one project, the later one is taken with what the other knew of earlier attempts', () => {
    const past = [{ name: 'a #0', project: 'p-0', credits: 3 }];
    const early = { ...line(...paid), past };
    const late = line(...paid, complete());
    for (const found of [preferred(early, late), preferred(late, early)])
      expect(found).toEqual({ line: { ...late, past } });
  });
});

test('of two lines about different attempts, one that is forgotten or failed is taken over nothing', () => {
  const doubt = { ...line(intent(), doubted()), name: 'a #9' };
  const over = line(...paid, complete(), forgotten());
  for (const found of [preferred(over, doubt), preferred(doubt, over)])
    expect(found.line.state).toBe('doubt');
});

test('of two lines about one attempt, one that is forgotten knows how the doubt was resolved', () => {
  const doubt = line(intent(), doubted());
  const over = line(...paid, complete(), forgotten());
  for (const found of [preferred(over, doubt), preferred(doubt, over)])
    expect(found.line).toEqual(over);
});

test('files of a project that is not settled do not make it a deleted one', () => {
  const files = line(...paid, complete(), output());
  const deletedOne = elsewhere(line(...paid, complete(), output(), deleted()));
  const unsettled: JobLine = { ...files, state: 'created' };
  expect(preferred(unsettled, deletedOne).line.state).toBe('deleted');
  expect(preferred(deletedOne, unsettled).line.state).toBe('deleted');
});

test('the tasks of both lines are kept, sorted', () => {
  const one = { ...line(...paid), tasks: ['z'] };
  expect(preferred(one, { ...one, tasks: ['a', 'z'] }).line.tasks).toEqual(['a', 'z']);
});

test.each([
  ['its own, where that is known', 'head-swap', 'face-swap-photo', 'head-swap'],
  ['the other line’s, where its own is not known', 'unknown', 'head-swap', 'head-swap'],
  ['unknown, where the other line’s creates no projects', 'unknown', 'upload', 'unknown'],
])('the step kind of the preferred line is %s', (_, own, other, kind) => {
  const kept = { ...line(...paid, complete()), kind: own };
  const lost = { ...line(intent(), doubted()), kind: other };
  expect(preferred(kept, lost).line.kind).toBe(kind);
  expect(preferred(lost, kept).line.kind).toBe(kind);
});

test('a doubt of an unknown step kind may turn out to be free', () => {
  const unknown = { ...line(intent(), doubted()), kind: 'unknown' };
  expect(preferred(unknown, line(supplied(), forgotten())).line).toMatchObject({
    ...{ state: 'doubt', kind: 'upload' },
  });
});

describe('what becomes of a job', () => {
  const verdict = (fields: Claim['fields'], before?: JobLine, kind = 'head-swap'): string =>
    verdictOn({ job: job('a'), kind, before, fields, why: 'it is torn' });
  const before = line(...paid);

  test.each<readonly [string, string, Claim['fields'], JobLine | undefined]>([
    ['its line is a free result', 'unchanged', { event: 'supplied' }, undefined],
    ['its line says it is free and done', 'unchanged', { state: 'supplied' }, undefined],
    ['its line names the known project', 'unchanged', { project: 'p-a' }, before],
    ['its line names another project', 'paid', { project: 'q' }, before],
    ['its line names a project, and it is not known', 'paid', { project: 'q' }, undefined],
    [
      'its line amends another project',
      'in doubt if it may begin',
      { event: 'amended', project: 'q' },
      before,
    ],
    ['it is not known', 'in doubt', { attempt: 2 }, undefined],
    ['its line is a later attempt', 'next attempt in doubt', { attempt: 2 }, before],
    ['its line is the same attempt', 'in doubt if it may begin', { attempt: 1 }, before],
    ['its line says nothing', 'in doubt if it may begin', {}, before],
  ])('when %s: %s', (_, expected, fields, known) => {
    expect(verdict(fields, known)).toBe(expected);
    expect(verdict(fields, known, 'upload')).toBe('unchanged');
  });
});

describe('a line that cannot be read', () => {
  /** The last line without its end. */
  const cutLast = (lines: readonly string[], at?: string): string[] =>
    lines.with(
      -1,
      (lines.at(-1) ?? '').slice(0, at === undefined ? -4 : lines.at(-1)?.indexOf(at)),
    );

  test('changes nothing about a deleted project, which is never paid again unasked', () => {
    const lines = journal(run(), ...paid, complete(), output(), deleted(), serves());
    expect(stateOf(repaired(cutLast(lines)), 'a')).toBe('deleted');
  });

  test('charges nothing again where it names the project that is known', () => {
    const lines = journal(run(), ...paid);
    const copy = (lines.at(-1) ?? '').replace('"seq":3', '"seq":4').replace(/,"at".*/, ',"a');
    const found = repaired([...lines, copy]);
    expect(stateOf(found, 'a')).toBe('created');
    expect(found.ledger.total).toEqual({ charged: 10, refunded: 0, reserved: 0 });
  });

  test('is no reason to doubt a free job, also where it is missing', () => {
    const lines = journal(run(), supplied(), forgotten(), serves(), supplied('b'));
    expect(stateOf(repaired(lines.toSpliced(4, 1)), 'a')).toBe('forgotten');
  });

  test('leaves a free job that a person forgot as it is', () => {
    const lines = journal(run(), supplied(), forgotten(), serves());
    expect(stateOf(repaired(cutLast(lines)), 'a')).toBe('forgotten');
  });

  test('says nothing about the last attempt where it amends the charge of an earlier one', () => {
    const second = { ...created('a', 9), project: 'p-two', job: job('a'), credits: 9 } as const;
    const again = [intent('a', 10, 2), { ...second, event: 'created' as const }];
    const lines = journal(run(), ...paid, errored(), ...again, amended('a', 3));
    const found = repaired(cutLast(lines));
    expect(found.ledger.job(job('a'))).toMatchObject({ state: 'created', project: 'p-two' });
    expect(found.orphans).toEqual([]);
  });

  test('is another attempt only where its number is higher', () => {
    const done = compact(run(), ...paid, complete(), ended);
    const copy = (done.at(-1) ?? '').replace(/,"reserve".*/, '');
    expect(stateOf(repaired([...done, copy]), 'a')).toBe('complete');
    const next = copy.replace('"attempt":1', '"attempt":2');
    expect(stateOf(repaired([...done, next]), 'a')).toBe('doubt');
  });

  test('lists the attempt that it names, where the job is known by another one', () => {
    const done = compact(run(), ...paid, complete(), ended);
    const copy = (done.at(-1) ?? '').replace(/,"reserve".*/, ',"x').replace('a #1', 'b #1');
    const found = repaired([...done, copy]);
    expect(stateOf(found, 'a')).toBe('complete');
    expect(found.orphans).toMatchObject([{ name: 'b #1' }]);
  });

  test('sets aside the dearest charge of its kind where it does not say its price', () => {
    const lines = journal(run(), intent('b', 5), created('b', 30), intent('a', 10));
    const found = repaired(cutLast(lines, ',"reserve"'));
    expect(found.ledger.job(job('a'))).toMatchObject({ state: 'doubt', reserve: 30 });
  });
});
