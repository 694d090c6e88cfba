// A step during validation: compiled, with its references, but not yet in the graph.
import { isObject, type Json } from '../base/json.ts';
import { kindNamed, type StepKind } from '../contract/kinds.ts';
import type { Path } from '../contract/yaml/diagnostic.ts';
import type { Expression } from './expression.ts';
import { gathered, type Reference } from './reference.ts';
import {
  compileExpression,
  compileTemplate,
  expressionsOf,
  mergedWith,
  type Template,
  type TemplateError,
} from './template.ts';

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
  const written = compileTemplate(fields['with'] ?? {}, [...path, 'with'], errors);
  const extra = isObject(fields['extra'])
    ? compileTemplate(fields['extra'], [...path, 'extra'], errors)
    : undefined;
  const body = extra === undefined ? written : mergedWith(written, extra);
  const { if: rawCondition = null, for_each: rawList = null } = fields;
  const conditionPath = [...path, 'if'];
  const condition =
    rawCondition === null
      ? undefined
      : compileExpression(String(rawCondition), conditionPath, errors);
  const list =
    rawList === null ? undefined : compileTemplate(rawList, [...path, 'for_each'], errors);
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
export function plainField({ raw }: Draft, field: string): string | undefined {
  const fields = raw['with'];
  const value = isObject(fields) ? fields[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The step to which a download or a delete refers. */
export function targetOf(draft: Draft): string | undefined {
  const refers = draft.kind?.operation === 'download' || draft.kind?.operation === 'delete';
  return refers ? plainField(draft, 'of') : undefined;
}

export function needsOf({ raw }: Draft): readonly string[] {
  const needs = raw['needs'];
  return Array.isArray(needs) ? needs.map(String) : [];
}

export const stepsIn = (references: readonly Reference[]): readonly string[] =>
  references.flatMap(({ root, key }) => (root === 'steps' && key !== undefined ? [key] : []));

/** The steps of which these references read `all`. */
export const gatheredBy = (references: readonly Reference[]): readonly string[] => [
  ...new Set(stepsIn(references.filter(({ field }) => field === gathered))),
];

/** The steps of which a step reads single outputs, or to which its `of:` refers. */
export function readElementwise(draft: Draft): readonly string[] {
  const single = stepsIn(draft.references.filter(({ field }) => field !== gathered));
  const target = targetOf(draft);
  return target === undefined ? single : [...single, target];
}

export const isInList = ({ path }: PlacedReference): boolean => path[2] === 'for_each';

export const readsEach = ({ references }: Draft): boolean =>
  references.some(({ root }) => root === 'each');
