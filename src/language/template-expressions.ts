// The expressions in a template, with their places.
import { unreachable } from '../base/result.ts';
import type { Path } from '../contract/yaml/place.ts';
import type { Expression } from './expression.ts';
import type { Template } from './template.ts';

export interface Placed {
  readonly path: Path;
  readonly expression: Expression;
}

const placed = new WeakMap<Template, readonly Placed[]>();

/** The expressions of a template; found once, because each item asks for them. */
export function expressionsOf(template: Template): readonly Placed[] {
  const known = placed.get(template);
  if (known !== undefined) return known;
  const found = expressionsIn(template);
  placed.set(template, found);
  return found;
}

function expressionsIn(template: Template): readonly Placed[] {
  switch (template.kind) {
    case 'value':
      return [];
    case 'expression':
      return [{ path: template.path, expression: template.expression }];
    case 'text':
      return template.parts
        .filter((part) => typeof part === 'object')
        .map((expression) => ({ path: template.path, expression }));
    case 'list':
      return template.items.flatMap(expressionsIn);
    case 'object':
      return template.fields.flatMap(([, field]) => expressionsIn(field));
    default:
      return unreachable(template);
  }
}
