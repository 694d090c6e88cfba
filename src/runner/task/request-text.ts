// Compiles the request of a step, so that each item only fills in what differs. The result is the canonical text that is hashed
// for the fingerprint.
import { canonical, isObject } from '../../contract/base/json.ts';
import { filled, type Schema } from '../../contract/base/schema.ts';
import type { Scope } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import { fill, type Template } from '../language/template.ts';
import { expressionsOf } from '../language/template-expressions.ts';
import { cosmeticFields } from './fingerprint.ts';

/** Constant text, or a value that differs between items. No schema: it does not count, and must have a value all the same. */
type Part = string | { readonly template: Template; readonly schema?: Schema };
type Parts = readonly Part[];

const compiled = new WeakMap<Template, Parts | undefined>();

/** As `canonical(essentialBody(…))`. Undefined: the body must be looked at as a whole, or an expression has no value. */
export function requestText(
  { kind, with: template }: Pick<Step, 'kind' | 'with'>,
  scope: Scope,
): string | undefined {
  if (!compiled.has(template)) compiled.set(template, compile(template, kind.with));
  const parts = compiled.get(template);
  if (parts === undefined) return undefined;
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = fill(part.template, scope);
    if (!value.ok) return undefined;
    if (part.schema !== undefined) text += canonical(filled(part.schema, value.value));
  }
  return text;
}

function compile(template: Template, schema: Schema): Parts | undefined {
  // Which fields count depends on the values of others.
  if (template.kind !== 'object' || schema['x-ignored'] !== undefined) return undefined;
  const without = cosmeticFields(schema);
  const cosmetic = template.fields.flatMap(([name, field]): Part[] =>
    without.has(name) && expressionsOf(field).length > 0 ? [{ template: field }] : [],
  );
  const parts: Part[] = [];
  add(template, schema, without, parts);
  return [...cosmetic, ...parts];
}

function add(
  template: Template,
  schema: Schema,
  without: ReadonlySet<string>,
  parts: Part[],
): void {
  switch (template.kind) {
    case 'value':
      return addText(canonical(filled(schema, template.value)), parts);
    case 'list':
      return addAll('[', ']', template.items, parts, (item) =>
        add(item, schemaIn(schema['items']), none, parts),
      );
    case 'object': {
      const { properties } = schema;
      const schemas = isObject(properties) ? properties : {};
      const fields = new Map(template.fields);
      for (const [name, part] of Object.entries(schemas))
        if (!fields.has(name) && isObject(part) && part['default'] !== undefined)
          fields.set(name, { kind: 'value', value: part['default'] });
      const kept = [...fields].filter(([name]) => !without.has(name)).sort(byName);
      return addAll('{', '}', kept, parts, ([name, field]) => {
        addText(`${JSON.stringify(name)}:`, parts);
        add(field, schemaIn(schemas[name]), none, parts);
      });
    }
    case 'expression':
    case 'text':
      parts.push({ template, schema });
  }
}

function addAll<T>(
  open: string,
  close: string,
  list: readonly T[],
  parts: Part[],
  addOne: (one: T) => void,
): void {
  addText(open, parts);
  for (const [index, one] of list.entries()) {
    if (index > 0) addText(',', parts);
    addOne(one);
  }
  addText(close, parts);
}

function addText(text: string, parts: Part[]): void {
  const last = parts.at(-1);
  if (typeof last === 'string') parts[parts.length - 1] = last + text;
  else parts.push(text);
}

const none: ReadonlySet<string> = new Set();

const schemaIn = (value: unknown): Schema => (isObject(value) ? value : {});

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;
