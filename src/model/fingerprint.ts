// The fingerprint: SHA-256 over what determines a task's result and nothing else (design.md, Words). A wider key would
// make people pay again, so it contains no id, address, time, path or step name.

import { type Digest, digestFrom, digestOf } from '../base/digest.ts';
import { isObject, type Json } from '../base/json.ts';
import type { Brand } from '../base/result.ts';
import type { Schema } from '../base/schema.ts';

export type Fingerprint = Brand<Digest, 'Fingerprint'>;

export const fingerprintFrom = (digest: Digest): Fingerprint => digest as Fingerprint;

/** The fields of a body that do not change a result. */
export function cosmeticFields({ properties }: Schema): ReadonlySet<string> {
  const fields = isObject(properties) ? Object.entries(properties) : [];
  return new Set(
    fields.flatMap(([key, field]) => (isObject(field) && 'x-cosmetic' in field ? [key] : [])),
  );
}

/** A value of another job in a request body, which is named `shotlist:<fingerprint>/<output>`. */
interface ValueOfJob {
  readonly job: string;
  readonly output: string;
}

/** Undefined for any other text. */
export function valueOfJob(text: string): ValueOfJob | undefined {
  const [, job, output] = /^shotlist:([0-9a-f]{64})\/(.+)$/.exec(text) ?? [];
  return job === undefined || output === undefined ? undefined : { job, output };
}

/** All texts of a request, with their places, such as `assets.face_mappings[0].new_face`. */
export function textsOf(
  value: Json | undefined,
  field = '',
): readonly (readonly [field: string, text: string])[] {
  if (typeof value === 'string') return [[field, value]];
  if (Array.isArray(value))
    return value.flatMap((entry, index) => textsOf(entry, `${field}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, entry]) =>
    textsOf(entry, field === '' ? name : `${field}.${name}`),
  );
}

/** The fingerprint of an upload depends only on the content: the same bytes under any name are uploaded once. */
export function uploadFingerprint(content: string): Fingerprint {
  return fingerprintFrom(digestOf({ kind: 'upload', content: digestFrom(content) }));
}
