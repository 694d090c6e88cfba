// Checks of a `with` that a schema says badly: rules between fields, unknown fields, assets that are local paths.
import { extensionOf, libraryMediaOf, mediaTypeOf } from '../api/asset.ts';
import { fieldOf, isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import { cautionsOf } from '../kinds/model-rules.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Draft } from './draft.ts';
import type { Path, Source } from './source.ts';
import { isTemplated } from './template.ts';

/** Errors and warnings about one step's literal values; expressions are checked when they are known. */
export function checkBody(draft: Draft, source: Source): readonly Diagnostic[] {
  const body = draft.raw['with'];
  if (draft.kind === undefined || !isObject(body)) return [];
  const base: Path = ['steps', draft.name, 'with'];
  const found: Diagnostic[] = [];
  const { tool } = draft.kind;
  if (tool?.rules !== undefined && !hasExpression(decisive(body, draft.kind.with)))
    for (const breach of tool.rules(body))
      found.push({
        severity: 'error',
        file: source.file,
        span: source.spanOf([...base, ...breach.field.split('.')]),
        message: `step "${draft.name}": ${breach.message}`,
      });
  for (const caution of tool === undefined ? [] : cautionsOf(tool.name, body))
    if (!isTemplated(`${fieldOf(body, caution.field)}`))
      found.push({
        severity: 'warning',
        file: source.file,
        span: source.spanOf([...base, ...caution.field.split('.')]),
        message: `step "${draft.name}": ${caution.message}`,
      });
  walk(body, draft.kind.with, [], (value, schema, path) => {
    if (schema === undefined && tool !== undefined && !tool.contractual)
      found.push({
        severity: 'warning',
        file: source.file,
        span: source.keySpanOf([...base, ...path]),
        message: `step "${draft.name}": ${path.join('.')} is not a known field of ${tool.name}; it is sent as it is`,
      });
    if (schema?.['x-asset'] !== undefined && typeof value === 'string' && !isAssetReference(value))
      found.push({
        severity: 'error',
        file: source.file,
        span: source.spanOf([...base, ...path]),
        message: `step "${draft.name}": ${path.join('.')} is ${JSON.stringify(value)}, which is neither an upload nor a direct URL`,
        hint: 'add an upload step for the file and refer to it: ${{ steps.<name>.file_path }}',
      });
  });
  return found;
}

/** interface.md, Asset reference: a file_path of the service, a direct URL with a known extension, or the library's. */
export function isAssetReference(value: string): boolean {
  if (isTemplated(value) || value.startsWith('api-assets/')) return true;
  if (!/^https?:\/\//.test(value)) return false;
  if (libraryMediaOf(value) !== undefined) return true;
  return URL.canParse(value) && mediaTypeOf(extensionOf(new URL(value).pathname)) !== undefined;
}

function hasExpression(value: Json): boolean {
  if (typeof value === 'string') return isTemplated(value);
  if (Array.isArray(value)) return value.some(hasExpression);
  return isObject(value) && Object.values(value).some(hasExpression);
}

/**
 * The part of a body that rules look at: which assets are given, not what they are, so an expression there hides
 * nothing; and nothing cosmetic.
 */
function decisive(body: JsonObject, schema: Schema): JsonObject {
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

/** Visits every field with its schema; undefined where the schema does not know the field. */
function walk(value: Json, schema: Schema | undefined, path: Path, visit: Visit): void {
  if (path.length > 0) visit(value, schema, path);
  if (schema === undefined) return;
  const properties = schema['properties'];
  const items = schema['items'];
  if (isObject(value) && isObject(properties))
    for (const [key, field] of Object.entries(value)) {
      const known = properties[key];
      walk(field, isObject(known) ? known : undefined, [...path, key], visit);
    }
  if (Array.isArray(value) && isObject(items))
    for (const [index, item] of value.entries()) walk(item, items, [...path, index], visit);
}
