// Where a run leaves its files (design.md, The files a run leaves).
import { basename, dirname, join, resolve } from 'node:path';
import type { LoadedPipeline } from '../pipeline/load.ts';
import type { Target, Unasked } from '../service/target.ts';

export interface Places {
  /** `.shotlist` beside the pipeline. */
  readonly own: string;
  /** What of it this run uses: all but the rehearsals, or one rehearsal. */
  readonly room: string;
  /** The state file. */
  readonly state: string;
  readonly lock: string;
  /** Room on the disk that is kept for the state file while a run lasts. */
  readonly ballast: string;
  /** Downloads land below it. */
  readonly output: string;
  /** Superseded outputs, under their hash. */
  readonly kept: string;
  /** Undefined: hashes are remembered in this process only. */
  readonly hashes: string | undefined;
  /** The data of a rehearsal's local service. */
  readonly service: string;
  /** What the header of the state file names: ids mean nothing elsewhere. */
  readonly serviceName: string;
}

export interface PlaceOptions {
  /** `--state`, relative to the working folder. */
  readonly state?: string | undefined;
  /** `--output`, relative to the working folder. */
  readonly output?: string | undefined;
}

export function placesOf(
  { pipeline, folder }: LoadedPipeline,
  target: Target | Unasked,
  options: PlaceOptions,
): Places {
  const own = join(folder, '.shotlist');
  const rehearsal = target.kind === 'rehearsal';
  const room = rehearsal ? join(own, 'rehearsal', pipeline.name) : own;
  const state =
    options.state === undefined
      ? rehearsal
        ? join(room, 'state.jsonl')
        : join(folder, `${pipeline.name}.state.jsonl`)
      : resolve(options.state);
  const output = rehearsal ? join(room, 'out') : resolve(folder, pipeline.output);
  const beside =
    options.state === undefined
      ? join(room, basename(state))
      : join(dirname(state), `.${basename(state)}`);
  return {
    own,
    room,
    state,
    lock: `${beside}.lock`,
    ballast: `${beside}.ballast`,
    output: options.output === undefined ? output : resolve(options.output),
    kept: join(room, 'kept'),
    hashes: join(own, 'hashes.db'),
    service: join(room, 'service'),
    serviceName: rehearsal ? 'rehearsal' : target.address,
  };
}
