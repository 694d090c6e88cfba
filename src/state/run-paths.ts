// The paths of everything that a run leaves (design.md, What a run leaves).
import { basename, dirname, join, relative, resolve } from 'node:path';
import { digestOfBytes } from '../base/digest.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import type { Target, Unasked } from '../service-api/target.ts';
import { privateFolderOf } from './private-folder.ts';

export interface RunPaths {
  /** `.shotlist` beside the pipeline. */
  readonly ownFolder: string;
  /** The part of it that this run uses: everything but the rehearsals, or one rehearsal. */
  readonly runFolder: string;
  /** Outside of the pipeline's folder: what is remembered about it. */
  readonly privateFolder: string;
  /** The part of it that belongs to `runFolder`. */
  readonly privateRunFolder: string;
  /** The state file. */
  readonly state: string;
  readonly lock: string;
  /** Who holds the lock, and how far it is. Beside the lock, so that a host that shares the folder sees it. */
  readonly live: string;
  /** What `shotlist schedule` remembers about due times. */
  readonly due: string;
  /** Disk space that is reserved for the state file during a run. */
  readonly diskReserve: string;
  /** The commit to which git's history of the state file was read. */
  readonly history: string;
  /** Downloads are saved below it. */
  readonly output: string;
  /** Superseded outputs, under their hash. */
  readonly kept: string;
  /** Where a rehearsal stores outputs, whatever store the pipeline names. */
  readonly store: string;
  /** Undefined if hashes are remembered in this process only. */
  readonly hashes: string | undefined;
  /** The data of a rehearsal's local service. */
  readonly serviceData: string;
  /** The service in the header of the state file: ids have no meaning at another service. */
  readonly serviceName: string;
}

export interface PathOptions {
  /** `--state`, relative to the working folder. */
  readonly state?: string | undefined;
  /** `--output`, relative to the working folder. */
  readonly output?: string | undefined;
}

export function pathsOf(
  { pipeline, folder, outputProfile }: BoundPipeline,
  target: Target | Unasked,
  options: PathOptions,
): RunPaths {
  const ownFolder = join(folder, '.shotlist');
  const rehearsal = target.kind === 'rehearsal';
  const run = rehearsal ? join('rehearsal', pipeline.name) : '';
  const runFolder = join(ownFolder, run);
  const privateFolder = privateFolderOf(folder);
  const privateRunFolder = join(privateFolder, run);
  const state =
    options.state === undefined
      ? rehearsal
        ? join(runFolder, 'state.jsonl')
        : join(folder, `${pipeline.name}.state.jsonl`)
      : resolve(options.state);
  const rehearsed = outputProfile === undefined ? 'out' : `out-${outputProfile}`;
  const output = rehearsal ? join(runFolder, rehearsed) : resolve(folder, pipeline.output);
  const beside =
    options.state === undefined
      ? join(runFolder, basename(state))
      : join(dirname(state), `.${basename(state)}`);
  const name = nameIn(runFolder, state, options);
  const inPrivate = join(privateRunFolder, name);
  return {
    ownFolder,
    runFolder,
    privateFolder,
    privateRunFolder,
    state,
    lock: `${beside}.lock`,
    live: `${beside}.live.json`,
    due: `${inPrivate}.due.json`,
    diskReserve: `${beside}.reserve`,
    history: `${inPrivate}.history`,
    output: options.output === undefined ? output : resolve(options.output),
    kept: join(runFolder, 'kept'),
    store: join(runFolder, 'store'),
    hashes: join(privateFolder, 'hashes.db'),
    serviceData: join(privateRunFolder, 'service'),
    serviceName: rehearsal ? 'rehearsal' : target.address,
  };
}

/** Beside a state file that `--state` names, git would see the file; in a folder of ours, two such names may be equal. */
const nameIn = (runFolder: string, state: string, options: PathOptions): string =>
  options.state === undefined
    ? basename(state)
    : `${basename(state)}.${digestOfBytes(relative(runFolder, state)).slice(0, 8)}`;
