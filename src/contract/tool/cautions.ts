// Warnings about a request that may be correct: the facts of its model are not published, or the model is unknown.
import { entryOf, fieldOf, type JsonObject } from '../base/json.ts';
import type { RuleBreach } from './rules.ts';
import type { Tool } from './tool.ts';

export function cautionsOf({ name: tool, models }: Tool, body: JsonObject): readonly RuleBreach[] {
  const name = fieldOf(body, 'model');
  if (models === undefined || typeof name !== 'string' || name === 'default') return [];
  if (entryOf(models.plans, name) !== undefined) return [];
  const message = models.unpublished.includes(name)
    ? `the price and the limits of the model ${name} are not published, so shotlist does not check them`
    : `${JSON.stringify(name)} is not a known model of ${tool}; shotlist sends the name without a check`;
  return [{ field: 'model', message }];
}
