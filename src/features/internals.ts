// The one door through which tests replace what operations use of the outside: options carry the replacements, so that every
// operation that passes its options on takes them along.

import type { LineFile } from '../core/journal.ts';
import type { Disk, MediaApi } from '../core/ports.ts';
import type { ClientOptions } from '../service-api/http-client.ts';
import type { StateRecord } from '../state/record-in-place.ts';

/** What tests replace between an operation and the outside. */
export interface RunInternals {
  /** Wraps the lines of a run, or of a correction, on their way to the state file. */
  readonly lines?: (file: LineFile) => LineFile;
  /** Takes the place of the state file, its lock, and the checks and reserves of its disk. */
  readonly record?: StateRecord;
  /** Wraps every connection to the service. Then the service is not probed, and its account is asked instead. */
  readonly api?: (api: MediaApi) => MediaApi;
  /** Wraps the disk, of a plan and of a run. */
  readonly disk?: (disk: Disk) => Disk;
  /** Limits of the client, and its network. */
  readonly client?: Partial<ClientOptions>;
  /** The first pause before a request is sent again, in milliseconds; default 1000. */
  readonly backoffMs?: number;
  /** The speed of the service relative to the hosted one, for polling; default 1. */
  readonly speedFactor?: number;
}

const door = Symbol('internals');

/** `object`: options of any operation have no name in common with this. */
type Carrier = object & { readonly [door]?: RunInternals };

export const withInternals = <T extends object>(options: T, internals: RunInternals): T => ({
  ...options,
  [door]: internals,
});

export const internalsOf = (options: Carrier): RunInternals => options[door] ?? {};
