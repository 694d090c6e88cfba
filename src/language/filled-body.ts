// Checks of a request body after its expressions are evaluated: the same rules as for literal
// values.
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Schema, validatorOf } from '../base/schema.ts';
import type { Code } from '../contract/codes/all.ts';
import { breachesOf } from '../contract/tool/tool.ts';
import type { Path } from '../contract/yaml/place.ts';
import { dotted, pathOf } from '../contract/yaml/shape.ts';
import { withoutEchoes } from '../contract/yaml/unknown-key.ts';
import { decisive, fitHint, hasExpression, isAssetReference, walkFields } from './body.ts';
import type { Scope } from './expression.ts';
import type { Step } from './pipeline.ts';
import { fieldSentence } from './shape.ts';
import { fill } from './template.ts';
import { filledSchemaOf, withSchemaOf } from './with-schema.ts';

/** What is wrong with one field of a body. */
export interface BodyError {
  readonly code: Code;
  /** A path into the body, such as `style.prompt`; empty for the body itself. */
  readonly path: Path;
  /** A sentence that names the field. */
  readonly message: string;
  readonly hint: string;
}

/** The parts of a step that decide how its body is checked. */
export type Checked = Pick<Step, 'kind' | 'extra'>;

/**
 * Violations of the schema and of the rules between fields, and unknown fields that are not under
 * `extra:`. If the list is empty, the body can be sent.
 */
export function bodyErrors(step: Checked, body: JsonObject): readonly BodyError[] {
  return errorsBy(filledSchemaOf(step.kind), step, body);
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
  if (!validate(known))
    return withoutEchoes(validate.errors ?? []).map((error): BodyError => {
      const path = pathOf(error.instancePath);
      const { code, message, hint, at } = fieldSentence(
        error,
        path,
        dotted(path) || kind.name,
        kind,
      );
      return { code, path: at ?? path, message, hint };
    });
  if (hasExpression(decisive(known, kind.with))) return [];
  return breachesOf(kind.tool, known).map(({ field, message }) => ({
    code: 'SL401',
    hint: fitHint(kind),
    path: field.split('.'),
    message,
  }));
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
    found.push({
      code: 'SL402',
      path,
      message: `${dotted(path)} is ${JSON.stringify(value.slice(0, 80))}, which is neither an upload nor a direct URL`,
      hint: 'add an upload step for the file and refer to it: ${{ steps.<name>.file_path }}',
    });
  });
  return found;
}

export function withoutPaths(body: JsonObject, paths: readonly Path[]): JsonObject {
  return paths.reduce<JsonObject>((rest, path) => without(rest, path), body);
}

function without(value: JsonObject, [key, ...below]: Path): JsonObject {
  const { [String(key)]: member, ...others } = value;
  if (member === undefined || below.length === 0) return others;
  return isObject(member) ? withMember(value, String(key), without(member, below)) : value;
}

const withMember = (value: JsonObject, key: string, member: Json): JsonObject => ({
  ...value,
  [key]: member,
});
