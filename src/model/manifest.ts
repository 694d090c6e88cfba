// The kept record of what a fingerprint was made of, so that `plan --explain` can say which field or file has changed, and
// `explain` what an output was made from. A fingerprint alone says only that something has.
import { canonical, isObject, type Json } from '../base/json.ts';
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

/** The fields in which two manifests differ, in the order of the newer one. */
export function changesBetween(before: Manifest, after: Manifest): readonly ChangedField[] {
  const { kind: kindBefore, content: contentBefore, take: takeBefore = 1 } = before;
  const { kind, content, take = 1 } = after;
  return [
    ...(kind === kindBefore ? [] : [{ field: 'uses', before: kindBefore, after: kind }]),
    ...(content === contentBefore
      ? []
      : [{ field: 'content', ...known('before', contentBefore), ...known('after', content) }]),
    ...(take === takeBefore ? [] : [{ field: 'take', before: takeBefore, after: take }]),
    ...changedIn('', before.body, after.body),
  ];
}

const known = (side: 'before' | 'after', value: Json | undefined) =>
  value === undefined ? {} : { [side]: value };

function changedIn(
  field: string,
  before: Json | undefined,
  after: Json | undefined,
): readonly ChangedField[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(after), ...Object.keys(before)]);
    const at = (name: string): string => (field === '' ? name : `${field}.${name}`);
    return [...names].flatMap((name) => changedIn(at(name), before[name], after[name]));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      changedIn(`${field}[${index}]`, before[index], after[index]),
    );
  }
  const same =
    before === undefined || after === undefined ? before === after : isSame(before, after);
  return same ? [] : [{ field, ...known('before', before), ...known('after', after) }];
}

const isSame = (before: Json, after: Json): boolean => canonical(before) === canonical(after);

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
