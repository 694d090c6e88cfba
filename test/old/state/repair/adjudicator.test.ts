// What becomes of one job when an event is no legal move, or when a line about it can be read only in part.
import { describe, expect, test } from 'vitest';
import type { JobLine, NewEvent } from '../../../../src/model/line.ts';
import type { JobEvent } from '../../../../src/model/state.ts';
import {
  Adjudicator,
  type Claim,
  doubtLine,
  paidLine,
  savedResult,
  tasksOf,
} from '../../../../src/state/repair/adjudicator.ts';
import {
  at,
  complete,
  created,
  deleted,
  doubted,
  ended,
  errored,
  folded,
  intent,
  job,
  jobAfter,
  numbered,
  output,
  refused,
  run,
  supplied,
} from '../../../model/lines.ts';
import { context } from '../../../tables/damaged.ts';

function having(...events: readonly NewEvent[]): Adjudicator {
  const adjudicator = new Adjudicator(context.kindOf);
  folded(events, adjudicator.ledger);
  return adjudicator;
}

function asEvent(happened: NewEvent): JobEvent {
  const [line] = numbered([happened]);
  if (line === undefined || !('job' in line)) throw new Error('about no job');
  return line;
}

const lineOf = ({ ledger }: Adjudicator, of = 'a'): JobLine | undefined => ledger.job(job(of));
const start = [run(), intent('a', 10)];
const paid = [...start, created('a', 12)];
const why = 'it is torn';

describe('a run that is lost', () => {
  test.each([
    ['is the first', [], [1]],
    ['follows the last one', [run(1), ended, run(2), ended, run(5), ended], [1, 2, 5, 6]],
    ['is not lost where one is open', [run(7)], [7]],
  ])('%s', (_, events, numbers) => {
    const found = having(...events);
    found.openRun('later');
    expect(found.ledger.runs().map((line) => line.run)).toEqual(numbers);
    expect(found.orphans).toEqual([]);
  });

  test('is opened for the charge of a creation whose line can be read in part', () => {
    const found = having();
    found.adjudicate(job('a'), { event: 'created', project: 'q', credits: 9, at: 'then' }, why);
    expect(found.ledger.runs()).toEqual([{ run: 1, at: 'then', charged: 9, refunded: 0 }]);
    expect(lineOf(found)).toMatchObject({ state: 'created', project: 'q', credits: 9 });
  });
});

test('a creation whose charge cannot be read opens no run', () => {
  const found = having();
  found.adjudicate(job('a'), { event: 'created', project: 'q' }, why);
  expect(found.ledger.runs()).toEqual([]);
  expect(lineOf(found)).toMatchObject({ state: 'created', project: 'q' });
});

describe('an event that is no legal move', () => {
  test('keeps the file of a project that is not settled', () => {
    const found = having(...paid);
    found.adjudicateEvent(asEvent(output()), why);
    expect(lineOf(found)).toMatchObject({ state: 'created', outputs: [{ path: 'a-0.png' }] });
    expect([...found.adjudicated]).toEqual([[job('a'), why]]);
  });

  test('keeps the result of a project that was deleted before it was settled', () => {
    const found = having(...paid);
    const line = lineOf(found);
    if (line === undefined) throw new Error('no job');
    found.put({ ...line, result: { downloads: 2 } });
    found.adjudicateEvent(asEvent(output()), why);
    found.adjudicateEvent(asEvent(deleted()), why);
    expect(lineOf(found)).toMatchObject({
      ...{ state: 'deleted', result: { downloads: 2 }, tasks: ['swap:a', 'tidy:a'] },
    });
  });

  test.each([
    ['a creation that is about to be sent', start, 'doubt'],
    ['a creation in doubt', [...start, doubted()], 'doubt'],
    ['a failed job', [...start, refused()], 'doubt'],
    ['a job that nobody knows', [run()], 'doubt'],
  ] as const)('such as a deletion of %s leaves a doubt', (_, events, state) => {
    const found = having(...events);
    found.adjudicateEvent(asEvent(deleted()), why);
    expect(lineOf(found)?.state).toBe(state);
    expect(found.adjudicated.get(job('a'))).toBe(why);
  });
});

describe('a line that can be read in part', () => {
  test.each([
    ['is no creation', { event: 'settled', credits: 50 }, 10],
    ['is a creation', { event: 'created', credits: 50 }, 50],
  ])('sets its charge aside for a failed job only when it %s', (_, fields, reserve) => {
    const found = having(...start, refused());
    found.adjudicate(job('a'), fields, why);
    expect(lineOf(found)).toMatchObject({ state: 'doubt', reserve });
  });

  test.each([
    ['a creation with its credits', { event: 'created', project: 'q', credits: 9 }, 9, 9],
    ['a creation without its credits', { event: 'created', project: 'q' }, 0, undefined],
    ['a job line', { state: 'complete', project: 'q', credits: 9 }, 0, 9],
  ] as const)('charges the run for %s or not', (_, fields, charged, credits) => {
    const found = having(run());
    found.adjudicate(job('a'), fields, why);
    expect(found.ledger.total.charged).toBe(charged);
    expect(lineOf(found)).toMatchObject({ state: 'created', project: 'q' });
    expect(lineOf(found)?.credits).toBe(credits);
  });

  test('and names a second project of a job keeps the first, and lists the other', () => {
    const found = having(...paid);
    found.adjudicate(job('a'), { event: 'created', project: 'q', credits: 9 }, why);
    expect(lineOf(found)).toMatchObject({
      ...{ project: 'p-a', past: [{ project: 'q', credits: 9 }] },
    });
    expect(found.orphans).toMatchObject([{ project: 'q', credits: 9 }]);
    expect(found.ledger.total.charged).toBe(21);
    expect(found.adjudicated.get(job('a'))).toBe(why);
  });

  test('of a later attempt lists the project before, and of an unknown job lists nothing', () => {
    const found = having(...paid);
    found.adjudicate(job('a'), { attempt: 2 }, why);
    found.adjudicate(job('b'), { attempt: 1 }, why);
    expect(lineOf(found)?.state).toBe('doubt');
    expect(lineOf(found, 'b')?.state).toBe('doubt');
    expect(found.orphans).toEqual([expect.objectContaining({ project: 'p-a', job: job('a') })]);
    expect(found.orphans[0]).not.toHaveProperty('state');
  });

  test.each([
    ['without a name', {}, 0],
    ['with the name that is known', { name: 'a #1' }, 0],
    ['with another name', { name: 'b #1' }, 1],
  ])('%s lists an attempt or not', (_, fields, orphans) => {
    const found = having(...paid, complete('a', 12));
    found.adjudicate(job('a'), fields, why);
    expect(lineOf(found)).toMatchObject({ state: 'complete', project: 'p-a' });
    expect(found.orphans).toHaveLength(orphans);
  });
});

describe('the step kind of a job', () => {
  const kindAfter = (
    fields: Parameters<Adjudicator['adjudicate']>[1],
    ...events: readonly NewEvent[]
  ): string | undefined => {
    const found = having(...events);
    found.adjudicate(job('a'), fields, why);
    return lineOf(found)?.kind;
  };

  test.each([
    ['is what its line says', { kind: 'head-swap', task: 'swap:a' }, [], 'head-swap'],
    ['is what is known', { task: 'swap:a', attempt: 2 }, [intent('a', 1, 1, 'x')], 'x'],
    [
      'is that of its step, where only the fingerprint was known',
      { task: 'swap:a', attempt: 2 },
      [intent('a', 1, 1, 'unknown')],
      'face-swap-photo',
    ],
    [
      'is that of the first task whose step is known',
      { tasks: ['gone:a', 'swap:a'] },
      [],
      'face-swap-photo',
    ],
    ['is unknown, where no step is known', { task: 'gone:a' }, [], 'unknown'],
  ])('%s', (_, fields, events, kind) => {
    expect(kindAfter(fields, ...events)).toBe(kind);
  });
});

describe('a job that may have been begun in a gap', () => {
  test('keeps the name that was sent, where it was open', () => {
    const found = having(...start);
    const line = lineOf(found);
    if (line === undefined) throw new Error('no job');
    found.doubt(line, why);
    expect(lineOf(found)).toStrictEqual({
      ...line,
      ...{ state: 'doubt', error: { code: 'in_doubt', message: why } },
    });
    expect([...found.adjudicated]).toEqual([[job('a'), why]]);
  });

  test('has a name that nobody knows, where the attempt before was over', () => {
    const found = having(...paid, errored('a', 3));
    const line = lineOf(found);
    if (line === undefined) throw new Error('no job');
    found.doubt(line, why);
    expect(lineOf(found)).not.toHaveProperty('name');
    expect(lineOf(found)?.past).toEqual([{ name: 'a #1', project: 'p-a', credits: 3 }]);
  });

  test('and has no name is left without one', () => {
    const found = having(...start);
    const { name: _name, ...line } = lineOf(found) ?? { job: job('a'), kind: 'x', tasks: [], at };
    found.put({ attempt: 1, ...line, state: 'intended' });
    const before = lineOf(found);
    if (before !== undefined) found.doubt(before, why);
    expect(lineOf(found)).not.toHaveProperty('name');
  });

  test('sets aside what the attempt before cost, where nothing else is known', () => {
    const found = having();
    const line = { job: job('a'), kind: 'head-swap', state: 'failed' as const, tasks: [], at };
    found.doubt({ ...line, attempt: 1, credits: 7 }, why);
    expect(lineOf(found)?.reserve).toBe(7);
  });

  test('is no doubt where it is free, paid or deleted', () => {
    for (const events of [[supplied()], paid, [...paid, complete(), deleted()]]) {
      const found = having(...events);
      const line = lineOf(found);
      if (line !== undefined) found.doubt(line, why);
      expect(found.adjudicated.size).toBe(0);
    }
  });
});

test('of two lines, the one that is not kept is listed, and the job is named with the reason', () => {
  const found = having(...paid);
  const line = lineOf(found);
  if (line === undefined) throw new Error('no job');
  found.prefer(line, { ...line, state: 'complete', project: 'q' }, why);
  expect(lineOf(found)).toMatchObject({ state: 'complete', project: 'q' });
  expect(found.orphans).toMatchObject([{ project: 'p-a' }]);
  expect([...found.adjudicated]).toEqual([[job('a'), why]]);
});

// The job lines that a line which cannot be taken as it is can support: each field, and where it comes from.

function known(...more: readonly NewEvent[]): JobLine {
  const line = jobAfter(intent('a', 10), ...more);
  if (line === undefined) throw new Error('no job');
  return line;
}

const done = known(created('a', 12), complete('a', 12), output('a'));
const claim = (fields: Claim['fields'], before?: JobLine, why = 'it is torn'): Claim => ({
  ...{ job: job('a'), kind: 'face-swap-photo', before, fields, why },
});
const bare = { job: job('a'), kind: 'face-swap-photo' };
const file = (index: number): NonNullable<JobLine['outputs']>[number] => ({
  ...{ task: 'save:a', index, path: `${index}.png`, bytes: 5, sha256: job('x') },
});

describe('a doubt', () => {
  const error = { code: 'in_doubt', message: 'it is torn' };

  test('of which only the fingerprint is known is the first attempt, at the dearest price', () => {
    expect(doubtLine(claim({}), 30)).toStrictEqual({
      ...bare,
      ...{ state: 'doubt', tasks: [], attempt: 1, at: '', reserve: 30, error },
    });
  });

  test('keeps what is known of its attempt, and nothing of a project', () => {
    const { project: _p, credits: _c, result: _r, outputs: _o, ...rest } = done;
    const line = { ...done, added: 2, expires: 'x' };
    expect(doubtLine(claim({}, line), 30)).toStrictEqual({ ...rest, state: 'doubt', error });
  });

  test('takes what its line says over what is known', () => {
    const fields = { at: 'later', task: 'copy:a', name: 'b', reserve: 7 };
    expect(doubtLine(claim(fields, done), 30)).toMatchObject({
      ...{ at: 'later', tasks: ['copy:a', 'swap:a'], name: 'b', reserve: 7 },
    });
  });

  test.each([
    ['what was set aside, where that is more', { reserve: 9 }, { credits: 4 }, 9],
    ['what its line says was charged, where that is more', { reserve: 9 }, { credits: 14 }, 14],
    ['the known charge, where nothing was set aside', { credits: 40 }, {}, 40],
    ['the dearest of its kind, where that is more than the charge', { credits: 4 }, {}, 30],
  ])('sets aside %s', (_, before, fields, reserve) => {
    const { reserve: _r, credits: _c, ...rest } = done;
    expect(doubtLine(claim(fields, { ...rest, ...before }), 30).reserve).toBe(reserve);
  });

  test('of a later attempt keeps the project before in its past, and of the same one does not', () => {
    const past = [{ name: 'a #1', project: 'p-a', credits: 12 }];
    expect(doubtLine(claim({ attempt: 2 }, done), 0)).toMatchObject({ attempt: 2, past });
    expect(doubtLine(claim({ attempt: 1 }, done), 0)).not.toHaveProperty('past');
    expect(doubtLine(claim({}, done), 0)).not.toHaveProperty('past');
    expect(doubtLine(claim({ attempt: 2 }), 0)).not.toHaveProperty('past');
  });
});

describe('a paid job', () => {
  test('of which only the project is known is read again', () => {
    expect(paidLine(claim({ project: 'q' }))).toStrictEqual({
      ...bare,
      ...{ project: 'q', state: 'created', tasks: [], attempt: 1, at: '' },
    });
  });

  test('keeps of the attempt before what does not belong to its project', () => {
    const line = paidLine(claim({ project: 'q' }, { ...done, added: 2, expires: 'x' }));
    const { credits: _c, result: _r, outputs: _o, ...rest } = done;
    expect(line).toStrictEqual({ ...rest, project: 'q', state: 'created' });
  });

  test('has the time and the attempt of its line, else those that are known', () => {
    const said = { project: 'q', at: 'later', attempt: 3 };
    expect(paidLine(claim(said, done))).toMatchObject({ at: 'later', attempt: 3 });
    expect(paidLine(claim({ project: 'q', attempt: 1 }, { ...done, attempt: 2 }))).toMatchObject({
      ...{ at, attempt: 2 },
    });
    expect(paidLine(claim(said))).toMatchObject({ at: 'later', attempt: 3 });
  });

  test('that its line says is complete is created: the service says what became of it', () => {
    const said = { project: 'q', state: 'complete' as const, outputs: [file(0)] };
    const line = paidLine(claim(said));
    expect(line).toMatchObject({ state: 'created', outputs: [file(0)] });
    expect(line).not.toHaveProperty('result');
  });

  test('that its line says is deleted stays so, with as many downloads as its files say', () => {
    const said = { project: 'q', state: 'deleted' as const, outputs: [file(0), file(1)] };
    const two = { state: 'deleted', result: { downloads: 2 } };
    expect(paidLine(claim(said))).toMatchObject(two);
    const three = { result: { downloads: 3 } };
    expect(paidLine(claim({ ...said, ...three }))).toMatchObject({ state: 'deleted', ...three });
    expect(paidLine(claim({ project: 'q', state: 'deleted' }))).not.toHaveProperty('result');
  });
});

test('a download that two tasks saved counts once, and no file says nothing', () => {
  expect(savedResult([file(0), { ...file(0), task: 'more:a' }, file(2)])).toEqual({
    result: { downloads: 2 },
  });
  expect(savedResult([])).toEqual({});
});

test('the tasks of a job are those that are known and those that its line names, sorted, each once', () => {
  expect(tasksOf(undefined, {})).toEqual([]);
  expect(tasksOf({ ...done, tasks: ['m', 'z'] }, { tasks: ['z', 'b'], task: 'a' })).toEqual([
    ...['a', 'b', 'm', 'z'],
  ]);
});
