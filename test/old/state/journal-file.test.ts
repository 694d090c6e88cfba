// The state file on disk: what was synced is there, and compaction says the same in fewer lines.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/model/job-store.ts';
import { Ledger } from '../../../src/model/ledger.ts';
import type { NewEvent } from '../../../src/model/line.ts';
import { diskStore } from '../../../src/state/job-store.ts';
import { JournalFile } from '../../../src/state/journal-file.ts';
import { loadState } from '../../../src/state/load-state.ts';
import { temporaryFolder } from '../../files/places.ts';
import {
  complete,
  created,
  deleted,
  doubted,
  ended,
  errored,
  intent,
  numbered,
  output,
  run,
  serves,
  supplied,
} from '../../model/lines.ts';
import { header, linesIn, load, paid, text, written } from '../../tables/state-file.ts';

/** Nothing is compacted yet. */
const begun = JSON.stringify({ ...header, lines: 0 });

describe('what was synced', () => {
  test('is read back as it was, after a header', async () => {
    const file = await written();
    expect(linesIn(file)).toHaveLength(paid.length + 1);
    const loaded = await load(file);
    expect(loaded).toMatchObject({
      header,
      warnings: [],
      unterminated: false,
      wholeBytes: Buffer.byteLength(text(file)),
    });
    expect(loaded.ledger.total).toEqual({ charged: 12, refunded: 0, reserved: 5 });
    expect(loaded.ledger.seq).toBe(paid.length);
  });

  test('is on disk when sync resolves, and what was only appended is not', async () => {
    const file = join(temporaryFolder(), 'p.state.jsonl');
    const journal = new JournalFile(file, header, await load(file));
    const [first = '', second = ''] = numbered(paid).map((line) => JSON.stringify(line));
    journal.append(first);
    await journal.sync();
    expect(linesIn(file)).toEqual([begun, first]);
    journal.append(second);
    expect(linesIn(file)).toHaveLength(2);
    await journal.close();
    expect(linesIn(file)).toEqual([begun, first, second]);
  });

  test('has one header although two syncs begin the file at once', async () => {
    const file = join(temporaryFolder(), 'p.state.jsonl');
    const journal = new JournalFile(file, header, await load(file));
    const [first = '', second = ''] = numbered(paid).map((line) => JSON.stringify(line));
    journal.append(first);
    const syncing = journal.sync();
    journal.append(second);
    await Promise.all([syncing, journal.sync()]);
    await journal.close();
    expect(linesIn(file)).toEqual([begun, first, second]);
  });

  test('is gone on with by the next run', async () => {
    const file = await written();
    const journal = new JournalFile(file, header, await load(file));
    const [next] = numbered([...paid, created('c', 5)]).slice(-1);
    journal.append(JSON.stringify(next));
    await journal.close();
    expect((await load(file)).ledger.total).toEqual({ charged: 17, refunded: 0, reserved: 0 });
  });

  test('is nothing where nothing was appended: no file is made', async () => {
    const file = join(temporaryFolder(), 'p.state.jsonl');
    const journal = new JournalFile(file, header, await load(file));
    await journal.close();
    expect(existsSync(file)).toBe(false);
  });
});

describe('a compacted file', () => {
  const history: readonly NewEvent[] = [
    run(1),
    intent('b', 10),
    created('b', 12),
    complete('b', 12),
    output('b'),
    deleted('b'),
    supplied('z'),
    serves('z', 'photo:copy'),
    intent('d', 9),
    created('d', 9),
    errored('d', 0),
    intent('c', 5),
    doubted('c'),
    { event: 'failed', task: 'more:x', why: 'w' },
    ended,
  ];

  async function compactedFile(): Promise<string> {
    const file = await written(history);
    const loaded = await load(file);
    await new JournalFile(file, header, loaded).compact(loaded.ledger);
    return file;
  }

  test('is a header, a line per run, per job and per task, sorted by the names of their tasks', async () => {
    const file = await compactedFile();
    const lines = linesIn(file).map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.map((line) => Object.keys(line)[0])).toEqual([
      'shotlist',
      'run',
      'job',
      'job',
      'job',
      'job',
      'task',
    ]);
    expect(
      lines.flatMap((line) => (Array.isArray(line['tasks']) ? [line['tasks'][0]] : [])),
    ).toEqual(['photo:copy', 'swap:b', 'swap:c', 'swap:d']);
  });

  test('says what the journal said', async () => {
    const before = (await load(await written(history))).ledger;
    const after = (await load(await compactedFile())).ledger;
    expect(after.total).toEqual(before.total);
    expect([...after.jobs()]).toEqual([...before.jobs()]);
    expect(after.tasks()).toEqual(before.tasks());
    expect(after.runs()).toEqual(before.runs());
  });

  test('is the same to the byte when it is compacted again, with another store or not', async () => {
    const file = await compactedFile();
    const once = text(file);
    const store = diskStore();
    const loaded = await loadState(file, store);
    if (!loaded.ok) throw new Error(loaded.error);
    await new JournalFile(file, header, loaded.value).compact(loaded.value.ledger);
    store.close();
    expect(text(file)).toBe(once);
    expect(readdirSync(join(file, '..'))).toEqual(['p.state.jsonl']);
  });

  test('is the same to the byte whatever the order of what happened to different jobs', async () => {
    const inOrder = async (events: readonly NewEvent[]) => {
      const file = await written(events);
      const loaded = await load(file);
      await new JournalFile(file, header, loaded).compact(loaded.ledger);
      return text(file);
    };
    const [begin, one, two] = [
      run(1),
      [intent('a'), created('a'), complete('a')],
      [supplied('q'), serves('q', 'photo:0')],
    ];
    expect(await inOrder([begin, ...one, ...two])).toBe(await inOrder([begin, ...two, ...one]));
  });

  test('can be gone on with: events count from 1 again', async () => {
    const file = await compactedFile();
    const journal = new JournalFile(file, header, await load(file));
    for (const line of numbered([run(2), intent('n', 3)])) journal.append(JSON.stringify(line));
    await journal.close();
    const { ledger } = await load(file);
    expect(ledger.total.reserved).toBe(8);
    expect(ledger.runs()).toHaveLength(2);
  });

  test('is written beside the old one, which stays until the new one is whole', async () => {
    const file = await written(history);
    const before = text(file);
    const broken = new Ledger({
      ...memoryStore(),
      sorted: () => {
        throw new Error('the power is cut');
      },
    });
    await expect(new JournalFile(file, header, await load(file)).compact(broken)).rejects.toThrow(
      'the power is cut',
    );
    expect(text(file)).toBe(before);
  });
});

describe('jobs in a database', () => {
  test('are those that were put there, however many, in the order of their tasks', () => {
    const store = diskStore();
    const ledger = new Ledger(store);
    const events = Array.from({ length: 5000 }, (_, index) => supplied(`${(index * 7919) % 5000}`));
    for (const line of numbered(events))
      expect(ledger.apply({ type: 'event', line }).ok).toBe(true);
    const tasks = [...ledger.jobs()].map((line) => line.tasks[0] ?? '');
    expect(tasks).toHaveLength(5000);
    expect(tasks).toEqual([...tasks].sort());
    for (const line of numbered([...events, supplied('17')]).slice(-1))
      ledger.apply({ type: 'event', line });
    expect([...ledger.jobs()].find((line) => line.tasks[0] === 'photo:17')?.attempt).toBe(2);
    store.close();
  });
});
