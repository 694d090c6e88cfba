// The edges between steps: which outputs a step reads, which steps it waits for, and which steps are done once for all items.
import { type Draft, plainField } from './draft.ts';
import { type FanOuts, gatheredBy, listUses, targetOf } from './fan-out.ts';
import type { Edges } from './graph.ts';
import { gathered } from './reference.ts';

export interface StepEdges {
  /** Data edges: steps whose outputs are read, including `of`. */
  readonly uses: Edges;
  /** All edges. */
  readonly after: Edges;
}

export function edgesOf(drafts: ReadonlyMap<string, Draft>, fans: FanOuts): StepEdges {
  const uses = new Map<string, readonly string[]>();
  for (const [name, draft] of drafts) {
    const own = draft.references.flatMap(({ root, key }) =>
      root === 'steps' && key !== undefined ? [key] : [],
    );
    const read = [...own, ...listUses(draft, fans, drafts)];
    const of = plainField(draft, 'of');
    const all = of !== undefined && isAbout(draft) ? [...read, of] : read;
    uses.set(
      name,
      [...new Set(all)].filter((used) => drafts.has(used)),
    );
  }
  const users = usersOf(drafts, uses);
  const after = new Map<string, readonly string[]>();
  for (const [name, draft] of drafts) {
    const needs = draft.raw['needs'];
    const explicit = Array.isArray(needs)
      ? needs.map(String).filter((need) => drafts.has(need))
      : [];
    const of = draft.kind?.operation === 'delete' ? plainField(draft, 'of') : undefined;
    const others = of === undefined ? [] : (users.get(of) ?? []);
    after.set(name, [...new Set([...(uses.get(name) ?? []), ...explicit, ...others])]);
  }
  return { uses, after };
}

const isAbout = (draft: Draft): boolean =>
  draft.kind?.operation === 'download' || draft.kind?.operation === 'delete';

/** For each step, the steps that read its outputs, except deletes, which wait for all of these. */
function usersOf(drafts: ReadonlyMap<string, Draft>, uses: Edges): Edges {
  const users = new Map<string, string[]>();
  for (const { name, kind } of drafts.values())
    if (kind?.operation !== 'delete')
      for (const of of uses.get(name) ?? []) {
        const known = users.get(of);
        if (known === undefined) users.set(of, [name]);
        else known.push(name);
      }
  return users;
}

/**
 * A step is shared if neither the step nor anything that it reads or waits for refers to an item. Reading `all` is
 * different: of a step of the items, it makes one of many.
 */
export function sharedSteps(
  order: readonly string[],
  {
    drafts,
    after,
    fans,
  }: {
    readonly drafts: ReadonlyMap<string, Draft>;
    readonly after: Edges;
    readonly fans: FanOuts;
  },
): ReadonlySet<string> {
  const shared = new Set<string>();
  for (const name of order) {
    const draft = drafts.get(name);
    if (draft === undefined) continue;
    const own = draft.references.some(({ root }) => root === 'item' || root === 'matrix');
    const manyToOne = manyToOneBy(draft, fans);
    const waits =
      draft.kind?.operation === 'delete'
        ? [plainField(draft, 'of') ?? '']
        : (after.get(name) ?? []).filter((before) => !manyToOne.has(before));
    if (!own && waits.every((before) => shared.has(before))) shared.add(name);
  }
  return shared;
}

/** The steps without a fan-out of which a step reads `all` and nothing else. */
function manyToOneBy(draft: Draft, fans: FanOuts): ReadonlySet<string> {
  const needs = draft.raw['needs'];
  const others = new Set([
    ...draft.references.flatMap(({ root, key, field }) =>
      root === 'steps' && key !== undefined && field !== gathered ? [key] : [],
    ),
    ...(Array.isArray(needs) ? needs.map(String) : []),
    targetOf(draft) ?? '',
  ]);
  return new Set(
    gatheredBy(draft.references).filter(
      (name) => !others.has(name) && (fans.of.get(name) ?? []).length === 0,
    ),
  );
}
