// The hint for a field that does not exist at its place: where it belongs, or how to send it
// anyway.
import { isObject } from '../../contract/base/json.ts';
import type { Schema } from '../../contract/base/schema.ts';
import type { StepKind } from '../../contract/kinds/kind.ts';
import { listing } from '../../contract/yaml/diagnostic.ts';
import { propertiesOf } from '../../contract/yaml/unknown-key.ts';

/** A hint for an unknown field. `known` are the fields that the schema has at this place. */
export function misplacedField(key: string, known: readonly string[], kind: StepKind): string {
  const elsewhere = pathIn(kind.with, key, 'with');
  if (elsewhere !== undefined) return `"${key}" belongs at ${elsewhere}`;
  const list = known.length > 0 ? [`known keys: ${listing(known)}`] : [];
  if (kind.operation !== 'create' && kind.operation !== 'detect') return list[0] ?? 'remove it';
  const rest = 'remove it; if the service has a newer field of this name, send it under extra:';
  return [...list, rest].join('; ');
}

/** The place where a schema has a field of this name, such as `with.style.prompt`. */
function pathIn(schema: Schema, key: string, above: string): string | undefined {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, key)) return `${above}.${key}`;
  for (const [name, field] of Object.entries(properties)) {
    const found = isObject(field) ? pathIn(field, key, `${above}.${name}`) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
