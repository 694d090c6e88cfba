// The journal writer's promise: what it writes can be read, and is what the ledger holds.
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../../src/contract/base/redactor.ts';
import { Ledger } from '../../../src/runner/journal/ledger.ts';
import { type NewEvent, parseLine } from '../../../src/runner/journal/line.ts';
import { JournalWriter } from '../../../src/runner/run/journal-writer.ts';
import { FakeClock } from '../adapters/files/places.ts';
import { created, intent, job } from '../journal/lines.ts';

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
    const before = { lines: [...lines], seq: ledger.seq, account: ledger.total };
    expect(() => pen.append([event])).toThrow('bug: an event "created" that nobody can read');
    expect({ lines, seq: ledger.seq, account: ledger.total }).toEqual(before);
    pen.append([created()]);
    expect(lines).toHaveLength(3);
  });
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
  expect(read).toMatchObject({ value: { line: { result: ledger.job(job('a'))?.result } } });
  expect(ledger.job(job('a'))?.result).toMatchObject({ fps: null });
});

test('a line is plain text to a terminal, and the same value to whoever reads it', () => {
  const { journalWriter: pen, lines } = journalWriter();
  const name = 'a\u202eb\u009bc\u007f\u{e0041}\u2028\ud800d\n';
  pen.append([{ event: 'failed', task: name, why: name }]);
  expect(lines.at(-1)).toMatch(/^[\x20-\x7e]+$/);
  expect(parseLine(lines.at(-1) ?? '')).toMatchObject({
    value: { line: { task: name, why: name } },
  });
});

test('a secret that got as far as here goes no further', () => {
  const { journalWriter: pen, lines } = journalWriter('sk-secret-4711');
  pen.append([{ event: 'failed', task: 'swap:sk-secret-4711.png', why: 'sk-secret-4711' }]);
  expect(lines.join('\n')).not.toContain('4711');
  expect(lines.at(-1)).toContain('swap:REDACTED.png');
});

test('a run for a due time is recorded even if nothing happens, and not merged with another', () => {
  const lines: string[] = [];
  const ledger = new Ledger();
  const file = { append: (line: string) => void lines.push(line), async sync() {} };
  const pen = (due?: string): JournalWriter =>
    new JournalWriter(ledger, file, new FakeClock(), { run: { due } });
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
