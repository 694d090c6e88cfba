// The job lines that a line which cannot be taken as it is can support: each field, and where it comes from.
import { describe, expect, test } from 'vitest';
import type { JobLine, NewEvent } from '../../../src/model/line.ts';
import {
  type Claim,
  doubtLine,
  paidLine,
  savedResult,
  tasksOf,
} from '../../../src/state/repair/adjudicator.ts';
import { at, complete, created, intent, job, jobAfter, output } from '../../model/lines.ts';

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
