// The graph of steps: which outputs a step reads, which steps it waits for, and which steps are done once for all items.
import { err, ok, type Result } from '../base/result.ts';
import {
  type Draft,
  gatheredBy,
  needsOf,
  plainField,
  readElementwise,
  stepsIn,
  targetOf,
} from './draft.ts';
import { type FanOuts, listUses } from './fan-out.ts';

/** For each name, the names that must come before it. */
export type Edges = ReadonlyMap<string, readonly string[]>;

/** A name whose predecessors are being placed, and the predecessors that remain. */
interface OpenNode {
  readonly name: string;
  readonly before: Iterator<string>;
}

/**
 * Every name after those that must come before it, stable in the order of the map; or one cycle: `[a, b, a]`. A chain may be
 * of any length.
 */
export function topological(edges: Edges): Result<readonly string[], readonly string[]> {
  const order = new Set<string>();
  for (const root of edges.keys()) {
    const open = new Set<string>();
    const trail: OpenNode[] = [];
    const enter = (name: string): void => {
      open.add(name);
      trail.push({ name, before: (edges.get(name) ?? []).values() });
    };
    if (!order.has(root)) enter(root);
    for (let last = trail.at(-1); last !== undefined; last = trail.at(-1)) {
      const { done, value: next } = last.before.next();
      if (done === true) {
        order.add(last.name);
        open.delete(last.name);
        trail.pop();
      } else if (open.has(next)) {
        const names = trail.map(({ name }) => name);
        return err([...names.slice(names.indexOf(next)), next]);
      } else if (edges.has(next) && !order.has(next)) enter(next);
    }
  }
  return ok([...order]);
}

export interface StepEdges {
  /** Data edges: steps whose outputs are read, including `of`. */
  readonly uses: Edges;
  /** All edges. */
  readonly after: Edges;
}

export function edgesOf(drafts: ReadonlyMap<string, Draft>, fans: FanOuts): StepEdges {
  const uses = new Map<string, readonly string[]>();
  /** For each step, the steps that read its outputs, except deletes, which wait for all of these. */
  const users = new Map<string, string[]>();
  for (const [name, draft] of drafts) {
    const read = new Set([...stepsIn(draft.references), ...listUses(draft, fans, drafts)]);
    const target = targetOf(draft);
    if (target !== undefined) read.add(target);
    const used = [...read].filter((step) => drafts.has(step));
    uses.set(name, used);
    if (draft.kind?.operation !== 'delete')
      for (const step of used) {
        const known = users.get(step) ?? [];
        known.push(name);
        users.set(step, known);
      }
  }
  const after = new Map<string, readonly string[]>();
  for (const [name, draft] of drafts) {
    const needs = needsOf(draft).filter((need) => drafts.has(need));
    const of = draft.kind?.operation === 'delete' ? plainField(draft, 'of') : undefined;
    const others = of === undefined ? [] : (users.get(of) ?? []);
    after.set(name, [...new Set([...(uses.get(name) ?? []), ...needs, ...others])]);
  }
  return { uses, after };
}

/**
 * A step is shared if neither the step nor anything that it reads or waits for refers to an item. Reading `all` is
 * different: of a step of the items, it makes one of many.
 */
export function sharedSteps(
  order: readonly string[],
  drafts: ReadonlyMap<string, Draft>,
  { uses, after }: StepEdges,
  fans: FanOuts,
): ReadonlySet<string> {
  const shared = new Set<string>();
  for (const name of order) {
    const draft = drafts.get(name);
    if (draft === undefined) continue;
    const own = draft.references.some(({ root }) => root === 'item' || root === 'matrix');
    const manyToOne = manyToOneBy(draft, fans);
    const waits =
      draft.kind?.operation === 'delete'
        ? (uses.get(name) ?? [])
        : (after.get(name) ?? []).filter((before) => !manyToOne.has(before));
    if (!own && waits.every((before) => shared.has(before))) shared.add(name);
  }
  return shared;
}

/** The steps without a fan-out of which a step reads `all` and nothing else. */
function manyToOneBy(draft: Draft, fans: FanOuts): ReadonlySet<string> {
  const others = new Set([...readElementwise(draft), ...needsOf(draft)]);
  return new Set(
    gatheredBy(draft.references).filter((name) => !others.has(name) && fans.of(name).length === 0),
  );
}
