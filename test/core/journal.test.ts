// What the journal writes can be read, names no secret, and belongs to a run unless a person corrects the record.
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/base/redactor.ts';
import { Journal } from '../../src/core/journal.ts';
import type { Ledger } from '../../src/model/record/ledger.ts';
import { parseLine } from '../../src/model/record/line.ts';
import { FakeClock } from '../files/places.ts';
import { at, folded, intent, job, run, textsOf } from '../model/lines.ts';

function journalOf(ledger: Ledger, isEdit: boolean, clock = new FakeClock()) {
  const lines: string[] = [];
  const file = { append: (line: string) => void lines.push(line), async sync() {} };
  const redactor = new Redactor(['sk-secret-4711']);
  return { journal: new Journal({ ledger, file, clock, redactor, isEdit }), ledger, lines };
}

const about = { job: job('a'), attempt: 'a #1' };
const charged = (credits: number) => ({ credits, read: at });

test('a correction begins no run, and goes on with none', () => {
  for (const before of [[intent()], [run(), intent()]]) {
    const { journal, ledger, lines } = journalOf(folded(before), true);
    const runs = ledger.runs();
    journal.note({ ...about, is: 'said', mark: 'gaveUp' });
    expect(lines).toHaveLength(1);
    expect(ledger.runs()).toEqual(runs);
  }
  const { journal, ledger } = journalOf(folded([intent()]), false);
  journal.note({ ...about, is: 'said', mark: 'gaveUp' });
  expect(ledger.runs()).toHaveLength(1);
});

describe('a correction that nobody could read again is a bug, and is never written', () => {
  test.each([
    ['infinite credits', Number.POSITIVE_INFINITY, 'p'],
    ['no number of credits', Number.NaN, 'p'],
    ['credits beyond every price', 1_000_000_001, 'p'],
    ['a debt', -1, 'p'],
    ['half a credit', 0.5, 'p'],
    ['an id with half a character', 10, 'p\ud800'],
    ['a step up in a path', 10, '..'],
    ['an empty id', 10, ''],
  ])('%s', (_, credits, project) => {
    const { journal, ledger, lines } = journalOf(folded([intent()]), true);
    const before = textsOf(ledger);
    const move = { ...about, is: 'created' as const, project, charge: charged(credits) };
    expect(() => journal.note(move)).toThrow('bug: a line that nobody can read');
    expect({ lines, texts: textsOf(ledger) }).toEqual({ lines: [], texts: before });
  });

  test('nor a move that cannot follow what is known', () => {
    const { journal, lines } = journalOf(folded([intent()]), true);
    expect(() => journal.note({ ...about, is: 'deleted' })).toThrow(/^bug: /);
    expect(lines).toEqual([]);
  });
});

test('a secret that got as far as here goes no further, and a terminal only displays a line', () => {
  const { journal, lines } = journalOf(folded([run()]), false);
  const name = 'sk-secret-4711 a\u202eb\u009bc\u007f\u{e0041}\u2028\ud800d\n';
  journal.task(name, 'failed', { code: '', message: name });
  expect(lines.join('\n')).not.toContain('4711');
  expect(lines.at(-1)).toMatch(/^[\x20-\x7e]+$/);
  expect(parseLine(lines.at(-1) ?? '')).toMatchObject({ ok: true });
});

test('a failure that replaces another one is the later of the two, whatever the clock says', () => {
  const clock = new FakeClock(Date.parse(at));
  const { journal, ledger } = journalOf(folded([run()]), false, clock);
  const times = [0, 5000, -9000].map((ms, number) => {
    clock.pass(ms);
    journal.task('t', 'failed', { code: '', message: `${number}` });
    return Date.parse(ledger.task('t')?.at ?? '') - Date.parse(at);
  });
  expect(times).toEqual([0, 5000, 5001]);
});
