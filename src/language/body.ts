// Checks of what a step sends, `with:` and `extra:`, that a schema cannot express well: rules between fields, local paths in
// place of assets, misspelled values. As it is written in the file, and again when its expressions are evaluated.
import { fieldOf, isObject, type Json, type JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { partOf, type Schema, validatorOf } from '../base/schema.ts';
import { extensionOf, libraryMediaOf, mediaTypeOf } from '../contract/api/asset.ts';
import type { Code } from '../contract/codes.ts';
import type { StepKind } from '../contract/kinds.ts';
import { breachesOf, cautionsOf } from '../contract/tool.ts';
import {
  type Diagnostic,
  errorAt,
  type Finding,
  nearest,
  type Path,
} from '../contract/yaml/diagnostic.ts';
import { dotted, pathOf, withoutEchoes } from '../contract/yaml/shape.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { Draft } from './draft.ts';
import type { Scope } from './expression.ts';
import { whyNoPrompt } from './nothing.ts';
import type { Step } from './pipeline.ts';
import { fieldSentence } from './shape.ts';
import { filledSchemaOf, withSchemaOf } from './step-schema.ts';
import { fill, isTemplated } from './template.ts';

/** What is wrong with one field of a body. The message is a sentence that names the field. */
interface BodyError extends Finding {
  /** A path into the body, such as `style.prompt`; empty for the body itself. */
  readonly path: Path;
}

/** The parts of a step that decide how its body is checked. */
export type Checked = Pick<Step, 'kind' | 'extra'>;

/** Errors and warnings about the literal values of one step. */
export function checkBody({ name, kind, raw }: Draft, source: Source): readonly Diagnostic[] {
  const body = raw['with'];
  if (kind === undefined || !isObject(body)) return [];
  const found: Diagnostic[] = [];
  const report = (severity: 'error' | 'warning', { path, code, message, hint }: BodyError): void =>
    void found.push({
      severity,
      code,
      file: source.file,
      span: source.spanOf(['steps', name, 'with', ...path]),
      message: `step "${name}": ${message}`,
      hint,
    });
  for (const breach of brokenRules(kind, body)) report('error', breach);
  const cautioned = new Set<string>();
  for (const { field, message } of kind.tool === undefined ? [] : cautionsOf(kind.tool, body)) {
    const value = fieldOf(body, field);
    if (isTemplated(`${value}`)) continue;
    cautioned.add(field);
    const path = field.split('.');
    const near = value === undefined ? undefined : nearValue(value, partOf(kind.with, path) ?? {});
    const hint =
      near === undefined
        ? 'check the spelling; with a budget and in a rehearsal, set estimate: on the step'
        : `did you mean ${JSON.stringify(near)}?`;
    report('warning', { code: 'SL404', path, message, hint });
  }
  walkFields(body, kind.with, [], (value, schema, path) => {
    if (schema === undefined) return;
    const field = path.join('.');
    if (schema['x-asset'] !== undefined && typeof value === 'string' && !isAssetReference(value))
      report('error', noAsset(field, value, path));
    const empty = emptyPrompt(value, schema, path);
    if (empty !== undefined) report('error', empty);
    const near = cautioned.has(field) ? undefined : nearValue(value, schema);
    if (near === undefined) return;
    const message = `${field}: ${JSON.stringify(value)} is not a known value; shotlist sends it unchanged`;
    const hint = `did you mean ${JSON.stringify(near)}?`;
    report('warning', { code: 'SL403', path, message, hint });
  });
  return found;
}

/** The body with these values. The error is the first problem with one of them. */
export function bodyOf(
  step: Checked & Pick<Step, 'with'>,
  scope: Scope,
): Result<JsonObject, Pick<BodyError, 'code' | 'message'>> {
  const filled = fill(step.with, scope);
  if (!filled.ok) {
    const { code, text, message } = filled.error;
    return err({ code, message: `${text.trim()}: ${message}` });
  }
  const body = isObject(filled.value) ? filled.value : {};
  const [problem] = bodyErrors(step, body);
  return problem === undefined ? ok(body) : err(problem);
}

/**
 * Violations of the schema and of the rules between fields, and unknown fields that are not under
 * `extra:`. If the list is empty, the body can be sent.
 */
export function bodyErrors(step: Checked, body: JsonObject): readonly BodyError[] {
  return errorsBy(filledSchemaOf(step.kind), step, body);
}

/**
 * The errors of a body with some values still unknown, and texts that are not assets. Unknown values
 * are still expressions, and values from the service are names by content.
 */
export function knownBodyErrors(step: Checked, body: JsonObject): readonly BodyError[] {
  const problems = errorsBy(withSchemaOf(step.kind), step, body);
  return problems.length > 0 ? problems : assetErrors(step, body);
}

function errorsBy(
  schema: Schema,
  { kind, extra }: Checked,
  body: JsonObject,
): readonly BodyError[] {
  const known = withoutPaths(body, extra);
  const validate = validatorOf(schema);
  if (validate(known)) return [...brokenRules(kind, known), ...emptyPrompts(kind, known)];
  return withoutEchoes(validate.errors ?? []).map((error) => {
    const path = pathOf(error.instancePath);
    const { at, ...finding } = fieldSentence(error, path, dotted(path) || kind.name, kind);
    return { ...finding, path: at ?? path };
  });
}

/** Rules between fields whose values are known. */
function brokenRules(kind: StepKind, body: JsonObject): readonly BodyError[] {
  if (hasExpression(decisive(body, kind.with))) return [];
  return breachesOf(kind.tool, body).map(({ field, message }) => ({
    code: 'SL401',
    path: field.split('.'),
    message,
    hint: `shotlist tools ${kind.name} shows the fields and their values`,
  }));
}

/** Fields in which people write what they want. */
const promptNames: ReadonlySet<unknown> = new Set([
  ...['prompt', 'topic', 'content', 'art_style', 'art_style_custom'],
]);

function emptyPrompts({ with: schema }: StepKind, body: JsonObject): readonly BodyError[] {
  const found: BodyError[] = [];
  walkFields(body, schema, [], (value, field, path) => {
    const empty = field === undefined ? undefined : emptyPrompt(value, field, path);
    if (empty !== undefined) found.push(empty);
  });
  return found;
}

/** An empty text is left to the schema: where a prompt is not required, it is none. */
function emptyPrompt(value: Json, schema: Schema, path: Path): BodyError | undefined {
  if (typeof value !== 'string' || value === '' || isTemplated(value)) return undefined;
  if (!promptNames.has(path.at(-1)) || schema['enum'] !== undefined) return undefined;
  const why = whyNoPrompt(value);
  if (why === undefined) return undefined;
  const hint = 'write what the result should be, or leave the item out';
  return { code: 'SL405', path, message: `${dotted(path)} ${why}`, hint };
}

/**
 * Asset fields with a local path or another text that is not an asset, for values from the pipeline
 * and its items. Values from the service, and the names by content (`shotlist:…`) in their place,
 * are not checked.
 */
export function assetErrors({ kind }: Checked, body: JsonObject): readonly BodyError[] {
  const found: BodyError[] = [];
  walkFields(body, kind.with, [], (value, schema, path) => {
    if (schema?.['x-asset'] === undefined || typeof value !== 'string') return;
    if (isAssetReference(value) || /^shotlist:[0-9a-f]{64}\//.test(value)) return;
    found.push(noAsset(dotted(path), value.slice(0, 80), path));
  });
  return found;
}

const noAsset = (field: string, value: string, path: Path): BodyError => ({
  code: 'SL402',
  path,
  message: `${field} is ${JSON.stringify(value)}, which is neither an upload nor a direct URL`,
  hint: uploadHint,
});

export const uploadHint =
  'add an upload step for the file and refer to it: ${{ steps.<name>.file_path }}';

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
function isAssetReference(value: string): boolean {
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
 * The part of a body that decides rules: which assets are set but not their values, so that
 * expressions there do not matter, and no cosmetic fields.
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

/** Visits every field with its schema; the schema is undefined for unknown fields. */
function walkFields(value: Json, schema: Schema | undefined, path: Path, visit: Visit): void {
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

// `extra:` sends fields that shotlist does not know, so that unknown fields under `with:` can be errors.

/**
 * The paths of the unknown fields under `extra:`; each path is the first unknown field of its
 * branch.
 */
export function extraPaths({ raw, kind }: Draft): readonly Path[] {
  const extra = raw['extra'];
  return isObject(extra) ? sortExtra(extra, kind?.with, raw['with']).unknown : [];
}

export function checkExtra({ name, kind, raw }: Draft, source: Source): readonly Diagnostic[] {
  const extra = raw['extra'];
  if (kind === undefined || !isObject(extra)) return [];
  const error = (code: Code, path: Path, message: string, hint: string): Diagnostic => {
    const span = source.keySpanOf(['steps', name, 'extra', ...path]);
    return errorAt(source.file, span, { code, message: `step "${name}": ${message}`, hint });
  };
  if (kind.operation !== 'create' && kind.operation !== 'detect') {
    const message = `extra: is for tool steps and face-detect, not for ${kind.name}`;
    return [error('SL111', [], message, 'remove extra:')];
  }
  const { known, unmergeable } = sortExtra(extra, kind.with, raw['with']);
  return [
    ...known.map((path) => {
      const message = `extra: ${path.join('.')} is a field of ${kind.name}`;
      return error('SL112', path, message, 'put it under with:');
    }),
    ...unmergeable.map((path) => {
      const field = path.join('.');
      const message = `extra: fields cannot be merged into ${field}, which is not written as an object under with:`;
      return error('SL113', path, message, `write with: ${field} as an object`);
    }),
  ];
}

interface SortedExtra {
  readonly known: readonly Path[];
  readonly unknown: readonly Path[];
  /** Objects of the schema that are something else under `with:`, for example an expression. */
  readonly unmergeable: readonly Path[];
}

function sortExtra(
  extra: JsonObject,
  schema: Schema | undefined,
  beside: Json | undefined,
  above: Path = [],
): SortedExtra {
  const properties = isObject(schema?.['properties']) ? schema['properties'] : {};
  const parts = Object.entries(extra).map(([key, value]): SortedExtra => {
    const path = [...above, key];
    const field = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const none = { known: [], unknown: [], unmergeable: [] };
    if (!isObject(field)) return { ...none, unknown: [path] };
    if (!isObject(field['properties']) || !isObject(value)) return { ...none, known: [path] };
    const own = isObject(beside) ? beside[key] : undefined;
    if (own !== undefined && !isObject(own)) return { ...none, unmergeable: [path] };
    return sortExtra(value, field, own, path);
  });
  return {
    known: parts.flatMap((part) => part.known),
    unknown: parts.flatMap((part) => part.unknown),
    unmergeable: parts.flatMap((part) => part.unmergeable),
  };
}

/** A body without these fields. */
function withoutPaths(body: JsonObject, paths: readonly Path[]): JsonObject {
  return paths.reduce<JsonObject>(without, body);
}

function without(value: JsonObject, [key, ...below]: Path): JsonObject {
  const { [String(key)]: member, ...others } = value;
  if (member === undefined || below.length === 0) return others;
  return isObject(member) ? { ...value, [String(key)]: without(member, below) } : value;
}
