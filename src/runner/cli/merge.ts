// shotlist merge: merges two state files with a common ancestor. Exit code 1: both sides paid for one job; 2: a file
// cannot be read.

import { type MergeFiles, merge } from '../operations/merge.ts';
import { resultOf } from '../operations/pipeline/problem.ts';
import { mergeText } from '../report/merge-text.ts';
import { answer, warnOfDriver } from './command.ts';
import type { MergeFlags } from './flags.ts';
import { caution, fail } from './terminal.ts';

export async function mergeCommand(files: MergeFiles, flags: MergeFlags): Promise<number> {
  // Git calls a driver in the top folder of the clone.
  warnOfDriver(process.cwd());
  const merged = await resultOf(() => merge(files, { ...flags, onWarning: caution }));
  const json = flags.json === true;
  if (!merged.ok) {
    fail(merged.error, json);
    return 2;
  }
  return answer(merged.value, json, {
    text: (facts) => mergeText(facts, flags.path !== undefined),
    exitCode: ({ paidTwice }) => (paidTwice.length === 0 ? 0 : 1),
  });
}
