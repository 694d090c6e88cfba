// A folder that several hosts share. Each host trusts `.shotlist` only if it made that folder itself, so a coordinator on
// another host would refuse it. The canary of an open run is the proof that a coordinator of this run wrote there: nobody
// can guess it, git never has it, and each run has another one.

import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { adoptOwnFolder } from '../state/own-folder.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { hasCanary } from './canary.ts';
import type { EngineRun } from './database.ts';

/** `run`: of this pipeline, in the database; undefined: there is none. */
export function shareFolder(
  bound: BoundPipeline,
  paths: RunPaths,
  run: EngineRun | undefined,
  onWarning: (message: string) => void,
): void {
  if (run?.stage !== 'open' || !hasCanary(bound.folder, run)) return;
  const adopted = adoptOwnFolder(paths);
  if (adopted)
    onWarning(
      `${paths.ownFolder} was made on another host or by another user: it is trusted here, too, because the database has an open run of this folder`,
    );
}
