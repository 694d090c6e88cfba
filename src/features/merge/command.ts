// shotlist merge: merges two state files with a common ancestor. Exit code 1: both sides paid for one job; 2: a file
// cannot be read.

import { resultOf } from '../../language/load/refusal.ts';
import type { MergeFlags } from '../../terminal/flags.ts';
import { caution, fail } from '../../terminal/terminal.ts';
import { answer, warnOfDriver } from '../command.ts';
import { type MergeFiles, merge } from './merge.ts';
import { mergeText } from './merge-text.ts';

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
