// What one item of a starter costs.
import { parse } from 'yaml';
import { asJson, isObject, type JsonObject } from '../../base/json.ts';
import { dearestOf, priceOf } from '../../contract/tool/price.ts';
import { existingTool } from '../../contract/tools/all.ts';
import type { Starter } from './starters.ts';

export interface StarterPrice {
  /** For one item, in credits. */
  readonly credits: number;
  /** False: no price is published, and `credits` is an upper bound, which the step needs as its `estimate:`. */
  readonly published: boolean;
}

export function priceOfStarter({ tool: name, body, prompts }: Starter): StarterPrice {
  const tool = existingTool(name);
  const longest = prompts.map(([, text]) => text).sort((a, b) => b.length - a.length)[0] ?? '';
  const value = asJson(parse(body.replace('${{ item.prompt }}', longest)));
  const request: JsonObject = isObject(value) ? value : {};
  const price = priceOf(tool, request);
  return price.known
    ? { credits: price.credits, published: true }
    : { credits: dearestOf(tool, request), published: false };
}
