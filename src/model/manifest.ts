// The kept record of what a fingerprint was made of, so that `plan --explain` can say which field or file has changed, and
// `explain` what an output was made from. A fingerprint alone says only that something has.
import { isObject, type Json } from '../base/json.ts';
import type { Fingerprint, Manifest } from './fingerprint.ts';

export interface KeptManifest extends Manifest {
  /** The fingerprint. */
  readonly job: Fingerprint;
  /** For an upload: the path of its file at the time, as the pipeline names it. */
  readonly file?: string;
  /** When it was recorded: ISO 8601. */
  readonly at: string;
}

/** A value of another job in a request body, `shotlist:<fingerprint>/<output>` (`token` in fingerprint.ts). */
export interface ValueOfJob {
  readonly job: string;
  readonly output: string;
}

/** Undefined for any other text. */
export function valueOfJob(text: string): ValueOfJob | undefined {
  const [, job, output] = /^shotlist:([0-9a-f]{64})\/(.+)$/.exec(text) ?? [];
  return job === undefined || output === undefined ? undefined : { job, output };
}

/** A place in a request that is not as before; absent on one side: the field is new, or gone. */
export interface ChangedField {
  /** Such as `assets.face_mappings[0].new_face`. */
  readonly field: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** All texts of a request, with their places. */
export function textsOf(
  value: Json | undefined,
  field = '',
): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[field, value]];
  if (Array.isArray(value))
    return value.flatMap((entry, index) => textsOf(entry, `${field}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, entry]) =>
    textsOf(entry, field === '' ? name : `${field}.${name}`),
  );
}
