// The order of steps: every step stands after all that it waits for, or there is a cycle.
import { err, ok, type Result } from '../base/result.ts';

/** For each name, the names that must come before it. */
export type Edges = ReadonlyMap<string, readonly string[]>;

/** Names in a valid order, stable in the order of the map; or one cycle: `[a, b, a]`. */
export function topological(edges: Edges): Result<readonly string[], readonly string[]> {
  const order: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const visit = (name: string): readonly string[] | undefined => {
    if (state.get(name) === 'done') return undefined;
    if (state.get(name) === 'open') return [...trail.slice(trail.indexOf(name)), name];
    state.set(name, 'open');
    trail.push(name);
    for (const before of edges.get(name) ?? []) {
      const cycle = edges.has(before) ? visit(before) : undefined;
      if (cycle !== undefined) return cycle;
    }
    trail.pop();
    state.set(name, 'done');
    order.push(name);
    return undefined;
  };
  for (const name of edges.keys()) {
    const cycle = visit(name);
    if (cycle !== undefined) return err(cycle);
  }
  return ok(order);
}
