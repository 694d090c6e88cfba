// Finds tasks that will share a job, although the job is not known yet, so that the plan counts
// their price once.
import { digestOf } from '../base/digest.ts';
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Step } from '../language/pipeline.ts';
import { expressionsOf } from '../language/template.ts';
import type { Item } from '../model/item.ts';

/**
 * A key for everything that a step's request depends on: the item's fields that it reads, and the
 * steps whose outputs it uses, by their `contentOf`. Undefined if one of these has no content. In a
 * fan-out with known elements: also the index of the `element`.
 */
export function alikeKey(
  step: Step,
  item: Item | undefined,
  contentOf: (step: string) => string | undefined,
  element?: number,
): string | undefined {
  const expressions = expressionsOf(step.with)
    .filter(({ path }) => !isCosmetic(step, path[3]))
    .map(({ expression }) => expression);
  if (step.condition !== undefined) expressions.push(step.condition);
  if (step.fan !== undefined)
    expressions.push(...expressionsOf(step.fan.list).map(({ expression }) => expression));
  const reads: Record<string, Json> = {};
  for (const { references } of expressions)
    for (const { root, key } of references) {
      if (root === 'item') reads[key ?? ''] = fieldOf(item?.fields, key);
      if (root === 'matrix') reads[`matrix.${key ?? ''}`] = fieldOf(item?.matrix, key);
      if (root !== 'steps') continue;
      const content = key === undefined ? undefined : contentOf(key);
      if (content === undefined) return undefined;
      reads[`steps.${key}`] = content;
    }
  return digestOf({
    step: step.name,
    reads,
    ...(element === undefined ? {} : { element }),
  });
}

function fieldOf(fields: JsonObject = {}, key: string | undefined): Json {
  return key === undefined ? fields : (fields[key] ?? null);
}

/** A path is `steps.<name>.with.<field>…`. */
function isCosmetic({ kind }: Step, field: string | number | undefined): boolean {
  const properties = kind.with['properties'];
  const schema =
    isObject(properties) && field !== undefined ? properties[String(field)] : undefined;
  return isObject(schema) && 'x-cosmetic' in schema;
}
