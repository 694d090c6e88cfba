// The part of a pipeline that a reroll runs: the rerolled steps, what they need, and the deletes of their projects. Nothing
// downstream is in it.
import type { Pipeline, Step } from '../language/pipeline.ts';
import { fannedOutIn, itemOf, stepOf } from '../model/task.ts';

export function rerolledPipeline(pipeline: Pipeline, tasks: readonly string[]): Pipeline {
  const { steps } = pipeline;
  const named = new Set(tasks.map(stepOf));
  const needed = neededBy(steps, named);
  return {
    ...pipeline,
    steps: steps.flatMap((step) => {
      if (needed.has(step.name)) return step;
      const { kind, of, uses, after } = step;
      if (kind.operation !== 'delete' || of === undefined || !named.has(of)) return [];
      if (uses.some((name) => !needed.has(name))) return [];
      // A take is saved before its project is deleted, whatever the pipeline does with the result that counts.
      return { ...step, after: after.filter((name) => needed.has(name)), discard: false };
    }),
  };
}

/** The steps and all steps that they wait for. */
export function neededBy(steps: readonly Step[], names: ReadonlySet<string>): ReadonlySet<string> {
  const needed = new Set(names);
  // Every step follows those that it waits for.
  for (const { name, after, fan } of steps.toReversed()) {
    if (!needed.has(name)) continue;
    for (const before of [...after, ...(fan === undefined ? [] : [fan.step, ...fan.uses])])
      needed.add(before);
  }
  return needed;
}

/** The keys of the items that a reroll needs; undefined: all, because a shared step waits for all of them. */
export function itemsOf(
  { steps, items }: Pipeline,
  tasks: readonly string[],
): ReadonlySet<string> | undefined {
  if (items.kind === 'one') return undefined;
  const shared = new Set(steps.filter((step) => step.shared).map(({ name }) => name));
  const ofAll = new Set(tasks.map(stepOf).filter((name) => shared.has(name)));
  if ([...neededBy(steps, ofAll)].some((name) => !shared.has(name))) return undefined;
  const isFannedOut = fannedOutIn(steps);
  return new Set(tasks.flatMap((task) => itemOf(task, isFannedOut(task)) ?? []));
}
