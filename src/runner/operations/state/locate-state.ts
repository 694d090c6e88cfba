// Finds the state file that a command is about when no run chooses it: the hosted one where there is one, else the
// rehearsal's.
import { existsSync } from 'node:fs';
import { type PathOptions, pathsOf, type RunPaths } from '../files/run-paths.ts';
import type { LoadedPipeline } from '../pipeline/load.ts';

export interface LocateOptions extends PathOptions {
  readonly rehearse?: boolean | undefined;
  readonly hosted?: boolean | undefined;
}

/** The places' `serviceName` says nothing for a hosted one: the state file's header names its service. */
export function locateState(
  loaded: LoadedPipeline,
  options: LocateOptions,
): { readonly paths: RunPaths; readonly rehearsal: boolean } {
  const hosted = pathsOf(loaded, { kind: 'hosted', address: '', key: '' }, options);
  const rehearsed = pathsOf(loaded, { kind: 'rehearsal' }, options);
  const rehearsal =
    options.rehearse === true || (options.hosted !== true && !existsSync(hosted.state));
  return { paths: rehearsal ? rehearsed : hosted, rehearsal };
}
