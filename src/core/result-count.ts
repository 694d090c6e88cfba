// How many results a request makes, and how many elements a fan-out has, as far as is known before a run.

import { isObject, type JsonObject } from '../base/json.ts';
import type { Scope } from '../language/expression.ts';
import type { FanOut, Step } from '../language/pipeline.ts';
import { fillKnown } from '../language/template.ts';
import type { Times } from './planned-action.ts';

/** The number of results that a request asks for. */
export function resultCount(step: Step, body: JsonObject): number | undefined {
  if (countSchema(step) === undefined) return undefined;
  const count = body['image_count'];
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : undefined;
}

function mostResults(step: Step): number | undefined {
  const { maximum, enum: allowed } = countSchema(step) ?? {};
  if (typeof maximum === 'number') return maximum;
  const counts = Array.isArray(allowed) ? allowed.filter((one) => typeof one === 'number') : [];
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/** The schema of the field that says how many results a request makes. */
function countSchema({ kind }: Step): JsonObject | undefined {
  const { properties } = kind.with;
  const schema = isObject(properties) ? properties['image_count'] : undefined;
  return isObject(schema) ? schema : undefined;
}

/** The known part of a body before the steps that it uses have run. */
export function knownBody(step: Step, scope: Scope): JsonObject {
  const known = fillKnown(step.with, scope) ?? null;
  return isObject(known) ? known : {};
}

/** How many elements there may be, as far as the pipeline says so. */
export function timesOf(
  { list }: FanOut,
  { scope, steps }: { readonly scope: Scope; readonly steps: readonly Step[] },
): Times {
  if (list.kind === 'list')
    return { least: list.items.length, most: list.items.length, open: true };
  if (list.kind !== 'expression') return { least: 0, open: true };
  const { text } = list.expression;
  const taken = /\.take\((\d+)\)\s*$/.exec(text)?.[1];
  if (taken !== undefined) return { least: 0, most: Number(taken), open: true };
  const [, dotted, quoted] = /^\s*steps(?:\.(\w+)|\["([^"]+)"\])\.downloads\s*$/.exec(text) ?? [];
  const source = steps.find(({ name }) => name === (dotted ?? quoted));
  if (source === undefined) return { least: 0, open: true };
  const most = resultCount(source, knownBody(source, scope)) ?? mostResults(source);
  return { least: 0, open: true, most };
}
