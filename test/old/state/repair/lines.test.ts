// The lines of a compacted file that cannot be taken as they are: runs, jobs and tasks.
import { describe, expect, test } from 'vitest';
import type { Repair } from '../../../../src/state/repair/proposal.ts';
import {
  at,
  complete,
  created,
  ended,
  intent,
  job,
  numbered,
  run,
  supplied,
} from '../../../model/lines.ts';
import { compact, header, journal, json, repaired } from '../../../tables/damaged.ts';

const first = JSON.stringify(header);
const paid = [run(), intent('a', 10), created('a', 12), complete('a', 12)];
const lines = compact(...paid, { event: 'failed', task: 'swap:z', why: 'no file' }, ended);
const told = ({ damages }: Repair): readonly (readonly [number, string, string])[] =>
  damages.map(({ line, kind, what }) => [line, kind, what]);
const [, runLine = '', jobLine = '', taskLine = ''] = lines;

describe('a line that stands twice', () => {
  test.each([
    ['a run', runLine],
    ['a job', jobLine],
    ['a task', taskLine],
  ])('as %s is told, and counts once', (_, line) => {
    const found = repaired([...lines, line]);
    expect(told(found)).toEqual([[5, 'doubled', 'this line is here twice']]);
    expect(found.ledger.runs()).toHaveLength(1);
    expect(found.ledger.total.charged).toBe(12);
  });

  test('with another content is another run, another word on a job, and the last word on a task', () => {
    const other = runLine.replace('"charged":12', '"charged":3');
    const twice = repaired([first, runLine, other, jobLine]);
    expect(told(twice)[0]).toEqual([3, 'doubled', 'another run with the number 1']);
    expect(twice.ledger.runs().map(({ run: number, charged }) => [number, charged])).toEqual([
      [1, 12],
      [2, 3],
    ]);
    const job2 = repaired([...lines, jobLine.replace('"complete"', '"created"')]);
    expect(told(job2)).toEqual([
      [5, 'disagree', 'a second line of one job: complete above, created here'],
    ]);
    expect(job2.damages).toMatchObject([{ job: job('a'), tasks: ['swap:a'] }]);
    const task = repaired([...lines, taskLine.replace('no file', 'no photo')]);
    expect(told(task)).toEqual([]);
    expect(task.ledger.tasks()).toMatchObject([{ why: 'no photo' }]);
  });
});

test('a compacted line among the events is told, and taken', () => {
  const events = json(numbered([run(2), supplied('c')]));
  const found = repaired([first, runLine, ...events, jobLine]);
  expect(told(found)).toEqual([[5, 'order', 'a job line among the events']]);
  expect(found.ledger.job(job('a'))?.state).toBe('complete');
});

test('a job without its project is told with its tasks', () => {
  const found = repaired(lines.with(2, jobLine.replace('"project":"p-a",', '')));
  expect(found.damages).toMatchObject([
    { line: 3, kind: 'illegal', job: job('a'), tasks: ['swap:a'] },
  ]);
});

describe('a run line that can be read in part', () => {
  const part = (text: string): Repair => repaired([first, text, jobLine]);

  test('is kept with its end, or without one', () => {
    const closed = `${runLine.slice(0, -1)},#`;
    expect(part(closed).ledger.runs()).toStrictEqual([
      { run: 1, at, charged: 12, refunded: 0, ended: at },
    ]);
    const goesOn = closed.replace(`"ended":"${at}"`, '"ended":#');
    expect(part(goesOn).ledger.runs()).toStrictEqual([{ run: 1, at, charged: 12, refunded: 0 }]);
  });

  test.each([
    ['its time', runLine.replace(`"at":"${at}"`, '"at":#')],
    ['its charge', runLine.replace('"charged":12', '"charged":#')],
  ])('is left out without %s, and is no gap', (_, text) => {
    const found = part(text);
    expect(found.ledger.runs()).toEqual([]);
    expect(found.gaps).toEqual([]);
  });

  test('is a gap without its number, for it may have been a job', () => {
    expect(part(runLine.replace('"run":1', '"run":#')).gaps).toEqual([
      { between: [undefined, 'swap:a'] },
    ]);
  });

  test.each(['{"shotlist":3,#', '{"service":"https://x.example",#'])('%s is no gap', (text) => {
    expect(repaired([first, runLine, text, jobLine]).gaps).toEqual([]);
  });
});

test('a lost job line stood between its neighbours', () => {
  const many = compact(run(), supplied('a'), supplied('b'), supplied('c'), supplied('d'));
  const found = repaired(many.with(4, '#'));
  expect(found.gaps).toEqual([{ between: ['photo:b', 'photo:d'] }]);
});

describe('events that are missing', () => {
  const events = journal(...paid, supplied('b'), supplied('c'), ended);

  test.each([
    ['one', events.toSpliced(5, 1), 'event 6 follows event 4: 1 event is missing'],
    ['two', events.toSpliced(5, 2), 'event 7 follows event 4: 2 events are missing'],
  ])('are told when it is %s', (_, left, what) => {
    const found = repaired(left);
    expect(found.damages).toMatchObject([{ line: 6, kind: 'missing' }]);
    expect(found.damages[0]?.what).toContain(what);
  });

  test('before the first one have no time before them', () => {
    const found = repaired(events.toSpliced(1, 1));
    expect(found.gaps).toStrictEqual([{ events: 1, before: at }]);
  });

  test('are not missing where an event stands twice with other content', () => {
    const twin = json([{ ...numbered([supplied('e')])[0], seq: 5 }]);
    expect(repaired([...events, ...twin]).gaps).toEqual([]);
  });
});

test('an event that is no legal move is told with its job and its tasks', () => {
  const found = repaired(journal(run(), created('a', 5), intent('b')));
  expect(found.damages).toMatchObject([{ line: 3, kind: 'illegal', job: job('a'), tasks: [] }]);
});

test('an event about no job is folded once', () => {
  const found = repaired(journal(run(1), ended, run(2), supplied('b')));
  expect(found.ledger.runs().map(({ run: number }) => number)).toEqual([1, 2]);
  expect(found.ledger.openRun?.run).toBe(2);
  expect(found.changes).toEqual([]);
});
