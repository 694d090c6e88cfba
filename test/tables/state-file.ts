// State files as a run writes them, for these tests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryStore } from '../../src/model/job-store.ts';
import type { Header, NewEvent } from '../../src/model/line.ts';
import { JournalFile } from '../../src/state/journal-file.ts';
import { type Loaded, loadState } from '../../src/state/load-state.ts';
import { temporaryFolder } from '../files/places.ts';
import { complete, created, intent, numbered, output, run, supplied } from '../model/lines.ts';

export const header: Header = { shotlist: 3, pipeline: 'p', service: 'rehearsal' };
export const paid: readonly NewEvent[] = [
  run(1),
  intent('b', 10),
  created('b', 12),
  complete('b', 12),
  output('b'),
  supplied('a'),
  intent('c', 5),
];

export const text = (file: string): string => readFileSync(file, 'utf8');
export const linesIn = (file: string): readonly string[] => text(file).trimEnd().split('\n');

export async function load(file: string): Promise<Loaded> {
  const loaded = await loadState(file, memoryStore());
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

/** Writes these events the way a run does. */
export async function written(events = paid): Promise<string> {
  const file = join(temporaryFolder(), 'deep', 'p.state.jsonl');
  const journal = new JournalFile(file, header, await load(file));
  for (const line of numbered(events)) journal.append(JSON.stringify(line));
  await journal.sync();
  await journal.close();
  return file;
}
