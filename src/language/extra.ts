// Checks of `extra:`, which sends fields that shotlist does not know, so that unknown fields under
// `with:` can be errors.
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import type { Code } from '../contract/codes/all.ts';
import type { Diagnostic } from '../contract/yaml/diagnostic.ts';
import type { Path } from '../contract/yaml/place.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { Draft } from './draft.ts';

/**
 * The paths of the unknown fields under `extra:`; each path is the first unknown field of its
 * branch.
 */
export function extraPaths({ raw, kind }: Draft): readonly Path[] {
  const extra = raw['extra'];
  return isObject(extra) ? sorted(extra, kind?.with, raw['with']).unknown : [];
}

export function checkExtra(draft: Draft, source: Source): readonly Diagnostic[] {
  const { name, kind, raw } = draft;
  const extra = raw['extra'];
  if (kind === undefined || !isObject(extra)) return [];
  const error = (code: Code, path: Path, message: string, hint: string): Diagnostic => ({
    severity: 'error',
    code,
    file: source.file,
    span: source.keySpanOf(['steps', name, 'extra', ...path]),
    message: `step "${name}": ${message}`,
    hint,
  });
  if (kind.operation !== 'create' && kind.operation !== 'detect')
    return [
      error(
        'SL111',
        [],
        `extra: is for tool steps and face-detect, not for ${kind.name}`,
        'remove extra:',
      ),
    ];
  const { known, unmergeable } = sorted(extra, kind.with, raw['with']);
  return [
    ...known.map((path) =>
      error(
        'SL112',
        path,
        `extra: ${path.join('.')} is a field of ${kind.name}`,
        'put it under with:',
      ),
    ),
    ...unmergeable.map((path) =>
      error(
        'SL113',
        path,
        `extra: fields cannot be merged into ${path.join('.')}, which is not written as an object under with:`,
        `write with: ${path.join('.')} as an object`,
      ),
    ),
  ];
}

interface Sorted {
  readonly known: readonly Path[];
  readonly unknown: readonly Path[];
  /** Objects of the schema that are something else under `with:`, for example an expression. */
  readonly unmergeable: readonly Path[];
}

function sorted(
  extra: JsonObject,
  schema: Schema | undefined,
  given: Json | undefined,
  above: Path = [],
): Sorted {
  const properties = isObject(schema?.['properties']) ? schema['properties'] : {};
  const parts = Object.entries(extra).map(([key, value]): Sorted => {
    const path = [...above, key];
    const field = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const none = { known: [], unknown: [], unmergeable: [] };
    if (!isObject(field)) return { ...none, unknown: [path] };
    if (!isObject(field['properties']) || !isObject(value)) return { ...none, known: [path] };
    const own = isObject(given) ? given[key] : undefined;
    if (own !== undefined && !isObject(own)) return { ...none, unmergeable: [path] };
    return sorted(value, field, own, path);
  });
  return {
    known: parts.flatMap((part) => part.known),
    unknown: parts.flatMap((part) => part.unknown),
    unmergeable: parts.flatMap((part) => part.unmergeable),
  };
}
