// Which steps run once for each element of a list: those with `for_each`, and those that follow one. Which steps gather the
// outputs of all items or all elements. Both follow from the references alone.
import { isObject, type Json } from '../base/json.ts';
import type { Draft, PlacedReference } from './draft.ts';
import { plainField } from './draft.ts';
import { gathered } from './reference.ts';

export interface FanOuts {
  /** By step: the fan-outs to which it belongs, by the names of their steps with `for_each`. More than one is an error. */
  readonly of: ReadonlyMap<string, readonly string[]>;
  /** By step: the other fan-outs that a step with `for_each` would have to follow, which is an error. */
  readonly around: ReadonlyMap<string, readonly string[]>;
}

export function fanOutsOf(drafts: ReadonlyMap<string, Draft>): FanOuts {
  const of = new Map<string, readonly string[]>();
  const around = new Map<string, readonly string[]>();
  const visit = (name: string): readonly string[] => {
    const known = of.get(name);
    const draft = drafts.get(name);
    if (known !== undefined || draft === undefined) return known ?? [];
    // A cycle ends here, and is reported elsewhere.
    of.set(name, draft.list === undefined ? [] : [name]);
    const followed = [...new Set(readElementwise(draft).flatMap(visit))];
    if (draft.list === undefined) of.set(name, followed);
    else
      around.set(
        name,
        followed.filter((fan) => fan !== name),
      );
    return of.get(name) ?? [];
  };
  for (const name of drafts.keys()) visit(name);
  return { of, around };
}

/** The steps that the list of a step's fan-out reads, if the step reads `each`: its requests need them, too. */
export function listUses(
  draft: Draft,
  { of }: FanOuts,
  drafts: ReadonlyMap<string, Draft>,
): readonly string[] {
  const [fan] = readsEach(draft) ? (of.get(draft.name) ?? []) : [];
  const references = drafts.get(fan ?? '')?.references.filter(isInList) ?? [];
  return references.flatMap(({ root, key }) =>
    root === 'steps' && key !== undefined ? [key] : [],
  );
}

/** The steps of which a step reads single outputs, or to which its `of:` refers. */
export function readElementwise(draft: Draft): readonly string[] {
  const of = targetOf(draft);
  return [
    ...draft.references.flatMap(({ root, key, field }) =>
      root === 'steps' && key !== undefined && field !== gathered ? [key] : [],
    ),
    ...(of === undefined ? [] : [of]),
  ];
}

/** The steps of which a step reads `all`. */
export const gatheredBy = (references: readonly PlacedReference[]): readonly string[] => [
  ...new Set(
    references.flatMap(({ root, key, field }) =>
      root === 'steps' && key !== undefined && field === gathered ? [key] : [],
    ),
  ),
];

export const isInList = ({ path }: PlacedReference): boolean => path[2] === 'for_each';

export const readsEach = ({ references }: Draft): boolean =>
  references.some(({ root }) => root === 'each');

export function targetOf(draft: Draft): string | undefined {
  const refers = draft.kind?.operation === 'download' || draft.kind?.operation === 'delete';
  return refers ? plainField(draft, 'of') : undefined;
}

const always = ['value', 'index'];

/**
 * The fields of `each`, as far as the list alone shows them; undefined if only a run does.
 */
export function eachFields({ list, raw }: Draft): readonly string[] | undefined {
  if (list === undefined) return undefined;
  const written = raw['for_each'];
  if (Array.isArray(written))
    return list.kind === 'list' && list.items.every(({ kind }) => kind !== 'expression')
      ? [
          ...always,
          ...new Set(written.flatMap((one: Json) => (isObject(one) ? Object.keys(one) : []))),
        ]
      : undefined;
  if (list.kind !== 'expression') return undefined;
  const [, output = ''] =
    /^\s*steps(?:\.\w+|\["[^"]+"\])\.(downloads|faces)\s*$/.exec(list.expression.text) ?? [];
  if (output === 'downloads') return [...always, 'url', 'expires_at'];
  return output === 'faces' ? [...always, 'path', 'url'] : undefined;
}
