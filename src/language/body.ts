// Checks of `with:` that a schema cannot express well: rules between fields, local paths in place
// of assets, misspelled values.

import { fieldOf, isObject, type Json, type JsonObject } from '../base/json.ts';
import { partOf, type Schema } from '../base/schema.ts';
import { extensionOf, libraryMediaOf, mediaTypeOf } from '../contract/api/asset.ts';
import type { StepKind } from '../contract/kinds/kind.ts';
import { breachesOf, cautionsOf } from '../contract/tool/tool.ts';
import { type Diagnostic, nearest } from '../contract/yaml/diagnostic.ts';
import type { Path } from '../contract/yaml/place.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { Draft } from './draft.ts';
import { isTemplated } from './template.ts';

/**
 * Errors and warnings about the literal values of one step; expressions are checked when their
 * values are known.
 */
export function checkBody(draft: Draft, source: Source): readonly Diagnostic[] {
  const body = draft.raw['with'];
  if (draft.kind === undefined || !isObject(body)) return [];
  const base: Path = ['steps', draft.name, 'with'];
  const found: Diagnostic[] = [];
  const { tool } = draft.kind;
  if (!hasExpression(decisive(body, draft.kind.with)))
    for (const breach of breachesOf(tool, body))
      found.push({
        severity: 'error',
        code: 'SL401',
        file: source.file,
        span: source.spanOf([...base, ...breach.field.split('.')]),
        message: `step "${draft.name}": ${breach.message}`,
        hint: fitHint(draft.kind),
      });
  const cautioned = new Set<string>();
  for (const caution of tool === undefined ? [] : cautionsOf(tool, body)) {
    if (isTemplated(`${fieldOf(body, caution.field)}`)) continue;
    cautioned.add(caution.field);
    found.push({
      severity: 'warning',
      code: 'SL404',
      file: source.file,
      span: source.spanOf([...base, ...caution.field.split('.')]),
      message: `step "${draft.name}": ${caution.message}`,
      hint:
        nearHint(fieldOf(body, caution.field), fieldSchema(draft.kind.with, caution.field)) ??
        'check the spelling; with a budget and in a rehearsal, set estimate: on the step',
    });
  }
  walkFields(body, draft.kind.with, [], (value, schema, path) => {
    if (schema?.['x-asset'] !== undefined && typeof value === 'string' && !isAssetReference(value))
      found.push({
        severity: 'error',
        code: 'SL402',
        file: source.file,
        span: source.spanOf([...base, ...path]),
        message: `step "${draft.name}": ${path.join('.')} is ${JSON.stringify(value)}, which is neither an upload nor a direct URL`,
        hint: 'add an upload step for the file and refer to it: ${{ steps.<name>.file_path }}',
      });
    const near =
      schema === undefined || cautioned.has(path.join('.')) ? undefined : nearValue(value, schema);
    if (near !== undefined)
      found.push({
        severity: 'warning',
        code: 'SL403',
        file: source.file,
        span: source.spanOf([...base, ...path]),
        message: `step "${draft.name}": ${path.join('.')}: ${JSON.stringify(value)} is not a known value; shotlist sends it unchanged`,
        hint: `did you mean ${JSON.stringify(near)}?`,
      });
  });
  return found;
}

/** The schema of a field, by its dotted path. */
const fieldSchema = (schema: Schema, path: string): Schema => partOf(schema, path.split('.')) ?? {};

function nearHint(value: Json | undefined, schema: Schema): string | undefined {
  const near = value === undefined ? undefined : nearValue(value, schema);
  return near === undefined ? undefined : `did you mean ${JSON.stringify(near)}?`;
}

/** For values that do not fit together. */
export const fitHint = ({ name }: StepKind): string =>
  `shotlist tools ${name} shows the fields and their values`;

/** For a field with an open list of values: the known value that resembles an unknown one. */
function nearValue(value: Json, schema: Schema): string | undefined {
  const known = schema['examples'];
  if (schema['enum'] !== undefined || !Array.isArray(known) || typeof value !== 'string')
    return undefined;
  if (isTemplated(value) || known.includes(value)) return undefined;
  return nearest(
    value,
    known.filter((one) => typeof one === 'string'),
  );
}

/**
 * interface.md, Asset reference: a file_path of the service, a direct URL with a known extension,
 * or the library's.
 */
export function isAssetReference(value: string): boolean {
  if (isTemplated(value) || value.startsWith('api-assets/')) return true;
  if (!/^https?:\/\//.test(value)) return false;
  if (libraryMediaOf(value) !== undefined) return true;
  return URL.canParse(value) && mediaTypeOf(extensionOf(new URL(value).pathname)) !== undefined;
}

export function hasExpression(value: Json): boolean {
  if (typeof value === 'string') return isTemplated(value);
  if (Array.isArray(value)) return value.some(hasExpression);
  return isObject(value) && Object.values(value).some(hasExpression);
}

/**
 * The part of a body that decides rules: which assets are set but not their values, so that
 * expressions there do not matter, and no cosmetic fields.
 */
export function decisive(body: JsonObject, schema: Schema): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const entries = Object.entries(body).filter(([key]) => {
    const field = properties[key];
    return !(isObject(field) && 'x-cosmetic' in field);
  });
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      key === 'assets' && isObject(value) ? modesOf(value) : value,
    ]),
  );
}

const modesOf = (assets: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(assets).filter(([key]) => key.endsWith('_mode') || key.endsWith('_source')),
  );

type Visit = (value: Json, schema: Schema | undefined, path: Path) => void;

/** Visits every field with its schema; the schema is undefined for unknown fields. */
export function walkFields(
  value: Json,
  schema: Schema | undefined,
  path: Path,
  visit: Visit,
): void {
  if (path.length > 0) visit(value, schema, path);
  if (schema === undefined) return;
  const properties = schema['properties'];
  const items = schema['items'];
  if (isObject(value) && isObject(properties))
    for (const [key, field] of Object.entries(value)) {
      const known = properties[key];
      walkFields(field, isObject(known) ? known : undefined, [...path, key], visit);
    }
  if (Array.isArray(value) && isObject(items))
    for (const [index, item] of value.entries()) walkFields(item, items, [...path, index], visit);
}
