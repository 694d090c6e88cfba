// Topological order: every step follows the steps that it waits for, unless there is a cycle.
import { err, ok, type Result } from '../base/result.ts';

/** For each name, the names that must come before it. */
export type Edges = ReadonlyMap<string, readonly string[]>;

/** A name whose predecessors are being placed, and the predecessors that remain. */
interface OpenNode {
  readonly name: string;
  readonly before: Iterator<string>;
}

/**
 * Names in a valid order, stable in the order of the map; or one cycle: `[a, b, a]`. A chain may be
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
