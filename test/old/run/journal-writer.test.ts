// The journal writer's promise: what it writes can be read, and is what the ledger holds.
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../../src/base/redactor.ts';
import { JournalWriter } from '../../../src/core/journal-writer.ts';
import { Ledger } from '../../../src/model/ledger.ts';
import type { NewEvent } from '../../../src/model/line.ts';
import { Ledger as Record } from '../../../src/model/record/ledger.ts';
import { lineText, parseLine } from '../../../src/model/record/line.ts';
import type { RequestedRun } from '../../../src/model/run-identity.ts';
import { FakeClock } from '../../files/places.ts';
import { created, header, intent, job } from '../../model/lines.ts';

interface Written {
  readonly journalWriter: JournalWriter;
  readonly ledger: Ledger;
  readonly lines: string[];
}

function journalWriter(...secrets: readonly string[]): Written {
  const lines: string[] = [];
  const ledger = new Ledger();
  const file = { append: (line: string) => void lines.push(line), async sync() {} };
  const terms = { run: {}, redactor: new Redactor(secrets) };
  return { journalWriter: new JournalWriter(ledger, file, new FakeClock(), terms), ledger, lines };
}

const project = (id: string): NewEvent => ({
  ...{ event: 'created', job: job('a'), project: id, credits: 10 },
});

describe('an event that nobody could read again is a bug, and is never written', () => {
  test.each<[string, NewEvent]>([
    ['infinite credits', created('a', Number.POSITIVE_INFINITY)],
    ['no number of credits', created('a', Number.NaN)],
    ['credits beyond every price', created('a', 1_000_000_001)],
    ['a debt', created('a', -1)],
    ['half a credit', created('a', 0.5)],
    ['an id with half a character', project('p\ud800')],
    ['a step up in a path', project('..')],
    ['an empty id', project('')],
  ])('%s', (_, event) => {
    const { journalWriter: pen, ledger, lines } = journalWriter();
    pen.append([intent()]);
    const before = { lines: [...lines], account: ledger.total };
    expect(() => pen.append([event])).toThrow('bug: an event "created" that nobody can read');
    expect({ lines, account: ledger.total }).toEqual(before);
    pen.append([created()]);
    expect(lines).toHaveLength(3);
  });
});

test('what a state file gets are the lines that an event changes', () => {
  const lines: string[] = [];
  const record = Record.of([header]);
  const file = { append: (line: string) => void lines.push(line), async sync() {} };
  const pen = new JournalWriter(new Ledger(record), file, new FakeClock(), { run: {} });
  pen.append([{ event: 'failed', task: 'swap:a', why: 'no' }, intent(), created()]);
  pen.end();
  const kinds = lines.map((line) => {
    const read = parseLine(line);
    return read.ok ? Object.keys(read.value)[0] : read.error;
  });
  // The intent takes back that the task has failed.
  expect(kinds).toEqual(['run', 'task', 'job', 'task', 'job', 'run']);
  const again = Record.of(
    lines.flatMap((line) => {
      const read = parseLine(line);
      return read.ok ? [read.value] : [];
    }),
  );
  expect([lineText(header), ...again.texts()]).toEqual([...record.texts()]);
});

test('a figure that JSON does not have is in the ledger as it is in the file', () => {
  const { journalWriter: pen, ledger, lines } = journalWriter();
  const result = { downloads: 1, fps: Number.POSITIVE_INFINITY, '\ud800': '\udfff\u202e' };
  pen.append([
    intent(),
    created(),
    { event: 'settled', job: job('a'), status: 'complete', credits: 10, result },
  ]);
  const read = parseLine(lines.at(-1) ?? '');
  expect(read).toMatchObject({
    value: { attempts: [{ result: ledger.job(job('a'))?.result }] },
  });
  expect(ledger.job(job('a'))?.result).toMatchObject({ fps: null });
});

test('a line is plain text to a terminal, and the same value to whoever reads it', () => {
  const { journalWriter: pen, lines } = journalWriter();
  const name = 'a\u202eb\u009bc\u007f\u{e0041}\u2028\ud800d\n';
  pen.append([{ event: 'failed', task: name, why: name }]);
  expect(lines.at(-1)).toMatch(/^[\x20-\x7e]+$/);
  expect(parseLine(lines.at(-1) ?? '')).toMatchObject({
    value: { task: name, fault: { message: name } },
  });
});

test('a secret that got as far as here goes no further', () => {
  const { journalWriter: pen, lines } = journalWriter('sk-secret-4711');
  pen.append([{ event: 'failed', task: 'swap:sk-secret-4711.png', why: 'sk-secret-4711' }]);
  expect(lines.join('\n')).not.toContain('4711');
  expect(lines.at(-1)).toContain('swap:REDACTED.png');
});

const [monday, tuesday] = ['2026-06-01T05:00:00.000Z', '2026-06-02T05:00:00.000Z'];

/** A command: whose run it is, what happens in it, and whether it comes to its end. */
type Command = readonly [RequestedRun | undefined, readonly NewEvent[], boolean];

describe('a run', () => {
  const file = () => {
    const lines: string[] = [];
    return { lines, append: (line: string) => void lines.push(line), async sync() {} };
  };
  const failed: NewEvent = { event: 'failed', task: 'a:1', why: 'x' };
  /** What one command after another writes: events, and whether it is ended properly. */
  const commands = (...list: readonly Command[]) => {
    const [ledger, one, clock] = [new Ledger(), file(), new FakeClock()];
    const seen = list.map(([run, events, ends]) => {
      const from = one.lines.length;
      clock.jump(1);
      const writer = new JournalWriter(ledger, one, clock, { run });
      writer.append(events);
      if (ends) writer.end();
      return one.lines.slice(from).map((line) => {
        const { task, due, ended } = JSON.parse(line);
        if (task !== undefined) return 'failed';
        if (ended !== undefined) return 'ended';
        return due === undefined ? 'begun' : `begun ${due}`;
      });
    });
    return { seen, ledger };
  };

  test.each<readonly [string, readonly Command[], readonly (readonly string[])[]]>([
    [
      'begins with the first event, and ends',
      [[{}, [failed], true]],
      [['begun', 'failed', 'ended']],
    ],
    ['is none where nothing happened', [[{}, [], true]], [[]]],
    [
      'is numbered from the one before',
      [
        [{}, [failed], true],
        [{}, [failed, failed], true],
        [{}, [failed], true],
      ],
      [
        ['begun', 'failed', 'ended'],
        ['begun', 'failed', 'failed', 'ended'],
        ['begun', 'failed', 'ended'],
      ],
    ],
    [
      'goes on with one that was interrupted',
      [
        [{}, [failed], false],
        [{}, [failed], true],
      ],
      [
        ['begun', 'failed'],
        ['failed', 'ended'],
      ],
    ],
    [
      'goes on with an interrupted one for its due time, or with any where it has none',
      [
        [{ due: monday }, [failed], false],
        [{ due: monday }, [failed], false],
        [{}, [failed], false],
      ],
      [[`begun ${monday}`, 'failed'], ['failed'], ['failed']],
    ],
    [
      'ends an interrupted one for another due time',
      [
        [{ due: monday }, [failed], false],
        [{ due: tuesday }, [failed], true],
      ],
      [
        [`begun ${monday}`, 'failed'],
        ['ended', `begun ${tuesday}`, 'failed', 'ended'],
      ],
    ],
    ['is not begun by a person who mends the state', [[undefined, [failed], true]], [['failed']]],
  ])('%s', (_, list, expected) => {
    expect(commands(...list).seen).toEqual(expected);
  });

  test('has written once something happened', () => {
    const writer = new JournalWriter(new Ledger(), file(), new FakeClock(), { run: {} });
    writer.append([]);
    expect(writer.wrote).toBe(false);
    writer.append([failed]);
    expect(writer.wrote).toBe(true);
  });
});

describe('what the service has and the disk has not', () => {
  test('is named until it is synced', async () => {
    const [ledger, sync] = [new Ledger(), Promise.withResolvers<void>()];
    const file = { append: () => undefined, sync: () => sync.promise };
    const writer = new JournalWriter(ledger, file, new FakeClock(), { run: {} });
    writer.append([intent('a'), created('a', 10)]);
    const known = { name: ledger.job(job('a'))?.name, project: ledger.job(job('a'))?.project };
    expect(known.name).not.toBe('');
    expect(writer.unwritten).toEqual([known]);
    const synced = writer.sync();
    writer.append([intent('b'), created('b', 10)]);
    sync.resolve();
    await synced;
    // What came after the sync began may not be in it.
    expect(writer.unwritten).toEqual([
      { name: ledger.job(job('b'))?.name, project: ledger.job(job('b'))?.project },
    ]);
    await writer.sync();
    expect(writer.unwritten).toEqual([]);
  });
});

test('an event that cannot follow what is known is a bug, and is not written', () => {
  const { journalWriter: pen, lines } = journalWriter();
  pen.append([intent()]);
  expect(() => pen.append([{ event: 'deleted', job: job('a'), task: 'a:1' }])).toThrow(/^bug: /);
  expect(lines).toHaveLength(2);
});

test('events are dated by the clock, also when it goes back', () => {
  const lines: string[] = [];
  const clock = new FakeClock(0);
  const file = { append: (line: string) => void lines.push(line), async sync() {} };
  const pen = new JournalWriter(new Ledger(), file, clock);
  for (const ms of [5, 5, 0, -7]) {
    clock.jump(ms);
    pen.append([{ event: 'failed', task: `a:${lines.length}`, why: 'x' }]);
  }
  expect(lines.map((line) => Date.parse(JSON.parse(line).at))).toEqual([5, 10, 10, 3]);
});

test('a run for a due time is recorded even if nothing happens, and not merged with another', () => {
  const lines: string[] = [];
  const ledger = new Ledger();
  const file = { append: (line: string) => void lines.push(line), async sync() {} };
  const clock = new FakeClock();
  const pen = (due?: string): JournalWriter => {
    clock.jump(1);
    return new JournalWriter(ledger, file, clock, { run: { due } });
  };
  const [first, second] = ['2026-06-01T05:00:00.000Z', '2026-06-02T05:00:00.000Z'];
  pen(first).begin();
  pen(first).begin();
  expect(ledger.runs()).toMatchObject([{ run: 1, due: first }]);
  const later = pen(second);
  later.begin();
  later.end();
  expect(ledger.runs()).toMatchObject([
    { run: 1, due: first, ended: expect.anything() },
    { run: 2, due: second, ended: expect.anything() },
  ]);
  expect(lines.every((line) => parseLine(line).ok)).toBe(true);
});
