// State files as a run writes them, for these tests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Loaded, loadState } from '../../src/state/load-state.ts';
import { StateFile, type StateFileTerms } from '../../src/state/state-file.ts';
import { temporaryFolder } from '../files/places.ts';
import {
  complete,
  created,
  folded,
  type Happening,
  header,
  intent,
  output,
  run,
  supplied,
  textsOf,
} from '../model/lines.ts';
import { silentTerms } from '../state/records.ts';

export const paid: readonly Happening[] = [
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
  const loaded = await loadState(file, { header });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

export interface OpenFile {
  readonly file: StateFile;
  readonly state: Loaded;
  /** Appends the lines that these events change, and returns them. */
  append(...events: readonly Happening[]): readonly string[];
}

export async function opened(path: string, terms: Partial<StateFileTerms> = {}): Promise<OpenFile> {
  const state = await load(path);
  const file = new StateFile(path, state.record, { ...silentTerms, ...terms });
  let told = 0;
  const append = (...events: readonly Happening[]): readonly string[] => {
    const lines = events.flatMap((event) => {
      const before = new Set(textsOf(state.ledger));
      folded([event], state.ledger, told++);
      return textsOf(state.ledger).filter((line) => !before.has(line));
    });
    for (const line of lines) file.append(line);
    return lines;
  };
  return { file, state, append };
}

/** Writes what these events change the way a run does that is killed at its end. */
export async function written(events = paid): Promise<string> {
  const path = join(temporaryFolder(), 'deep', 'p.state.jsonl');
  const { file, append } = await opened(path);
  append(...events);
  await file.close();
  return path;
}
