// The fingerprint: SHA-256 over what determines a task's result and nothing else (design.md, Words). A wider key would
// make people pay again, so it contains no id, address, time, path or step name.

import { type Digest, digestFrom, digestOf } from '../base/digest.ts';
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Brand } from '../base/result.ts';
import { type Schema, withDefaults, withoutIgnored } from '../base/schema.ts';

export type Fingerprint = Brand<Digest, 'Fingerprint'>;

export const fingerprintFrom = (digest: Digest): Fingerprint => digest as Fingerprint;

/** Everything that determines a result, before it is hashed. */
export interface Manifest {
  /** The step kind. */
  readonly kind: string;
  /** For an upload: the SHA-256 of its file. */
  readonly content?: Digest;
  /** The request body: with defaults, without cosmetic fields, and with service values named by content. */
  readonly body?: JsonObject;
  /** Results are not deterministic, so a user may pay for another take. Omitted for the first take. */
  readonly take?: number;
}

export function fingerprintOf(manifest: Manifest): Fingerprint {
  const { kind, content, body, take } = manifest;
  const json: Record<string, Json> = { kind };
  if (content !== undefined) json['content'] = content;
  if (body !== undefined) json['body'] = body;
  if (take !== undefined && take > 1) json['take'] = take;
  return fingerprintFrom(digestOf(json));
}

/** The part of a request body that determines the result. The body must satisfy the schema, or nearly so. */
export function essentialBody(schema: Schema, body: JsonObject): JsonObject {
  const complete = withoutIgnored(schema, withDefaults(schema, body));
  const cosmetic = cosmeticFields(schema);
  return Object.fromEntries(Object.entries(complete).filter(([key]) => !cosmetic.has(key)));
}

/** The fields of a body that do not change a result. */
export function cosmeticFields({ properties }: Schema): ReadonlySet<string> {
  const fields = isObject(properties) ? Object.entries(properties) : [];
  return new Set(
    fields.flatMap(([key, field]) => (isObject(field) && 'x-cosmetic' in field ? [key] : [])),
  );
}

/** The fingerprint of an upload depends only on the content: the same bytes under any name are uploaded once. */
export function uploadFingerprint(content: string): Fingerprint {
  return fingerprintOf({ kind: 'upload', content: fingerprintFrom(digestFrom(content)) });
}
