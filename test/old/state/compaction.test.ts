// Compaction: the old file stands until the new one is whole, and the same state is the same bytes.
import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Ledger } from '../../../src/model/ledger.ts';
import type { JobLine } from '../../../src/model/line.ts';
import { compactState } from '../../../src/state/compaction.ts';
import { recordDisk } from '../../fakes/disk-recorder.ts';
import { temporaryFolder } from '../../files/places.ts';
import { complete, created, folded, intent, job, run, supplied } from '../../model/lines.ts';
import { header, linesIn } from '../../tables/state-file.ts';

const state = (): string => join(temporaryFolder(), 'p.state.jsonl');

test('a system error is told with the file that could not be written', async () => {
  const file = join(temporaryFolder(), 'none', 'p.state.jsonl');
  expect(await compactState(file, header, new Ledger())).toEqual({
    ok: false,
    error: `${file}.part does not exist`,
  });
});

test('a failure leaves what was there, and nothing beside it', async () => {
  const file = state();
  mkdirSync(file);
  expect(await compactState(file, header, folded([run()]))).toEqual({
    ok: false,
    error: `${file}.part is a folder`,
  });
  expect(readdirSync(dirname(file))).toEqual(['p.state.jsonl']);
  expect(readdirSync(file)).toEqual([]);
});

test('the keys of a job come in one order, however they came', async () => {
  const line = folded([run(), intent(), created(), complete()]).job(job('a'));
  if (line === undefined) throw new Error('no job');
  const bytes = async (entries: readonly (readonly [string, unknown])[]): Promise<string> => {
    const file = state();
    const same: JobLine = Object.assign({ ...line }, {});
    for (const key of Object.keys(same)) Reflect.deleteProperty(same, key);
    Object.assign(same, Object.fromEntries(entries));
    const ledger = new Ledger();
    ledger.apply({ type: 'job', line: same });
    await compactState(file, header, ledger);
    return linesIn(file)[1] ?? '';
  };
  const entries = Object.entries(line);
  const once = await bytes(entries);
  expect(await bytes(entries.toReversed())).toBe(once);
  expect(Object.keys(JSON.parse(once)).slice(0, 4)).toEqual(['job', 'kind', 'state', 'tasks']);
});

test('many jobs are written in pieces: memory does not grow with their number', async () => {
  const file = state();
  const events = Array.from({ length: 12_000 }, (_, index) => supplied(String(index)));
  const ledger = folded(events);
  const disk = await recordDisk((name) => name.startsWith('p.state.jsonl'));
  await compactState(file, header, ledger);
  expect(disk.done.filter((step) => step.startsWith('write')).length).toBeGreaterThan(2);
  // One of the lines is a template.
  expect(linesIn(file)).toHaveLength(12_002);
});
