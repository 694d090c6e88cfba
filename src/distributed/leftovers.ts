// Temporary files of workers that died while they saved a result. Their names have the lease, so that two workers never
// write one file; so nobody else replaces them, and the end of the run removes them.
import { readdirSync, unlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isSystemProblem } from '../base/system-error.ts';
import type { Ledger } from '../model/ledger.ts';

/** What a run's temporary files have in their names. */
export const markOf = (run: string): string => run.slice(0, 8);

/** Call when no worker performs anything of the run. A file that cannot be removed stays. */
export function removeLeftovers(run: string, folder: string, output: string, ledger: Ledger): void {
  const places = new Set([output]);
  for (const { outputs = [] } of ledger.jobs())
    for (const { path } of outputs) places.add(dirname(resolve(folder, path)));
  const named = new RegExp(`^\\.shotlist-[0-9a-f]{32}-${markOf(run)}\\.part(\\.json)?$`);
  for (const place of places)
    try {
      for (const name of readdirSync(place)) if (named.test(name)) unlinkSync(join(place, name));
    } catch (error) {
      if (!isSystemProblem(error)) throw error;
    }
}
