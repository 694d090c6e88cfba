// Cuts the power of a run at a line of its journal, as tests of crashes need it.
import { rmSync, statSync, truncateSync } from 'node:fs';
import type { LineFile } from '../../src/core/journal.ts';
import type { RunInternals } from '../../src/features/run/run.ts';

export class PowerCut extends Error {
  readonly code = 'POWER_CUT';
}

/**
 * Cuts the power at a line of the journal. `before`: nothing after the last sync survives, this line neither.
 * `after`: the line has reached the disk, and nothing came after it.
 */
export function cutAt(
  line: number,
  when: 'before' | 'after',
  state: string,
): RunInternals & { restore(): void } {
  let lines = 0;
  let dead = false;
  const size = (): number => statSync(state, { throwIfNoEntry: false })?.size ?? 0;
  // What an earlier run left is on disk.
  let synced = size();
  return {
    lines: (file: LineFile): LineFile => ({
      append(text) {
        if (dead) throw new PowerCut();
        lines += 1;
        if (lines === line && when === 'before') dead = true;
        if (dead) throw new PowerCut();
        file.append(text);
        if (lines === line) dead = true;
      },
      async sync() {
        await file.sync();
        synced = size();
        if (dead) throw new PowerCut();
      },
    }),
    restore() {
      // The file comes into being with its header, by a rename: before the first sync it may be missing.
      if (when === 'before' && synced === 0) rmSync(state, { force: true });
      if (when === 'before' && size() > synced) truncateSync(state, synced);
    },
  };
}
