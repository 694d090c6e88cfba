// State files with rows: a run reads what it wrote, to the byte.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryStore } from '../../../src/model/job-store.ts';
import { Ledger } from '../../../src/model/ledger.ts';
import { type JobLine, lineText, type RunLine } from '../../../src/model/line.ts';
import { compactState } from '../../../src/state/compaction.ts';
import { JournalFile } from '../../../src/state/journal-file.ts';
import { loadState } from '../../../src/state/load-state.ts';
import { temporaryFolder } from '../../files/places.ts';
import { at, numbered, run } from '../../model/lines.ts';
import { photoJobs } from '../../model/photo-jobs.ts';
import { longTest } from '../../sweep.ts';
import { header, linesIn, load, text } from '../../tables/state-file.ts';

const runLine: RunLine = { run: 1, at, charged: 500, refunded: 0, ended: at };
const jobs: readonly JobLine[] = Array.from({ length: 50 }, (_, index) => photoJobs(index)).flat();

function ledgerOf(lines: readonly JobLine[]): Ledger {
  const ledger = new Ledger();
  ledger.apply({ type: 'run', line: runLine });
  for (const line of lines) ledger.apply({ type: 'job', line });
  return ledger;
}

async function compacted(lines = jobs): Promise<string> {
  const file = join(temporaryFolder(), 'p.state.jsonl');
  await compactState(file, header, ledgerOf(lines));
  return file;
}

const isRow = (line: string): boolean => line.startsWith('[');

test('a file with rows is read as the jobs that it was written from, and written again as the same bytes', async () => {
  const file = await compacted();
  expect(linesIn(file).filter(isRow)).toHaveLength(3 * 18);
  const { ledger, header: read } = await load(file);
  expect([...ledger.jobs()]).toEqual([...ledgerOf(jobs).jobs()]);
  const before = text(file);
  if (read === undefined) throw new Error('no header');
  await compactState(file, read, ledger);
  expect(text(file)).toBe(before);
});

test('events follow rows, and are folded into the jobs of rows', async () => {
  const file = await compacted();
  const journal = new JournalFile(file, header, await load(file));
  const [, , swap] = photoJobs(49);
  const amended = {
    event: 'amended',
    job: swap.job,
    project: swap.project ?? '',
    credits: 7,
  } as const;
  for (const line of numbered([run(2), amended])) journal.append(lineText(line));
  await journal.sync();
  await journal.close();
  const { ledger } = await load(file);
  expect(ledger.job(swap.job)).toMatchObject({ credits: 7, peak: 10 });
  expect(ledger.seq).toBe(2);
});

test.each(['a row', 'a template'])(
  '%s below an event is an error that names the line',
  async (what) => {
    const file = await compacted();
    const lines = linesIn(file);
    const moved = lines.find((line) =>
      what === 'a row' ? isRow(line) : line.startsWith('{"temp'),
    );
    const events = numbered([run(2)]).map(lineText);
    writeFileSync(file, [...lines, ...events, moved, ''].join('\n'));
    expect(await loadState(file, memoryStore())).toMatchObject({
      ok: false,
      error: expect.stringContaining(
        `:${lines.length + 2}: a ${what === 'a row' ? 'job' : 'template'} line follows`,
      ),
    });
  },
);

test('a second row of a job is an error', async () => {
  const file = await compacted();
  const lines = linesIn(file);
  writeFileSync(file, `${[...lines, lines.find(isRow)].join('\n')}\n`);
  expect(await loadState(file, memoryStore())).toMatchObject({
    ok: false,
    error: expect.stringContaining('a second line for the job'),
  });
});

test('a file of another format is refused, with what to do', async () => {
  const file = await compacted();
  const current = text(file);
  const inFormat = async (version: number): Promise<unknown> => {
    writeFileSync(file, current.replace('{"shotlist":3', `{"shotlist":${version}`));
    return await loadState(file, memoryStore());
  };
  const newer = 'this version reads format 3: upgrade shotlist';
  expect(await inFormat(4)).toMatchObject({ ok: false, error: expect.stringContaining(newer) });
  const older = 'it has format 2, which no release of shotlist has written';
  expect(await inFormat(2)).toMatchObject({ ok: false, error: expect.stringContaining(older) });
});

test.each([
  ['and nothing else', []],
  ['and events after them', [run(2)]],
  ['and an event that a crash tore to its first character', ['{']],
] as const)(
  'a compacted file without any one of its lines, %s, is damaged, and so is one with a line more',
  async (_, events) => {
    const file = await compacted(jobs.slice(0, 60));
    const lines = linesIn(file);
    const count = lines.length - 1;
    expect(lines[0]).toContain(`"lines":${count}`);
    const end = events.map((event) =>
      typeof event === 'string' ? event : `${lineText(numbered([event])[0] ?? {})}\n`,
    );
    const withLines = async (left: readonly string[]): Promise<string> => {
      writeFileSync(file, `${left.join('\n')}\n${end.join('')}`);
      const loaded = await loadState(file, memoryStore());
      return loaded.ok ? 'loaded' : loaded.error;
    };
    expect(await withLines(lines)).toBe('loaded');
    for (const index of lines.keys()) {
      if (index === 0) continue;
      expect(await withLines(lines.toSpliced(index, 1)), `line ${index + 1}`).toMatch(
        /\.jsonl:\d+: /,
      );
      expect(await withLines(lines.slice(0, index)), `cut at line ${index + 1}`).toMatch(
        new RegExp(`after ${index - 1} of the ${count} lines that the header announces`),
      );
    }
    const more = lineText({ task: 'swap:x', state: 'failed', why: 'x' });
    expect(await withLines([...lines, more])).toContain(`:${lines.length + 1}: a line more than`);
    const old = (lines[0] ?? '').replace(/,"lines":\d+/, '');
    expect(await withLines([old, ...lines.slice(1, -1)])).toBe('loaded');
  },
);

longTest(
  'a ledger that is too long to be kept in memory is written with the right number of lines',
  async () => {
    const long = Array.from({ length: 40 }, (_, index): JobLine => {
      const [photo] = photoJobs(index);
      return { ...photo, result: { file_path: 'x', note: 'y'.repeat(1 << 20) } };
    });
    const file = await compacted(long);
    const { ledger } = await load(file);
    expect(ledger.size).toBe(40);
  },
);
