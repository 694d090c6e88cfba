// The versions of a state file that git has, as other copies of the record: joined with it whenever it is read.
import { readFileSync } from 'node:fs';
import { isSystemProblem } from '../../base/system-error.ts';
import type { Env } from '../../base/user-folder.ts';
import type { OtherRecord } from '../../state/load-record.ts';
import { headerIn } from '../../state/load-state.ts';
import { replaceMemory } from '../../state/memory-file.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { headRecord, historyRecord } from './head.ts';

interface GitRecords {
  readonly records: readonly OtherRecord[];
  /** Call when the state file has all that they know: the history is not read again. */
  remember(): Promise<void>;
}

/** `withHistory`: also what commits have taken away, for whoever decides what to buy. */
export async function gitRecords(
  { state, history }: Pick<RunPaths, 'state' | 'history'>,
  env: Env,
  withHistory: boolean,
): Promise<GitRecords> {
  const head = await headRecord(state, { env });
  const records: OtherRecord[] = head === undefined ? [] : [head];
  const past = withHistory
    ? await historyRecord(state, headerIn(state), seenCommit(history), { env })
    : undefined;
  if (past !== undefined) records.push(past);
  return {
    records,
    async remember() {
      // Without the memory, the history is read once more.
      if (past !== undefined) await replaceMemory(history, past.commit);
    },
  };
}

function seenCommit(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return undefined;
  }
}
