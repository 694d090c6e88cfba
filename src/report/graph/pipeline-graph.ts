// A pipeline as a graph: its items, its steps, and what each step waits for.
import type { Operation } from '../../contract/kinds.ts';
import type { Scope } from '../../language/expression.ts';
import { expressionsIn, type Pipeline, type Step } from '../../language/pipeline.ts';
import { stagesOf } from '../../language/stages.ts';
import { timesOf } from '../../plan/fan-opening.ts';
import type { Times } from '../../plan/planned-action.ts';

export interface PipelineGraph {
  readonly pipeline: string;
  /** Absent if the pipeline has no items. */
  readonly items?: GraphItems;
  /** In the order in which they run. */
  readonly steps: readonly GraphStep[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphItems {
  /** The glob, or `values`. */
  readonly source: string;
  /** Undefined if the items could not be listed. */
  readonly count: number | undefined;
}

export interface GraphStep {
  readonly name: string;
  /** The step kind that `uses:` names. */
  readonly kind: string;
  readonly operation: Operation;
  /** `once`: shared, before the items or beside them; `item`: for each item; `after`: shared, after all items. */
  readonly stage: 'once' | 'item' | 'after';
  /** True if the step has an `if:`. */
  readonly conditional: boolean;
  /** In a fan-out: the number of its elements, as far as the file says so. */
  readonly times?: Times;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /**
   * `data`: the step reads outputs of the other; `needs`: its `needs:` names the other; `after`: a delete waits for every
   * use of its step.
   */
  readonly kind: 'data' | 'needs' | 'after';
  /** The outputs that a `data` edge carries, such as `url`; empty for the files of a download. */
  readonly outputs: readonly string[];
}

const nothing: Scope = { item: {}, inputs: {}, env: {}, steps: {}, run: {} };

export function graphOf(pipeline: Pipeline, count: number | undefined): PipelineGraph {
  const { steps, name, items } = pipeline;
  const { once, afterItems } = stagesOf(steps);
  const stageOf = (step: Step): GraphStep['stage'] =>
    once.includes(step) ? 'once' : afterItems.includes(step) ? 'after' : 'item';
  return {
    pipeline: name,
    ...(items.kind === 'one' ? {} : { items: { source: sourceOf(pipeline), count } }),
    steps: steps.map((step) => ({
      name: step.name,
      kind: step.kind.name,
      operation: step.kind.operation,
      stage: stageOf(step),
      conditional: step.condition !== undefined,
      ...(step.fan === undefined ? {} : { times: timesOf(step.fan, { scope: nothing, steps }) }),
    })),
    edges: steps.flatMap(edgesTo),
  };
}

function sourceOf({ items }: Pipeline): string {
  switch (items.kind) {
    case 'glob':
      return items.patterns.join(', ');
    case 'csv':
    case 'jsonl':
      return items.file;
    case 'one':
    case 'values':
    case 'matrix':
      return items.kind;
  }
}

/** A delete waits for the uses of its step, which wait for the step itself: those edges alone are enough. */
function edgesTo(step: Step): readonly GraphEdge[] {
  const isDelete = step.kind.operation === 'delete';
  const waits = step.after.filter(
    (from) => (!isDelete || from !== step.of) && !isOfList(step, from),
  );
  const shown = waits.length > 0 ? waits : step.after;
  return shown.map((from) => {
    const outputs = outputsRead(step, from);
    if (step.uses.includes(from) && !isDelete)
      return { from, to: step.name, kind: 'data', outputs };
    return { from, to: step.name, kind: isDelete ? 'after' : 'needs', outputs: [] };
  });
}

/** True for what only the list of the fan-out reads, which is shown at the first step of the fan-out. */
const isOfList = (step: Step, from: string): boolean =>
  step.fan !== undefined &&
  step.fan.step !== step.name &&
  step.fan.uses.includes(from) &&
  step.of !== from &&
  outputsRead(step, from).length === 0;

function outputsRead(step: Step, from: string): readonly string[] {
  const fields = expressionsIn(step).flatMap(({ expression }) =>
    expression.references.flatMap(({ root, key, field }) =>
      root === 'steps' && key === from && field !== undefined ? [field] : [],
    ),
  );
  return [...new Set(fields)];
}

/** The steps of an item that wait for no other step of the item. */
export function firstOfItem({ steps, edges }: PipelineGraph): readonly GraphStep[] {
  const perItem = new Set(steps.flatMap(({ name, stage }) => (stage === 'item' ? [name] : [])));
  return steps.filter(
    ({ name }) =>
      perItem.has(name) && !edges.some(({ from, to }) => to === name && perItem.has(from)),
  );
}
