// Builds a Step from its valid draft.
import { milliseconds } from '../base/duration.ts';
import { isObject } from '../base/json.ts';
import type { Draft } from './draft.ts';
import type { StepEdges } from './edges.ts';
import { extraPaths } from './extra.ts';
import { gatheredBy, isInList, readsEach, targetOf } from './fan-out.ts';
import type { Edges } from './graph.ts';
import type { FanOut, OnMissing, Step } from './pipeline.ts';
import type { StepDocument } from './step-schema.ts';

interface Role extends Pick<Step, 'shared' | 'isRead' | 'isGathered'> {
  readonly fan: FanOut | undefined;
}

export function stepOf(draft: Draft, written: StepDocument, edges: StepEdges, role: Role): Step {
  if (draft.kind === undefined) throw new Error(`bug: step ${draft.name} is valid but has no kind`);
  const { fan, ...others } = role;
  const of = targetOf(draft);
  const fields = draft.raw['with'];
  // A request that reads `each` needs what its list is made of.
  const listed = readsEach(draft) ? fan : undefined;
  return {
    name: draft.name,
    kind: draft.kind,
    with: draft.with,
    extra: extraPaths(draft),
    condition: draft.condition,
    uses: edges.uses.get(draft.name) ?? [],
    after: edges.after.get(draft.name) ?? [],
    gathers: [...new Set([...gatheredBy(draft.references), ...(listed?.gathers ?? [])])],
    onMissing: written.on_missing ?? fan?.onMissing ?? 'fail',
    fan,
    of,
    discard: isObject(fields) && fields['discard'] === true,
    keepRemote: written.keep === 'remote',
    ...others,
    estimate: written.estimate,
    attempts: written.retry?.attempts ?? 3,
    ...(written.timeout === undefined ? {} : { timeoutMs: milliseconds(written.timeout) }),
  };
}

/** The fan-outs, by the names of their steps with `for_each`. */
export function fanOutSteps(
  drafts: ReadonlyMap<string, Draft>,
  uses: Edges,
): ReadonlyMap<string, FanOut> {
  const fanOuts = new Map<string, FanOut>();
  for (const { name, list, references, raw } of drafts.values()) {
    if (list === undefined) continue;
    const ofList = references.filter(isInList);
    const read = new Set(
      ofList.flatMap(({ root, key }) => (root === 'steps' && key !== undefined ? [key] : [])),
    );
    fanOuts.set(name, {
      step: name,
      list,
      uses: (uses.get(name) ?? []).filter((used) => read.has(used)),
      gathers: gatheredBy(ofList),
      onMissing: missingOf(raw['on_missing']),
    });
  }
  return fanOuts;
}

const missingOf = (written: unknown): OnMissing => (written === 'skip' ? 'skip' : 'fail');
