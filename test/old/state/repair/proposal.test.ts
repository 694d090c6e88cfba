// The proposal as a whole: what is told of jobs, credits, gaps, headers and runs.
import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../../../src/model/line.ts';
import { type Repair, repairOf } from '../../../../src/state/repair/proposal.ts';
import {
  at,
  complete,
  created,
  ended,
  errored,
  intent,
  job,
  numbered,
  output,
  refused,
  run,
  supplied,
} from '../../../model/lines.ts';
import {
  compact,
  conflict,
  context,
  header,
  journal,
  json,
  raw,
  repaired,
} from '../../../tables/damaged.ts';

const done = [run(), intent('a', 10), created('a', 12), complete('a', 12), output('a')];
const failed: NewEvent = { event: 'failed', task: 'swap:z', why: 'no such file' };
const first = JSON.stringify(header);
const cut = (lines: readonly string[], number: number, end = -1): string[] =>
  lines.with(number - 1, (lines[number - 1] ?? '').slice(0, end));
const told = ({ damages }: Repair): readonly (readonly [number, string])[] =>
  damages.map(({ line, kind }) => [line, kind]);

test('what is proposed is told job by job, with what the lines say by themselves', () => {
  const events = [...done, intent('b', 5), created('b', 6), supplied('c'), failed, ended];
  const lines = compact(...events);
  // Sorted by tasks: a header, a run, photo:c, swap:a, swap:b, the task.
  const found = repaired(cut(cut(lines, 3), 5));
  expect(told(found)).toEqual([
    [3, 'not-json'],
    [5, 'not-json'],
  ]);
  const why = expect.stringContaining('cannot be read');
  expect(found.changes).toStrictEqual([
    {
      ...{ job: job('b'), tasks: ['swap:b'], is: 'kept', was: [undefined], state: 'created' },
      ...{ project: 'p-b', files: 0, credits: { before: [0], after: 0 }, why },
    },
    {
      ...{ job: job('c'), tasks: [], is: 'dropped', was: [undefined], files: 0 },
      ...{ credits: { before: [0], after: 0 }, why },
    },
  ]);
  expect(found.untouched).toBe(1);
  expect(found.ledger.tasks()).toEqual([{ task: 'swap:z', state: 'failed', why: 'no such file' }]);
  const sums = { charged: 18, refunded: 0, reserved: 0 };
  expect(found.credits).toEqual({ before: [{ side: 'the file', ...sums }], after: sums, jobs: 12 });
  expect(found.gaps).toEqual([{ credits: 6 }]);
});

test('a job that becomes a doubt is told with what it was, its files and its credits', () => {
  const lines = compact(...done).map((line) => line.replace('"project":"p-a",', ''));
  const [change] = repaired(lines).changes;
  expect(change).toMatchObject({
    ...{ is: 'in doubt', was: ['complete'], state: 'doubt', credits: { before: [12], after: 0 } },
  });
  expect(change).not.toHaveProperty('project');
  const files = repaired(cut(compact(...done, ended), 3, -2)).changes;
  expect(files).toMatchObject([{ is: 'kept', files: 1 }]);
});

test('changes come in the order of their tasks', () => {
  const lines = journal(run(), intent('b', 5), intent('a', 5), created('b', 5), created('a', 5));
  const found = repaired(cut(cut(lines, 5), 6));
  expect(found.changes.map(({ tasks }) => tasks)).toEqual([['swap:a'], ['swap:b']]);
});

test('damages come in the order of their lines', () => {
  const lines = [...journal(...done), '======='];
  expect(told(repaired(cut(lines, 3)))).toEqual([
    [3, 'not-json'],
    [7, 'marker'],
  ]);
});

describe('credits', () => {
  const refunded = [...done, intent('b', 9), created('b', 9), errored('b', 2)];
  const lines = compact(...refunded, ended);

  test('of a job line that is missing are a gap of that size', () => {
    const found = repaired(lines.toSpliced(3, 1));
    expect(found.gaps).toEqual([{ credits: 2 }]);
    expect(found.damages).toMatchObject([
      { line: 0, what: expect.stringContaining('14 credits and its jobs to 12: lines of jobs') },
    ]);
  });

  test('of a run line that is missing leave no gap: the jobs have them', () => {
    const found = repaired(lines.toSpliced(1, 1));
    expect(found.gaps).toEqual([]);
    expect(found.damages).toMatchObject([
      { line: 0, what: expect.stringContaining('0 credits and its jobs to 14: lines of runs') },
    ]);
  });

  test('are not compared where lines are damaged, and a gap is not listed twice', () => {
    const found = repaired(lines.with(2, '\0'));
    expect(told(found)).toEqual([[3, 'zeros']]);
    expect(found.gaps).toEqual([{ between: [undefined, 'swap:b'] }]);
    expect(repaired(lines).gaps).toEqual([]);
  });
});

describe('a header', () => {
  const other = { ...header, pipeline: 'other' };
  const begun = (of: string): string[] => json(numbered([run(), intent(of)]));
  const jobsOf = ({ ledger }: Repair): readonly string[] =>
    [...ledger.jobs()].map(({ tasks }) => tasks[0] ?? '');

  test('is that of the pipeline, also behind that of another one, whose lines are ignored', () => {
    const found = repaired([JSON.stringify(other), ...begun('c'), first, ...begun('a')]);
    expect(found.header).toEqual(header);
    expect(jobsOf(found)).toEqual(['swap:a']);
    expect(told(found)).toEqual([[1, 'foreign']]);
    expect(found.damages[0]?.what).toContain('"other"');
    expect(found.damages[0]?.what).toContain('its lines are ignored');
  });

  test('ends the lines of another pipeline', () => {
    const [begin = '', sent = ''] = begun('a');
    const found = repaired([first, begin, JSON.stringify(other), ...begun('c'), first, sent]);
    expect(jobsOf(found)).toEqual(['swap:a']);
    expect(told(found)).toEqual([
      [3, 'foreign'],
      [6, 'second-header'],
    ]);
  });

  test('of another pipeline is all there is', () => {
    expect(repaired([JSON.stringify(other), ...begun('a')]).header).toEqual(other);
  });

  test('of another pipeline on one side of a merge leaves no line out', () => {
    const found = repaired(conflict([first], begun('a'), [JSON.stringify(other), ...begun('c')]));
    expect(jobsOf(found)).toEqual(['swap:a', 'swap:c']);
    const foreign = found.damages.find(({ kind }) => kind === 'foreign');
    expect(foreign?.what).not.toContain('left out');
  });

  test('twice on one side of a merge is a second one, and once on each is none', () => {
    const kinds = (ours: readonly string[]): readonly string[] =>
      repaired(conflict([], ours, [first, ...begun('c')])).damages.map(({ kind }) => kind);
    expect(kinds([first, ...begun('a')])).not.toContain('second-header');
    expect(kinds([first, first, ...begun('a')])).toContain('second-header');
  });

  test.each([
    ['an empty file', [], 0],
    ['a line that cannot be read', ['x'], 1],
    ['events alone', begun('a'), 1],
    ['events before the header', [...begun('a'), first], 1],
  ])('that is missing from %s is told', (_, lines, line) => {
    expect(told(repaired(lines))).toContainEqual([line, 'no-header']);
  });

  test('that is damaged still names its service, whatever else is said', () => {
    const half = `{"shotlist":3,"pipeline":"p","service":"https://x.example",#`;
    const found = repairOf(raw(['{"seq":1,#', half, ...begun('a')]), {
      ...{ ...context, service: 'rehearsal' },
    });
    expect(found.header).toEqual({ ...header, service: 'https://x.example' });
  });
});

test('runs keep their numbers where those rise', () => {
  const runs = [3, 7].map((number) => ({ run: number, at, ended: at, charged: 0, refunded: 0 }));
  const found = repaired([first, ...json(runs)]);
  expect(found.ledger.runs().map((line) => line.run)).toEqual([3, 7]);
  expect(found.renumbered).toEqual([]);
});

test('an orphan is not listed where the proposal keeps its project', () => {
  const lines = journal(run(), intent('a'), refused('a'), intent('a', 10, 2), created('a', 12));
  expect(repaired(lines).orphans).toEqual([]);
  const copy = (lines.at(-1) ?? '').replace('"seq":5', '"seq":6').replace('p-a', 'q-a');
  const found = repaired([...lines, copy]);
  expect(found.orphans).toMatchObject([{ project: 'q-a' }]);
});
