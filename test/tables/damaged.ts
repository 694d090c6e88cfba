// Damaged state files for these tests, and what is proposed for them.

import type { RawLine } from '../../src/base/raw-line.ts';
import type { JobLine, NewEvent } from '../../src/model/line.ts';
import { type Repair, repairOf } from '../../src/state/repair/proposal.ts';
import { folded, job, numbered } from '../model/lines.ts';

export const header = { shotlist: 3, pipeline: 'p', service: 'https://service.example' };

const kinds: Readonly<Record<string, string>> = {
  swap: 'face-swap-photo',
  save: 'face-swap-photo',
  tidy: 'face-swap-photo',
  copy: 'face-swap-photo',
  photo: 'upload',
};

export const context = {
  pipeline: 'p',
  service: undefined,
  kindOf: (task: string) => kinds[task.split(':')[0] ?? ''],
};

export const raw = (texts: readonly string[]): readonly RawLine[] =>
  texts.map((text) => ({ text, wellFormed: true, terminated: true }));
export const repaired = (texts: readonly string[]): Repair => repairOf(raw(texts), context);
export const json = (values: readonly object[]): string[] =>
  values.map((value) => JSON.stringify(value));

/** The lines of a journal that was never compacted: line 1 is the header, line n + 1 event n. */
export const journal = (...events: readonly NewEvent[]): string[] =>
  json([header, ...numbered(events)]);

/** The lines of a compacted state file. */
export function compact(...events: readonly NewEvent[]): string[] {
  const ledger = folded(events);
  return json([header, ...ledger.runs(), ...ledger.jobs(), ...ledger.tasks()]);
}

export const stateOf = ({ ledger }: Repair, of: string): JobLine['state'] | undefined =>
  ledger.job(job(of))?.state;

/** What git leaves of two sides that it cannot merge. */
export const conflict = (
  common: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
  base?: readonly string[],
): string[] => [
  ...common,
  '<<<<<<< HEAD',
  ...ours,
  ...(base === undefined ? [] : ['||||||| 1234567', ...base]),
  '=======',
  ...theirs,
  '>>>>>>> other',
];
