// A value with `${{ expressions }}` in it: compiled once, evaluated for every item.

import { isObject, type Json } from '../base/json.ts';
import { err, ok, type Result, unreachable } from '../base/result.ts';
import { grouped } from '../base/text.ts';
import type { Code } from '../contract/codes.ts';
import { type Diagnostic, errorAt, type Path } from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import { maxSize } from './evaluation-budget.ts';
import {
  type Expression,
  type ExpressionError,
  parseExpression,
  type Scope,
} from './expression.ts';
import { nothingIn, writers } from './nothing.ts';

export type Template =
  | { readonly kind: 'value'; readonly value: Json }
  /** The whole value is one expression: its type is the expression's. */
  | { readonly kind: 'expression'; readonly path: Path; readonly expression: Expression }
  /** Text that contains expressions. */
  | { readonly kind: 'text'; readonly path: Path; readonly parts: TextParts }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [string, Template])[] };

export interface TemplateError extends ExpressionError {
  readonly path: Path;
  /** The text that `start` and `end` refer to. */
  readonly text: string;
  /** What the expression reads, if it was parsed. */
  readonly references?: Expression['references'];
}

/** True if a text contains at least one expression. */
export const isTemplated = (text: string): boolean => text.includes('${{');

export function compileTemplate(value: Json, path: Path, errors: TemplateError[]): Template {
  if (typeof value === 'string') return compileText(value, path, errors);
  if (Array.isArray(value))
    return {
      kind: 'list',
      items: value.map((item, index) => compileTemplate(item, [...path, index], errors)),
    };
  if (isObject(value))
    return {
      kind: 'object',
      fields: Object.entries(value).map(([key, field]) => [
        key,
        compileTemplate(field, [...path, key], errors),
      ]),
    };
  return { kind: 'value', value };
}

function compileText(text: string, path: Path, errors: TemplateError[]): Template {
  if (!isTemplated(text)) return { kind: 'value', value: text };
  const parts: (string | Expression)[] = [];
  let end = 0;
  for (;;) {
    const start = text.indexOf('${{', end);
    const close = start < 0 ? -1 : closeOf(text, start + 3);
    if (close < 0) break;
    if (start > end) parts.push(text.slice(end, start));
    end = close + 2;
    const expression = compileExpression(text.slice(start + 3, close), path, errors);
    if (expression !== undefined) parts.push(expression);
  }
  const rest = text.slice(end);
  if (isTemplated(rest))
    errors.push({
      code: 'SL302',
      message: 'this ${{ has no }}',
      path,
      text: rest,
      start: 0,
      end: rest.length,
    });
  if (rest.trim() !== '' || (rest !== '' && parts.length > 1)) parts.push(rest);
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object')
    return { kind: 'expression', path, expression: only };
  return { kind: 'text', path, parts };
}

/** Strings, which may contain `}}`, and brackets. An unterminated string extends to the end. */
const token =
  /\$\{\{|r?"""[\s\S]*?(?:"""|$)|r?'''[\s\S]*?(?:'''|$)|r"[^"]*(?:"|$)|r'[^']*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$)|[{}]/gis;

/**
 * The end of an expression: the first }} outside strings and maps, or the first }} if brackets do
 * not match.
 */
function closeOf(text: string, start: number): number {
  let depth = 0;
  token.lastIndex = start;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [what] = found;
    if (what === '${{') break;
    if (what === '{') depth++;
    else if (what === '}' && depth > 0) depth--;
    else if (what === '}' && text[found.index + 1] === '}') return found.index;
  }
  return text.indexOf('}}', start);
}

/** A whole expression, as in `if:`. The `${{ }}` around it is optional. */
export function compileExpression(
  raw: string,
  path: Path,
  errors: TemplateError[],
): Expression | undefined {
  const inner = /^\s*\$\{\{([\s\S]*)\}\}\s*$/.exec(raw)?.[1] ?? raw;
  const text = inner.trim();
  const parsed = parseExpression(text);
  if (parsed.ok) return parsed.value;
  errors.push({ path, text, ...parsed.error });
  return undefined;
}

/** Merges the fields of one template into another, as deep as both are objects. */
export function mergedWith(base: Template, more: Template): Template {
  if (base.kind !== 'object' || more.kind !== 'object') return more;
  const fields = new Map(base.fields);
  for (const [key, field] of more.fields) {
    const own = fields.get(key);
    fields.set(key, own === undefined ? field : mergedWith(own, field));
  }
  return { kind: 'object', fields: [...fields] };
}

/** What expressions are replaced with: JSON with `Value` anywhere inside. */
export type Filled<Value> =
  | Json
  | Value
  | readonly Filled<Value>[]
  | { readonly [key: string]: Filled<Value> };

/** Evaluates a template. Stops at the first expression that fails, and returns its place. */
export const fill = (template: Template, scope: Scope): Result<Json, TemplateError> =>
  fillWith<Json>(
    template,
    (expression) => expression.evaluate(scope),
    (path, parts) => fillText(path, parts, scope),
  );

/** The same with other values. */
export function fillWith<Value>(
  template: Template,
  evaluate: (expression: Expression) => Result<Filled<Value>, ExpressionError>,
  join: (path: Path, parts: TextParts) => Result<Filled<Value>, TemplateError>,
): Result<Filled<Value>, TemplateError> {
  switch (template.kind) {
    case 'value':
      return ok(template.value);
    case 'expression': {
      const { path, expression } = template;
      const value = evaluate(expression);
      return value.ok ? value : err(errorOfExpression(path, expression, value.error));
    }
    case 'text':
      return join(template.path, template.parts);
    case 'list': {
      const items: Filled<Value>[] = [];
      for (const item of template.items) {
        const value = fillWith(item, evaluate, join);
        if (!value.ok) return value;
        items.push(value.value);
      }
      return ok(items);
    }
    case 'object': {
      const entries: [string, Filled<Value>][] = [];
      for (const [key, field] of template.fields) {
        const value = fillWith(field, evaluate, join);
        if (!value.ok) return value;
        entries.push([key, value.value]);
      }
      return ok(Object.fromEntries(entries));
    }
    default:
      return unreachable(template);
  }
}

/** The texts between expressions, and these. */
export type TextParts = readonly (string | Expression)[];

function fillText(path: Path, parts: TextParts, scope: Scope): Result<Json, TemplateError> {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = part.evaluate(scope);
    if (!value.ok) return err(errorOfExpression(path, part, value.error));
    const longer = textWith(text, value.value, path, part);
    if (!longer.ok) return longer;
    text = longer.value;
  }
  return ok(text);
}

/** A text with one more value, which is the expression's. */
export function textWith(
  text: string,
  value: unknown,
  path: Path,
  part: Expression,
): Result<string, TemplateError> {
  const fail = (code: Code, message: string): Result<string, TemplateError> =>
    err(errorOfExpression(path, part, { code, message, start: 0, end: part.text.length }));
  if (typeof value === 'object')
    return fail('SL310', 'a list or an object cannot be part of a text');
  const nothing = missingCell(part, value);
  if (nothing !== undefined)
    return fail('SL405', `${part.text} is ${JSON.stringify(nothing)}, which ${writers}`);
  const longer = text + String(value);
  if (longer.length <= maxSize) return ok(longer);
  return fail('SL308', `the text is longer than ${grouped(maxSize)} characters`);
}

/** An input may be anything; a cell of a table is often exported by a program. */
const missingCell = ({ references }: Expression, value: unknown): string | undefined =>
  typeof value === 'string' && references.some(({ root }) => root === 'item')
    ? nothingIn(value)
    : undefined;

export const errorOfExpression = (
  path: Path,
  expression: Expression,
  error: ExpressionError,
): TemplateError => ({
  path,
  text: expression.text,
  references: expression.references,
  ...error,
});

/** An expression in the file. */
export interface PlacedExpression {
  readonly path: Path;
  readonly expression: Expression;
  /** The expression is the whole value at its path, and not a part of a text. */
  readonly isWhole: boolean;
}

const placedExpressions = new WeakMap<Template, readonly PlacedExpression[]>();

/** The expressions of a template; found once, because each item asks for them. */
export function expressionsOf(template: Template): readonly PlacedExpression[] {
  const known = placedExpressions.get(template);
  if (known !== undefined) return known;
  const found = findExpressions(template);
  placedExpressions.set(template, found);
  return found;
}

function findExpressions(template: Template): readonly PlacedExpression[] {
  switch (template.kind) {
    case 'value':
      return [];
    case 'expression':
      return [{ path: template.path, expression: template.expression, isWhole: true }];
    case 'text':
      return template.parts
        .filter((part) => typeof part === 'object')
        .map((expression) => ({ path: template.path, expression, isWhole: false }));
    case 'list':
      return template.items.flatMap(findExpressions);
    case 'object':
      return template.fields.flatMap(([, field]) => findExpressions(field));
    default:
      return unreachable(template);
  }
}

/** What to do about an error in an expression. */
const remedies: Readonly<Partial<Record<Code, string>>> = {
  SL215: 'put a text in quotation marks, or write the whole reference, such as item.path',
  SL301:
    'write texts in quotation marks, both sides of each operator, and a closing bracket for each opening one',
  SL302: 'write }} where the expression ends',
  SL303: 'write an expression between ${{ and }}, or remove both',
  SL304: 'docs/expressions.md lists the functions',
  SL305: 'use values of types that fit together',
  SL306: 'write an RE2 pattern: close every bracket, and use no look-around',
  SL307: 'compute the value elsewhere, and pass it as an input or as a field of the items',
  SL308: 'use fewer loops in loops, or shorter lists and texts',
  SL309: 'ask first, for example with has(item.title), or give every item the value',
  SL310: 'choose one entry of the list, or one field of the object',
  SL311: 'write a comparison, such as size(item.stem) > 0',
  SL312: 'convert the value, for example with string()',
  SL405: 'fill in the cell, or leave the row out, for example with items.when',
};

/** The error's own hint, or what to do about errors of its kind. `text`: of the expression. */
export function expressionRemedy({
  code,
  message,
  text,
  hint,
}: Pick<TemplateError, 'code' | 'message' | 'text' | 'hint'>): string {
  const [, dashed, rest = ''] = /steps\.(\w+(?:-\w+)+)((?:\.\w+)*)/.exec(text) ?? [];
  return dashed !== undefined && message.startsWith('there is no "')
    ? `a step name with "-" needs brackets: steps["${dashed}"]${rest}`
    : (hint ?? remedies[code] ?? 'check the values that the expression uses');
}

/** About the place of an expression: a value that does not fit there. */
export function atExpression(error: TemplateError, source: Source): Diagnostic {
  const { path, text, start, end } = error;
  const span = source.spanInside(path, text, start, end);
  return errorAt(source.file, span, { ...error, hint: expressionRemedy(error) });
}

/** About a part of an expression. */
export function inExpression(error: TemplateError, source: Source): Diagnostic {
  return { ...atExpression(error, source), message: `in the expression: ${error.message}` };
}
