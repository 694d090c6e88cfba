import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { acceptedMarks, type Repaired, repaired } from '../../src/state/repair.ts';
import { StateFile } from '../../src/state/state-file.ts';
import { temporaryFolder } from '../files/places.ts';
import { created, fingerprint, header, load, silentTerms, textOf, time } from './records.ts';

const at = '2026-03-01T00:00:00.000Z';
const [a, b, c] = ['a', 'b', 'c'].map((of) => textOf(created(of)));
const [jobA = '', jobB = '', jobC = ''] = [a, b, c];
const head = textOf(header);
const ended = textOf({ run: 'r', at: time, ended: time, creations: 2 });
const open = textOf({ run: 'r', at: time });
const spoilt = (line: string): string => line.replace('"at":', '"at:');

async function repair(content: string | Buffer | undefined, others: string | undefined) {
  const file = join(temporaryFolder(), 'p.state.jsonl');
  if (content !== undefined) writeFileSync(file, content);
  const lines = async function* () {
    yield (others ?? '').split('\n');
  };
  const copies = others === undefined ? [] : [{ name: 'HEAD', lines: lines() }];
  return { file, found: await repaired(file, copies, header, at) };
}

async function repairedIn(
  content: string | Buffer | undefined,
  others?: string,
): Promise<{ readonly file: string; readonly record: Repaired }> {
  const { file, found } = await repair(content, others);
  if (!found.ok) throw new Error(found.error);
  return { file, record: found.value };
}

/** What is marked as lost: how many creations of the run, or lines. */
const lost = ({ ledger }: Repaired) =>
  ledger.marks().map(({ id, creations }) => (id === 'r' ? (creations ?? 0) : 'lines'));

describe('what is left of a damaged file', () => {
  const cases: readonly {
    readonly file: string | Buffer | undefined;
    readonly others?: string;
    readonly unreadable?: readonly number[];
    readonly jobs: number;
    readonly lost?: readonly (number | 'lines')[];
  }[] = [
    { file: head + ended + jobA + jobB, jobs: 2 },
    { file: `\ufeff${head}\r\n<<<<<<< a\r\n${ended}=======\n\n${jobA}${jobB}>>>>>>> b\n`, jobs: 2 },
    { file: head + ended + jobA, jobs: 1, lost: [1] },
    { file: head + ended, jobs: 0, lost: [2] },
    { file: head + ended + jobA, others: head + jobB, jobs: 2 },
    { file: head + ended + jobA + spoilt(jobB), unreadable: [4], jobs: 1, lost: [1] },
    { file: head + ended + jobA + spoilt(jobB), others: jobB, unreadable: [4], jobs: 2 },
    { file: head + ended + jobA + jobB + spoilt(jobC), unreadable: [5], jobs: 2 },
    { file: head + open + jobA + spoilt(jobB), unreadable: [4], jobs: 1, lost: ['lines'] },
    { file: head + spoilt(open) + jobA, unreadable: [2], jobs: 1, lost: ['lines'] },
    { file: `${head}${ended}${jobA}${jobB}hello\n`, unreadable: [5], jobs: 2, lost: ['lines'] },
    { file: head + open + jobA + jobB.slice(0, -40), unreadable: [4], jobs: 1 },
    { file: head.slice(4) + open + jobA, unreadable: [1], jobs: 1, lost: ['lines'] },
    { file: 'hello', unreadable: [1], jobs: 0, lost: ['lines'] },
    { file: jobA + jobB, jobs: 2 },
    {
      file: Buffer.from(`${head}${open}{"é":1}\n`, 'latin1'),
      unreadable: [3],
      jobs: 0,
      lost: ['lines'],
    },
    {
      file: head + ended + jobA + jobB + textOf({ ...header, pipeline: 'x' }),
      ...{ unreadable: [5], jobs: 2, lost: ['lines'] },
    },
    { file: undefined, others: head + ended + jobA + jobB, jobs: 2 },
  ];
  test.each(cases.map((one, index) => [index, one] as const))('%s', async (_, one) => {
    const { record } = await repairedIn(one.file, one.others);
    expect(record.ledger.header).toEqual(header);
    expect({
      unreadable: record.unreadable.map(({ number }) => number),
      jobs: [...record.ledger.jobs()].length,
      lost: lost(record),
    }).toEqual({ unreadable: one.unreadable ?? [], jobs: one.jobs, lost: one.lost ?? [] });
  });
});

test('a link, another format and an endless line are refused', async () => {
  const file = join(temporaryFolder(), 'p.state.jsonl');
  symlinkSync('nowhere', file);
  expect(await repaired(file, [], header, at)).toMatchObject({ ok: false });
  expect((await repair(head.replace('4', '5'), undefined)).found).toMatchObject({ ok: false });
  expect((await repair(Buffer.alloc(70_000_000), undefined)).found).toMatchObject({ ok: false });
  expect(existsSync(join(file, '..', 'nowhere'))).toBe(false);
});

test('the record is written whole, and what a person accepts is no longer missing, until more is', async () => {
  const content = head + ended + spoilt(jobA) + spoilt(jobB);
  const { file, record } = await repairedIn(content);
  expect(record.missing).toEqual([{ run: 'r', creations: 2 }]);
  await using state = new StateFile(file, record, silentTerms);
  await state.writeWhole();
  const written = await load(file);
  expect(written).toMatchObject({ isClean: true, warnings: [] });
  expect(written.ledger.missing()).toEqual([{ run: 'r', creations: 2 }]);
  for (const mark of acceptedMarks(written.ledger, at)) written.ledger.put(mark);
  expect([...written.ledger.marks(), ...written.ledger.missing()]).toEqual([]);
  const accepted = [...written.ledger.texts()].join('\n');
  expect(lost((await repairedIn(accepted)).record)).toEqual([]);
  const larger = accepted.replaceAll(/"creations":2(?=}$)/gm, '"creations":5');
  expect(lost((await repairedIn(larger.replace(/^(.*"mark".*):5}$/m, '$1:2}'))).record)).toEqual([
    5,
  ]);
  expect(readFileSync(file, 'utf8')).not.toContain(fingerprint('a'));
});
