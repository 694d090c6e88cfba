// The journal writer's promise: what it writes can be read, and is what the ledger holds.
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/base/redactor.ts';
import { JournalWriter } from '../../src/core/journal-writer.ts';
import { Ledger } from '../../src/model/ledger.ts';
import type { NewEvent } from '../../src/model/line.ts';
import { Ledger as Record } from '../../src/model/record/ledger.ts';
import { lineText, parseLine } from '../../src/model/record/line.ts';
import { FakeClock } from '../files/places.ts';
import { created, header, intent, job } from '../model/lines.ts';

/** A run is going on, which the writer knows nothing of. */
function inRun(record?: Record): Ledger {
  const ledger = new Ledger(record);
  const begun = ledger.apply({ event: 'run', run: 1, id: 'run-1', at: '2026-08-05T10:00:00.000Z' });
  if (!begun.ok) throw new Error(begun.error);
  ledger.takeChanges();
  return ledger;
}

interface Written {
  readonly journalWriter: JournalWriter;
  readonly ledger: Ledger;
  readonly lines: string[];
}

function journalWriter(...secrets: readonly string[]): Written {
  const lines: string[] = [];
  const ledger = inRun();
  const file = { append: (line: string) => void lines.push(line), async sync() {} };
  const terms = { redactor: new Redactor(secrets) };
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
    expect(lines).toHaveLength(2);
  });
});

test('what a state file gets are the lines that an event changes', () => {
  const lines: string[] = [];
  const record = Record.of([header]);
  const file = { append: (line: string) => void lines.push(line), async sync() {} };
  const pen = new JournalWriter(inRun(record), file, new FakeClock());
  pen.append([{ event: 'failed', task: 'swap:a', why: 'no' }, intent(), created()]);
  const kinds = lines.map((line) => {
    const read = parseLine(line);
    return read.ok ? Object.keys(read.value)[0] : read.error;
  });
  // The intent takes back that the task has failed.
  expect(kinds).toEqual(['task', 'job', 'task', 'job']);
  const again = Record.of([
    ...record.runs(),
    ...lines.flatMap((line) => {
      const read = parseLine(line);
      return read.ok ? [read.value] : [];
    }),
  ]);
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

test('an event that cannot follow what is known is a bug, and is not written', () => {
  const { journalWriter: pen, lines } = journalWriter();
  pen.append([intent()]);
  expect(() => pen.append([{ event: 'deleted', job: job('a'), task: 'a:1' }])).toThrow(/^bug: /);
  expect(lines).toHaveLength(1);
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
