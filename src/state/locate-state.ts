// Decides which state file a command means: that of the hosted runs, or that of the rehearsals. The two never mix, so a
// command that would have to guess is refused.
import { existsSync } from 'node:fs';
import { option, shotlistLine } from '../base/shell.ts';
import type { Env } from '../base/user-folder.ts';
import { shownPath } from '../files/shown-path.ts';
import { type BoundPipeline, boundPipeline } from '../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../language/load/loaded-pipeline.ts';
import { problem, Refusal, resultOf } from '../language/load/refusal.ts';
import { namesService } from '../service-api/target.ts';
import { serviceIn } from './load-state.ts';
import { type PathOptions, pathsOf, type RunPaths } from './run-paths.ts';

export interface LocateOptions extends PathOptions {
  /** `--rehearse`: the rehearsal's state file. */
  readonly rehearse?: boolean | undefined;
  /** `--hosted`: the state file of the hosted runs. */
  readonly hosted?: boolean | undefined;
  /** `--service`: the address of the hosted service. */
  readonly service?: string | undefined;
  /** Default: the process's environment. */
  readonly env?: Env;
  /** Called with the service that the state file belongs to, or `rehearsal`, before anything is changed or sent. */
  readonly onState?: (service: string) => void;
}

export interface LocatedState {
  /** For hosted runs, `serviceName` is empty: the header of the state file names the service. */
  readonly paths: RunPaths;
  readonly rehearsal: boolean;
}

/**
 * The one rule of all commands that read a state file:
 * 1. A flag decides (`--rehearse`, `--hosted`, `--service`); a file that `--state` names says itself whose it is.
 * 2. With a key or an address, the hosted state is meant. If there is only the rehearsal's, the command is refused.
 * 3. With neither, the state that exists is meant. If there are both, the command is refused.
 */
export function locateState(loaded: LoadedPipeline, options: LocateOptions): LocatedState {
  const { hosted, rehearsed } = candidates(loaded, options);
  const located = (rehearsal: boolean): LocatedState => ({
    paths: rehearsal ? rehearsed : hosted,
    rehearsal,
  });
  const { rehearse, service } = options;
  if (rehearse === true) return located(true);
  if (options.hosted === true || service !== undefined) return located(false);
  const connected = isConnected(loaded, options);
  if (options.state !== undefined) {
    const owner = serviceIn(hosted.state);
    return located(owner === undefined ? !connected : owner === 'rehearsal');
  }
  const [isHosted, isRehearsed] = [existsSync(hosted.state), existsSync(rehearsed.state)];
  if (connected && !isHosted && isRehearsed)
    throw new Refusal(
      problem(
        `there is no state file of the hosted service yet: ${shownPath(hosted.state)}`,
        'shotlist',
        `a key or an address is set, so the hosted service is meant; to use the rehearsal's state file, ${shownPath(rehearsed.state)}, add --rehearse`,
      ),
    );
  if (!connected && isHosted && isRehearsed)
    throw new Refusal(
      problem(
        `there are two state files: ${shownPath(hosted.state)} of the hosted service, and ${shownPath(rehearsed.state)} of the rehearsal`,
        'shotlist',
        'neither a key nor an address says which one is meant: add --hosted or --rehearse',
      ),
    );
  return located(connected ? false : !isHosted);
}

/** For a command that asks again and again: as soon as there is a state file, what happens to the other one changes nothing. */
export function stateFinder(loaded: LoadedPipeline, options: LocateOptions): () => LocatedState {
  let settled: LocatedState | undefined;
  return () => {
    if (settled !== undefined) return settled;
    const found = locateState(loaded, options);
    if (existsSync(found.paths.state)) settled = found;
    return found;
  };
}

/**
 * The flag that a command line needs so that it means, typed here and now, what `rehearsal` says; undefined if it means that
 * anyway. `runs`: the command is a run, or shows what a run would do.
 */
export function flagFor(
  loaded: LoadedPipeline,
  options: LocateOptions,
  { rehearsal, runs }: { readonly rehearsal: boolean; readonly runs: boolean },
): 'rehearse' | 'hosted' | undefined {
  const { rehearse: _, hosted: __, ...own } = options;
  const found = resultOf(() => locateState(loaded, own));
  const same = runs
    ? isConnected(loaded, own) !== rehearsal
    : found.ok && found.value.rehearsal === rehearsal;
  if (same) return undefined;
  return rehearsal ? 'rehearse' : 'hosted';
}

/** A command line about this state file, wherever it is typed. */
export function lineAbout(
  bound: BoundPipeline,
  { state, serviceName }: RunPaths,
  command: string,
): string {
  const rehearsal = serviceName === 'rehearsal';
  const usual = candidates(bound, {})[rehearsal ? 'rehearsed' : 'hosted'].state;
  return shotlistLine(
    command,
    [bound.file],
    [
      ...option('--state', state === usual ? undefined : shownPath(state)),
      rehearsal ? '--rehearse' : '--hosted',
    ],
  );
}

/** The same state, for a command that asks again later or about another profile: what happens meanwhile changes nothing. */
export function pathsLike(
  { rehearsal }: LocatedState,
  loaded: LoadedPipeline,
  options: PathOptions,
): RunPaths {
  const { hosted, rehearsed } = candidates(loaded, options);
  return rehearsal ? rehearsed : hosted;
}

/** The state files that a run of this pipeline may write: no other file may be written there. */
export function stateFilesOf(loaded: LoadedPipeline, options: PathOptions): readonly string[] {
  const { hosted, rehearsed } = candidates(loaded, options);
  return [hosted.state, rehearsed.state];
}

/** Whether a run without flags would use a hosted service. */
const isConnected = (
  loaded: LoadedPipeline,
  { service, env = process.env }: LocateOptions,
): boolean => namesService({ service }, boundPipeline(loaded), env);

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
