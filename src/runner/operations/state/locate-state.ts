// Finds the state file that a command is about when no run chooses it: the hosted one where there is one, else the
// rehearsal's.
import { existsSync } from 'node:fs';
import { type PlaceOptions, type Places, placesOf } from '../files/run-paths.ts';
import type { LoadedPipeline } from '../pipeline/load.ts';

export interface LocateOptions extends PlaceOptions {
  readonly rehearse?: boolean | undefined;
  readonly hosted?: boolean | undefined;
}

/** The places' `serviceName` says nothing for a hosted one: the state file's header names its service. */
export function locateState(
  loaded: LoadedPipeline,
  options: LocateOptions,
): { readonly places: Places; readonly rehearsal: boolean } {
  const hosted = placesOf(loaded, { kind: 'hosted', address: '', key: '' }, options);
  const rehearsed = placesOf(loaded, { kind: 'rehearsal' }, options);
  const rehearsal =
    options.rehearse === true || (options.hosted !== true && !existsSync(hosted.state));
  return { places: rehearsal ? rehearsed : hosted, rehearsal };
}
