// A damaged state file: every damage is named with its line, and what is proposed never makes a payment look as if it
// had not been.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobLine, NewEvent } from '../../src/model/line.ts';
import type { DamageKind } from '../../src/state/repair/damage.ts';
import { isWhole, type Repair, repairOf } from '../../src/state/repair/proposal.ts';
import {
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
  numbered,
  output,
  refused,
  run,
  serves,
  supplied,
} from '../model/lines.ts';
import { partOf } from '../sweep.ts';
import {
  compact,
  conflict,
  context,
  header,
  journal,
  json,
  raw,
  repaired,
  stateOf,
} from './damaged.ts';

const kindsOf = ({ damages }: Repair): readonly DamageKind[] => damages.map(({ kind }) => kind);
const without = (lines: readonly string[], ...numbers: readonly number[]): string[] =>
  lines.filter((_, index) => !numbers.includes(index + 1));
const changed = (
  lines: readonly string[],
  number: number,
  change: (line: string) => string,
): string[] => lines.map((line, index) => (index + 1 === number ? change(line) : line));

const paid = [run(), intent('a', 10), created('a', 12), complete('a', 12), output('a')];
const sums = ({ ledger }: Repair): readonly number[] => {
  const { charged, refunded, reserved } = ledger.total;
  return [charged, refunded, reserved];
};

describe('a whole file', () => {
  test('has nothing to repair, whatever happened in it, and its sums are right', () => {
    const property = fc.property(journals, (events) => {
      const ledger = folded(events);
      for (const lines of [journal(...events), compact(...events)]) {
        const found = repaired(lines);
        expect(found.damages).toEqual([]);
        expect([...found.ledger.jobs()]).toEqual([...ledger.jobs()]);
        expect(found.ledger.total).toEqual(ledger.total);
        expect(found.changes).toEqual([]);
      }
    });
    fc.assert(property, { seed: 11, numRuns: partOf(200) });
  });

  test('may have line ends of another system, and a torn last event', () => {
    const lines = journal(...paid).map((line) => `${line}\r`);
    const found = repairOf(
      [...raw(lines), { text: '{"seq":6,"ev', wellFormed: true, terminated: false }],
      context,
    );
    expect(kindsOf(found)).toEqual(['line-ends', 'torn']);
    expect(isWhole(found)).toBe(true);
    expect(stateOf(found, 'a')).toBe('complete');
  });
});

describe('a damage', () => {
  const two = journal(...paid, intent('b', 5), created('b', 5));
  const done = compact(...paid, intent('b', 5), created('b', 5));
  const table: readonly (readonly [
    string,
    readonly string[],
    readonly (readonly [number, DamageKind])[],
    Readonly<Record<string, JobLine['state'] | undefined>>,
  ])[] = [
    [
      'that leaves a creation’s line cut keeps its project, which it still says',
      changed(two, 8, (line) => line.slice(0, -1)),
      [[8, 'not-json']],
      { a: 'complete', b: 'created' },
    ],
    [
      'that cuts a creation before its project leaves it in doubt',
      changed(two, 8, (line) => line.slice(0, line.indexOf('"project"'))),
      [[8, 'not-json']],
      { a: 'complete', b: 'doubt' },
    ],
    [
      'that takes an intent away keeps the project that follows',
      without(two, 7),
      [
        [7, 'missing'],
        [7, 'illegal'],
      ],
      { a: 'complete', b: 'created' },
    ],
    [
      'that takes a creation away leaves what was settled in doubt',
      without(two, 4),
      [
        [4, 'missing'],
        [4, 'illegal'],
        [5, 'illegal'],
      ],
      { a: 'doubt', b: 'created' },
    ],
    [
      'that takes a settlement away keeps the project, and the file',
      without(two, 5),
      [
        [5, 'missing'],
        [5, 'illegal'],
      ],
      { a: 'created', b: 'created' },
    ],
    [
      'that doubles an event changes nothing',
      [...two.slice(0, 4), ...two.slice(3)],
      [[5, 'doubled']],
      { a: 'complete', b: 'created' },
    ],
    [
      'that puts events out of order changes nothing',
      [...two.slice(0, 3), ...two.slice(4, 5), ...two.slice(3, 4), ...two.slice(5)],
      [[5, 'order']],
      { a: 'complete', b: 'created' },
    ],
    [
      'that glues a cut line to a whole one loses the cut one only',
      [...two.slice(0, 6), `${two[6]?.slice(0, 40)}${two[7]}`],
      [
        [7, 'glued'],
        [7, 'missing'],
        [7, 'illegal'],
      ],
      { a: 'complete', b: 'created' },
    ],
    [
      'that takes a line end away loses nothing',
      [...two.slice(0, 6), `${two[6]}${two[7]}`],
      [[7, 'glued']],
      { a: 'complete', b: 'created' },
    ],
    [
      'of zeros in front of a line loses nothing but what stood there',
      changed(two, 3, (line) => `${'\0'.repeat(9)}${line}`),
      [[3, 'zeros']],
      { a: 'complete', b: 'created' },
    ],
    [
      'of zeros in place of an event is a gap',
      changed(two, 7, () => '\0'.repeat(90)),
      [
        [7, 'zeros'],
        [8, 'missing'],
        [8, 'illegal'],
      ],
      { a: 'complete', b: 'created' },
    ],
    [
      'by a byte order mark changes nothing',
      changed(two, 1, (line) => `\ufeff${line}`),
      [[1, 'bom']],
      { a: 'complete', b: 'created' },
    ],
    [
      'by an empty line changes nothing',
      [...two.slice(0, 3), '', ...two.slice(3)],
      [[4, 'blank']],
      { a: 'complete', b: 'created' },
    ],
    [
      'by a second header changes nothing',
      [...two.slice(0, 3), JSON.stringify(header), ...two.slice(3)],
      [[4, 'second-header']],
      { a: 'complete', b: 'created' },
    ],
    [
      'by lines of another service leaves them out',
      [
        ...two,
        JSON.stringify({ ...header, service: 'rehearsal' }),
        ...json(numbered([run(), intent('c', 5)])),
      ],
      [[9, 'foreign']],
      { a: 'complete', b: 'created', c: undefined },
    ],
    [
      'by an event of a version to come keeps the job that it names',
      changed(two, 8, (line) => line.replace('"created"', '"conjured"')),
      [[8, 'schema']],
      { a: 'complete', b: 'created' },
    ],
    [
      'by a job line that is cut keeps the project that it still says, to be read again',
      changed(done, 3, (line) => line.slice(0, -9)),
      [[3, 'not-json']],
      { a: 'created', b: 'created' },
    ],
    [
      'by a job line that is cut early leaves the job in doubt',
      changed(done, 3, (line) => line.slice(0, line.indexOf('"attempt"'))),
      [[3, 'not-json']],
      { a: 'doubt', b: 'created' },
    ],
    [
      'by a paid job line without its project leaves the job in doubt',
      changed(done, 3, (line) => line.replace('"project":"p-a",', '')),
      [[3, 'illegal']],
      { a: 'doubt', b: 'created' },
    ],
    [
      'by two lines for one job keeps the one that keeps more of what was paid',
      [...done, JSON.stringify({ ...JSON.parse(done[2] ?? ''), state: 'created' })],
      [[5, 'disagree']],
      { a: 'complete', b: 'created' },
    ],
    [
      'by an unfinished conflict marker changes nothing',
      [...two.slice(0, 5), '=======', ...two.slice(5)],
      [[6, 'marker']],
      { a: 'complete', b: 'created' },
    ],
  ];

  test.each(table)('%s', (_name, lines, damages, states) => {
    const found = repaired(lines);
    expect(found.damages.map(({ line, kind }) => [line, kind])).toEqual(damages);
    expect(isWhole(found)).toBe(false);
    expect(found.header).toEqual(header);
    for (const [of, state] of Object.entries(states)) expect(stateOf(found, of), of).toBe(state);
  });

  test('to a creation or to its intent takes no credit out of the runs', () => {
    for (const lines of [without(two, 7), changed(two, 8, (line) => line.slice(0, -1))]) {
      const found = repaired(lines);
      expect(sums(found)).toEqual([17, 0, 0]);
      expect(found.credits.before).toMatchObject([{ charged: 12 }]);
      expect(found.credits.jobs).toBe(17);
    }
  });

  test('to the beginning of a file is told, and the header is made of what else is known', () => {
    const lines = without(two, 1);
    expect(repaired(lines)).toMatchObject({ header: undefined });
    const found = repairOf(raw(lines), { ...context, service: 'rehearsal' });
    expect(kindsOf(found)).toEqual(['no-header']);
    expect(found.header).toEqual({ ...header, service: 'rehearsal' });
    const half = changed(two, 1, (line) => line.replace('{"shotlist":3', '{"shot'));
    expect(repaired(half).header).toEqual(header);
  });

  test('that leaves an empty file is told', () => {
    const found = repaired([]);
    expect(kindsOf(found)).toEqual(['no-header']);
    expect(found.gaps).toHaveLength(1);
  });

  test('between two lines shows in the sums', () => {
    expect(isWhole(repaired(done))).toBe(true);
    const found = repaired(without(done, 4));
    expect(found.damages).toEqual([
      expect.objectContaining({
        line: 0,
        kind: 'missing',
        what: expect.stringContaining('its runs add up to 17 credits and its jobs to 12'),
      }),
    ]);
  });

  test('that cuts a compacted file is no torn event: what stood behind is gone', () => {
    const lines = done.slice(0, 3).map((text, index) => ({
      text: index === 2 ? text.slice(0, 60) : text,
      wellFormed: true,
      terminated: index < 2,
    }));
    const found = repairOf(lines, context);
    expect(kindsOf(found)).toEqual(['cut']);
    expect(found.gaps).toEqual([{ between: [undefined, undefined] }]);
  });
});

describe('what cannot be read', () => {
  test('and cannot be named is a window in time, with the number of events', () => {
    const events = numbered([...paid, intent('b', 5), created('b', 5), ended]).map(
      (event, index) => ({ ...event, at: `2026-08-05T10:00:0${index}.000Z` }),
    );
    const found = repaired(without(json([header, ...events]), 7, 8));
    expect(found.gaps).toEqual([
      { events: 2, after: '2026-08-05T10:00:04.000Z', before: '2026-08-05T10:00:07.000Z' },
    ]);
  });

  test.each([
    ['a journal', journal(run(), intent('a', 10), refused('a'), intent('b', 5), created('b', 5))],
    [
      'a compacted file',
      compact(run(), intent('a', 10), refused('a'), intent('b', 5), created('b', 5)),
    ],
  ])(
    'because zeros end %s may have been synced: what had failed may have been sent again',
    (_name, lines) => {
      const zeros = { text: '\0'.repeat(300), wellFormed: true, terminated: false };
      const found = repairOf([...raw(lines), zeros], context);
      expect(kindsOf(found)).toEqual(['zeros']);
      expect(isWhole(found)).toBe(false);
      expect(found.gaps).toHaveLength(1);
      expect([stateOf(found, 'a'), stateOf(found, 'b')]).toEqual(['doubt', 'created']);
      expect(found.ledger.total.charged).toBe(5);
    },
  );

  test('because nothing but zeros is left is all of it', () => {
    const zeros = { text: '\0'.repeat(300), wellFormed: true, terminated: false };
    const found = repairOf([zeros], context);
    expect(kindsOf(found)).toEqual(['zeros', 'no-header']);
    expect(found.gaps).toEqual([{}]);
    expect(found.header).toBeUndefined();
  });

  test('of a compacted file stood between two tasks', () => {
    const lines = compact(...paid, intent('b', 5), intent('c', 5));
    const found = repaired(changed(lines, 4, () => '\0'.repeat(200)));
    expect(found.gaps).toEqual([{ between: ['swap:a', 'swap:c'] }]);
  });

  test.each([
    ['failed', [run(), intent('a', 10), refused('a')]],
    ['was forgotten', [...paid, forgotten('a')]],
  ] as const)('may have begun again what %s: it is in doubt', (_name, before) => {
    const lines = journal(...before, serves('a'), intent('b', 5), created('b', 5));
    const gap = lines.length - 2;
    expect(stateOf(repaired(lines), 'a')).not.toBe('doubt');
    const found = repaired(changed(lines, gap, () => 'gone'));
    expect(stateOf(found, 'a')).toBe('doubt');
    expect(found.ledger.total.charged).toBe(folded(before).total.charged + 5);
  });

  test('but names another job leaves what failed as it is', () => {
    const lines = journal(run(), intent('a', 10), refused('a'), intent('b', 5), created('b', 5));
    const found = repaired(changed(lines, 5, (line) => line.slice(0, -4)));
    expect(stateOf(found, 'a')).toBe('failed');
    expect(stateOf(found, 'b')).toBe('created');
    expect(found.gaps).toEqual([]);
  });

  test('about no job hides nothing', () => {
    const skipped: NewEvent = { event: 'skipped', task: 'swap:z', why: 'its if: is false' };
    const lines = journal(run(), intent('a', 10), refused('a'), skipped, ended);
    const found = repaired(changed(lines, 5, (line) => line.slice(0, -4)));
    expect(found.gaps).toEqual([]);
    expect(stateOf(found, 'a')).toBe('failed');
  });

  test('of a free job is dropped: it is made again for nothing', () => {
    const lines = journal(run(), supplied('a'), serves('a', 'photo:b'), ended);
    const found = repaired(changed(lines, 3, (line) => line.slice(0, -4)));
    expect(stateOf(found, 'a')).toBeUndefined();
    expect(found.changes).toMatchObject([{ is: 'dropped' }]);
  });

  test('of a job but its fingerprint is in doubt, and may turn out to be free', () => {
    const lines = journal(run(), supplied('a'), ended);
    const cut = changed(lines, 3, () => `{"seq":2,"job":"${job('a')}","t`);
    const line = repaired(cut).ledger.job(job('a'));
    expect(line).toMatchObject({ state: 'doubt', kind: 'unknown' });
    expect(move(line, supplied('a'))).toMatchObject({ ok: true, value: { state: 'supplied' } });
    expect(move(line, intent('a')).ok).toBe(false);
  });

  test('of a doubt keeps the name that was sent, and what was set aside', () => {
    const lines = journal(run(), intent('a', 10), doubted('a'));
    const found = repaired(changed(lines, 4, (line) => line.slice(0, -4)));
    expect(found.ledger.job(job('a'))).toMatchObject({ state: 'doubt', name: 'a #1', reserve: 10 });
  });

  test('of a run keeps its credits where they can be read', () => {
    const lines = compact(...paid, ended);
    const found = repaired(changed(lines, 2, (line) => line.slice(0, -1)));
    expect(sums(found)).toEqual([12, 0, 0]);
  });

  test('at the beginning of a run counts its credits all the same', () => {
    expect(sums(repaired(without(journal(...paid), 2)))).toEqual([12, 0, 0]);
  });

  test('of an attempt that was begun again is in doubt, and the first project stays in its past', () => {
    const again = [run(), intent('a'), created('a'), errored('a', 0), intent('a', 10, 2)];
    const found = repaired(without(journal(...again), 5));
    expect(found.ledger.job(job('a'))).toMatchObject({
      state: 'doubt',
      attempt: 2,
      name: 'a #2',
      past: [{ project: 'p-a', credits: 10 }],
    });
    expect(found.orphans).toMatchObject([{ project: 'p-a' }]);
  });

  test('of a deleted project keeps the files that were saved', () => {
    const lines = journal(...paid, deleted('a'));
    const found = repaired(without(lines, 5));
    expect(found.ledger.job(job('a'))).toMatchObject({
      state: 'deleted',
      project: 'p-a',
      result: { downloads: 1 },
      outputs: [{ path: 'a-0.png' }],
    });
  });

  test('is not taken for more than it says: a broken list hides which project was the last', () => {
    const line = JSON.stringify({
      past: [{ name: 'a #1', credits: 3, project: 'p-old' }],
      ...folded(paid).job(job('a')),
    });
    const broken = line.replace('"credits":3', '"credits":#');
    const found = repaired([JSON.stringify(header), broken]);
    expect(found.ledger.job(job('a'))?.project).not.toBe('p-old');
    expect(stateOf(found, 'a')).toBe('doubt');
  });
});

describe('two sides of a merge', () => {
  const start = [run(), intent('a', 10), created('a', 12)];
  const common = journal(...start);
  const rest = (...events: readonly NewEvent[]): string[] =>
    journal(...start, ...events).slice(common.length);
  const other = (of: string): NewEvent => ({
    ...created(of, 7),
    event: 'created',
    job: job(of),
    project: `q-${of}`,
    credits: 7,
  });

  test('that agree are one', () => {
    const side = rest(complete('a', 12));
    const found = repaired(conflict(common, side, side));
    expect(kindsOf(found)).toEqual(['conflict', 'doubled']);
    expect(sums(found)).toEqual([12, 0, 0]);
    expect(stateOf(found, 'a')).toBe('complete');
  });

  test('keep what each has done, and the credits of both', () => {
    const found = repaired(
      conflict(
        common,
        rest(complete('a', 12), intent('b', 5), created('b', 5)),
        rest(intent('c', 3), created('c', 4)),
      ),
    );
    expect(['a', 'b', 'c'].map((of) => stateOf(found, of))).toEqual([
      'complete',
      'created',
      'created',
    ]);
    expect(sums(found)).toEqual([12 + 5 + 4, 0, 0]);
    expect(found.credits.before).toMatchObject([
      { side: 'ours', charged: 17 },
      { side: 'theirs', charged: 16 },
    ]);
    expect(found.credits.jobs).toBe(21);
  });

  test('that both paid for one job keep the further one, and list the other', () => {
    const found = repaired(
      conflict(
        common,
        rest(intent('b', 5), created('b', 5)),
        rest(intent('b', 5), other('b'), complete('b', 7), output('b')),
      ),
    );
    expect(found.ledger.job(job('b'))).toMatchObject({
      state: 'complete',
      project: 'q-b',
      past: [{ project: 'p-b', credits: 5 }],
    });
    expect(found.orphans).toMatchObject([{ project: 'p-b', credits: 5, tasks: ['swap:b'] }]);
    expect(sums(found)).toEqual([12 + 5 + 7, 0, 0]);
    expect(found.damages.filter(({ kind }) => kind === 'disagree')).toHaveLength(1);
  });

  test.each([
    [
      'complete over deleted with its files',
      [complete('b', 7)],
      [complete('b', 7), output('b'), deleted('b')],
      'complete',
    ],
    [
      'deleted with its files over created',
      [],
      [complete('b', 7), output('b'), deleted('b')],
      'deleted',
    ],
    ['created over failed', [], [errored('b', 0)], 'created'],
  ] as const)('prefer %s', (_name, ours, theirs, state) => {
    const found = repaired(
      conflict(
        common,
        rest(intent('b', 5), created('b', 5), ...ours),
        rest(intent('b', 5), other('b'), ...theirs),
      ),
    );
    expect(stateOf(found, 'b')).toBe(state);
  });

  test('of which one is in doubt keep a project, else the doubt', () => {
    const doubt = rest(intent('b', 5), doubted('b'));
    const created5 = repaired(conflict(common, doubt, rest(intent('b', 5), other('b'))));
    expect(stateOf(created5, 'b')).toBe('created');
    const failed = repaired(conflict(common, doubt, rest(intent('b', 5), refused('b'))));
    expect(stateOf(failed, 'b')).toBe('doubt');
  });

  test('about one project keep what happened to it last, and the files of both', () => {
    const ours = rest(complete('a', 12), output('a'), deleted('a'));
    const theirs = rest(complete('a', 12), output('a', 0, 'there.png'), output('a', 1, 'more.png'));
    const found = repaired(conflict(common, ours, theirs));
    expect(found.ledger.job(job('a'))).toMatchObject({ state: 'deleted', project: 'p-a' });
    expect(found.ledger.job(job('a'))?.outputs).toHaveLength(2);
    expect(found.orphans).toEqual([]);
  });

  test('with a run of one number each keep both, the later renumbered', () => {
    const line = (number: number, time: string, charged: number): string =>
      JSON.stringify({ run: number, at: time, ended: time, charged, refunded: 0 });
    const found = repaired(
      conflict(
        [JSON.stringify(header), line(1, '2026-01-01', 0)],
        [line(2, '2026-01-03', 0)],
        [line(2, '2026-01-02', 0), line(3, '2026-01-04', 0)],
      ),
    );
    expect(found.ledger.runs().map(({ run: number, at: time }) => [number, time])).toEqual([
      [1, '2026-01-01'],
      [2, '2026-01-02'],
      [3, '2026-01-03'],
      [4, '2026-01-04'],
    ]);
    expect(found.renumbered).toEqual([
      { was: 2, now: 3, at: '2026-01-03' },
      { was: 3, now: 4, at: '2026-01-04' },
    ]);
  });

  test('of compacted files take over what only one of them changed', () => {
    const before = compact(...start, ended);
    const ours = compact(...start, complete('a', 12), output('a'), deleted('a'), ended);
    const found = repaired(
      conflict(before.slice(0, 1), ours.slice(1), before.slice(1), before.slice(1)),
    );
    expect(stateOf(found, 'a')).toBe('deleted');
    expect(sums(found)).toEqual([12, 0, 0]);
    expect(kindsOf(found)).toEqual(['conflict']);
  });

  test('whose markers are torn lose nothing that can be read', () => {
    const lines = conflict(common, rest(complete('a', 12)), rest(intent('c', 3), created('c', 4)));
    for (let gone = 1; gone <= lines.length; gone++) {
      if (!/^[<=>]{7}/.test(lines[gone - 1] ?? '')) continue;
      const found = repaired(without(lines, gone));
      expect(stateOf(found, 'a')).toMatch(/created|complete/);
      expect(stateOf(found, 'c')).toBe('created');
      expect(isWhole(found)).toBe(false);
    }
  });
});

test('a line of open braces does not take for ever', () => {
  const found = repaired([JSON.stringify(header), '{"'.repeat(200_000)]);
  expect(kindsOf(found)).toEqual(['not-json']);
});

test('times stand as they were', () => {
  expect(repaired(journal(...paid)).ledger.job(job('a'))?.at).toBe(at);
});
