// Another program changes the state file: the journal notices before it relies on the file, and never replaces it.
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/model/ledger.ts';
import { type NewEvent, parseLine } from '../../../src/model/line.ts';
import { StateFileChanged } from '../../../src/state/file-version.ts';
import { JournalFile } from '../../../src/state/journal-file.ts';
import type { Loaded } from '../../../src/state/load-state.ts';
import { temporaryFolder } from '../../files/places.ts';
import { complete, created, intent, numbered, run } from '../../model/lines.ts';
import { header, load, paid, text, written } from '../../tables/state-file.ts';

/** Replaces a file as git and careful editors do. */
function replace(file: string, content: string | Buffer): void {
  writeFileSync(`${file}.other`, content);
  renameSync(`${file}.other`, file);
}

/** What is written without being read: another purchase. */
const other = [header, ...numbered([run(1), intent('z', 7), created('z', 7)])]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

const next = JSON.stringify(numbered([...paid, created('c', 5)]).at(-1));

async function loaded(file: string, more: (file: string) => void = () => undefined) {
  more(file);
  return await load(file);
}

describe('before the first line', () => {
  test.each<[string, (file: string) => void]>([
    ['was replaced', (file) => replace(file, other)],
    ['grew', (file) => appendFileSync(file, `${next}\n`)],
    ['was cut off', (file) => writeFileSync(file, text(file).slice(0, -20))],
    [
      'has the same length and other bytes',
      (file) => writeFileSync(file, text(file).replace('12', '21')),
    ],
    ['lost its last line feed', (file) => writeFileSync(file, text(file).trimEnd())],
  ])('a file that %s is not written to, and nothing is lost of it', async (_, act) => {
    const file = await written();
    const journal = new JournalFile(file, header, await load(file), { onMoved: () => undefined });
    act(file);
    const found = text(file);
    journal.append(next);
    await expect(journal.sync()).rejects.toThrow(StateFileChanged);
    await journal.close();
    expect(text(file)).toBe(found);
    expect(readdirSync(join(file, '..'))).toEqual(['p.state.jsonl']);
  });

  test('a file that appeared is not replaced', async () => {
    const file = join(temporaryFolder(), 'p.state.jsonl');
    const journal = new JournalFile(file, header, await load(file));
    writeFileSync(file, other);
    journal.append(JSON.stringify(numbered(paid)[0]));
    await expect(journal.sync()).rejects.toThrow(StateFileChanged);
    expect(text(file)).toBe(other);
    expect(readdirSync(join(file, '..'))).toEqual(['p.state.jsonl']);
  });

  test('the same bytes in another file, or with another time, are the same state file', async () => {
    const file = await written();
    const journal = new JournalFile(file, header, await load(file));
    replace(file, readFileSync(file));
    utimesSync(file, 1, 1);
    journal.append(next);
    await journal.close();
    expect((await load(file)).ledger.total.charged).toBe(17);
  });

  test('a torn last line is removed, unless somebody has completed it meanwhile', async () => {
    const file = await written();
    const whole = text(file);
    const torn = (path: string): void => writeFileSync(path, `${whole}${next.slice(0, 40)}`);
    const journal = new JournalFile(file, header, await loaded(file, torn));
    appendFileSync(file, `${next.slice(40)}\n`);
    journal.append(next);
    await expect(journal.sync()).rejects.toThrow(StateFileChanged);
    expect(text(file)).toBe(`${whole}${next}\n`);

    const again = new JournalFile(file, header, await loaded(file, torn));
    again.append(next);
    await again.close();
    expect(text(file)).toBe(`${whole}${next}\n`);
  });
});

/** A journal with a line in it, and what a run does with another event. */
async function begun(hooks: { readonly moves?: boolean } = {}): Promise<{
  file: string;
  journal: JournalFile;
  state: Loaded;
  moved: () => number;
  add: (event: NewEvent) => void;
}> {
  const file = await written();
  const state = await load(file);
  let moved = 0;
  const onMoved = (): void => void moved++;
  const journal = new JournalFile(file, header, state, hooks.moves === false ? {} : { onMoved });
  const add = (event: NewEvent): void => {
    const line = { seq: state.ledger.seq + 1, ...event, at: '2026-01-01T00:00:00.000Z' };
    const parsed = parseLine(JSON.stringify(line));
    if (!parsed.ok) throw new Error(parsed.error);
    const folded = state.ledger.apply(parsed.value);
    if (!folded.ok) throw new Error(folded.error);
    journal.append(JSON.stringify(line));
  };
  add(created('c', 5));
  await journal.sync();
  return { file, journal, state, moved: () => moved, add };
}

const jobs = (ledger: Ledger) => [...ledger.jobs()];

describe('while lines are written', () => {
  test.each<[string, (file: string) => void]>([
    ['is replaced', (file) => replace(file, other)],
    ['grows', (file) => appendFileSync(file, 'x')],
    ['is rewritten in place', (file) => writeFileSync(file, other)],
    ['is removed', (file) => renameSync(file, `${file}.away`)],
  ])(
    'a file that %s stays so, and the journal continues in a whole file beside it',
    async (_, act) => {
      const { file, journal, state, moved, add } = await begun();
      act(file);
      const found = existsSync(file) ? text(file) : undefined;
      add(intent('d', 9));
      await journal.sync();
      expect(moved()).toBe(1);
      add(created('d', 9));
      await journal.sync();
      const kept = await load(`${file}.unsaved`);
      expect(kept.ledger.total).toEqual(state.ledger.total);
      expect(kept.ledger.total.charged).toBe(26);
      expect(jobs(kept.ledger)).toEqual(jobs(state.ledger));
      add(complete('d', 9));
      expect(await journal.compact(state.ledger)).toEqual({ ok: true, value: undefined });
      expect(moved()).toBe(1);
      expect(existsSync(file) ? text(file) : undefined).toBe(found);
      expect(jobs((await load(`${file}.unsaved`)).ledger)).toEqual(jobs(state.ledger));
    },
  );

  test('a line that was written to a file without a name is in the other one when sync resolves', async () => {
    const { file, journal, state, moved, add } = await begun();
    add(intent('d', 9));
    const syncing = journal.sync();
    // Written synchronously, and not synced yet.
    replace(file, other);
    await syncing;
    expect(moved()).toBe(1);
    expect(text(file)).toBe(other);
    expect(jobs((await load(`${file}.unsaved`)).ledger)).toEqual(jobs(state.ledger));
    await journal.close();
  });

  test('a change right before the compaction is noticed', async () => {
    const { file, journal, state, moved } = await begun();
    const { ledger } = state;
    // While the compacted file is written.
    const { runs } = ledger;
    ledger.runs = () => {
      if (text(file) !== other) replace(file, other);
      return runs.call(ledger);
    };
    expect(await journal.compact(ledger)).toEqual({ ok: true, value: undefined });
    expect(moved()).toBe(1);
    expect(text(file)).toBe(other);
    expect(jobs((await load(`${file}.unsaved`)).ledger)).toEqual(jobs(ledger));
    expect(readdirSync(join(file, '..')).sort()).toEqual([
      'p.state.jsonl',
      'p.state.jsonl.unsaved',
    ]);
  });

  test('an edit, which has bought nothing, fails instead', async () => {
    const { file, journal, add } = await begun({ moves: false });
    replace(file, other);
    add(intent('d', 9));
    await expect(journal.sync()).rejects.toThrow(StateFileChanged);
    expect(text(file)).toBe(other);
    expect(readdirSync(join(file, '..'))).toEqual(['p.state.jsonl']);
  });

  test('a second change, of the file beside it, ends the journal', async () => {
    const { file, journal, add } = await begun();
    replace(file, other);
    add(intent('d', 9));
    await journal.sync();
    replace(`${file}.unsaved`, other);
    add(created('d', 9));
    await expect(journal.sync()).rejects.toThrow(StateFileChanged);
    await journal.close();
    expect(text(`${file}.unsaved`)).toBe(other);
  });
});

test('a file that nothing was written to is compacted only if it is as it was read', async () => {
  const file = await written();
  const state = await load(file);
  replace(file, other);
  const compacted = await new JournalFile(file, header, state).compact(state.ledger);
  expect(compacted.ok).toBe(false);
  expect(text(file)).toBe(other);
});
