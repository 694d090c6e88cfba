// shotlist merge: merges two state files with a common ancestor. Exit code 1: both sides paid for one job; 2: a file
// cannot be read.

import { type MergeFiles, merge } from '../operations/merge.ts';
import { mergeText } from '../report/merge-text.ts';
import { answer, warnOfDriver } from './command.ts';
import type { MergeFlags } from './flags.ts';
import { caution } from './terminal.ts';

export async function mergeCommand(files: MergeFiles, flags: MergeFlags): Promise<number> {
  // Git calls a driver in the top folder of the clone.
  warnOfDriver(process.cwd());
  const merged = await merge(files, { ...flags, onWarning: caution });
  const code = answer(merged, flags.json === true, {
    text: (facts) => mergeText(facts, flags.path !== undefined),
    exitCode: ({ paidTwice }) => (paidTwice.length === 0 ? 0 : 1),
  });
  return merged.ok ? code : 2;
}
