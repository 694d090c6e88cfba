// A step during validation: compiled, with its references, but not yet in the graph.
import { isObject, type Json } from '../base/json.ts';
import { kindNamed } from '../contract/kinds/all.ts';
import type { StepKind } from '../contract/kinds/kind.ts';
import type { Path } from '../contract/yaml/place.ts';
import type { Expression } from './expression.ts';
import type { Reference } from './reference.ts';
import {
  compileExpression,
  compileTemplate,
  mergedWith,
  type Template,
  type TemplateError,
} from './template.ts';
import { expressionsOf } from './template-expressions.ts';

/** A reference, with the text and the place of its expression. */
export interface PlacedReference extends Reference {
  readonly path: Path;
  readonly text: string;
}

export interface Draft {
  readonly name: string;
  readonly kind: StepKind | undefined;
  readonly raw: Readonly<Record<string, Json>>;
  /** Includes the fields of `extra:`. */
  readonly with: Template;
  readonly condition: Expression | undefined;
  /** The list of `for_each`. */
  readonly list: Template | undefined;
  /** Includes those of the list. */
  readonly references: readonly PlacedReference[];
  /** True if `if:` is a constant that is false. */
  readonly never: boolean;
}

export function draftStep(name: string, raw: Json, errors: TemplateError[]): Draft {
  const fields = isObject(raw) ? raw : {};
  const path: Path = ['steps', name];
  const known = compileTemplate(fields['with'] ?? {}, [...path, 'with'], errors);
  const extra = isObject(fields['extra'])
    ? compileTemplate(fields['extra'], [...path, 'extra'], errors)
    : undefined;
  const body = extra === undefined ? known : mergedWith(known, extra);
  const rawCondition = fields['if'];
  const conditionPath = [...path, 'if'];
  const condition =
    rawCondition === undefined || rawCondition === null
      ? undefined
      : compileExpression(String(rawCondition), conditionPath, errors);
  const rawList = fields['for_each'];
  const list =
    rawList === undefined || rawList === null
      ? undefined
      : compileTemplate(rawList, [...path, 'for_each'], errors);
  const placed = [
    ...expressionsOf(body),
    ...(list === undefined ? [] : expressionsOf(list)),
    ...(condition === undefined ? [] : [{ path: conditionPath, expression: condition }]),
  ];
  return {
    name,
    kind: kindNamed(String(fields['uses'])),
    raw: fields,
    with: body,
    condition,
    list,
    references: placed.flatMap(({ path: at, expression }) =>
      expression.references.map((reference) => ({ ...reference, path: at, text: expression.text })),
    ),
    never: condition !== undefined && condition.references.length === 0 && isFalse(condition),
  };
}

function isFalse(condition: Expression): boolean {
  const value = condition.evaluate({ item: {}, inputs: {}, env: {}, steps: {}, run: {} });
  return value.ok && value.value === false;
}

/** The text of a `with` field that is not an expression, such as `of`. */
export function plainField(draft: Draft, field: string): string | undefined {
  const fields = draft.raw['with'];
  const value = isObject(fields) ? fields[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}
