// Finds the state file of a command that starts no run: that of the hosted runs if it exists, else that of the
// rehearsals.
import { existsSync } from 'node:fs';
import { type PathOptions, pathsOf, type RunPaths } from '../files/run-paths.ts';
import { boundPipeline } from '../pipeline/bound-pipeline.ts';
import type { LoadedPipeline } from '../pipeline/loaded-pipeline.ts';

export interface LocateOptions extends PathOptions {
  /** `--rehearse`: the rehearsal's state file. */
  readonly rehearse?: boolean | undefined;
  /** `--hosted`: the state file of the hosted runs. */
  readonly hosted?: boolean | undefined;
}

/** For hosted runs, `serviceName` is empty: the header of the state file names the service. */
export function locateState(
  loaded: LoadedPipeline,
  options: LocateOptions,
): { readonly paths: RunPaths; readonly rehearsal: boolean } {
  const { hosted, rehearsed } = candidates(loaded, options);
  const rehearsal =
    options.rehearse === true ||
    (options.hosted !== true && options.engine === undefined && !existsSync(hosted.state));
  return { paths: rehearsal ? rehearsed : hosted, rehearsal };
}

/** The state files that a run of this pipeline may write: no other file may be written there. */
export function stateFilesOf(loaded: LoadedPipeline, options: PathOptions): readonly string[] {
  const { hosted, rehearsed } = candidates(loaded, options);
  return [hosted.state, rehearsed.state];
}

function candidates(
  loaded: LoadedPipeline,
  options: PathOptions,
): { readonly hosted: RunPaths; readonly rehearsed: RunPaths } {
  const bound = boundPipeline(loaded);
  return {
    hosted: pathsOf(bound, { kind: 'hosted', address: '', key: '' }, options),
    rehearsed: pathsOf(bound, { kind: 'rehearsal' }, options),
  };
}
