// Results that depend on when they were made: their steps read `run`, directly or through other steps. The results of
// earlier days are history, although no plan of today refers to them.

import type { Step } from '../language/pipeline.ts';
import { expressionsOf } from '../language/template.ts';
import type { JobLine } from '../model/line.ts';
import { stepOf } from '../model/task.ts';

/** Tells whether a job is history. Its step may have another name by now, so its kind counts too. */
export function historyIn(steps: readonly Step[]): (job: JobLine) => boolean {
  const names = new Set<string>();
  for (const step of steps) {
    const before = step.of === undefined ? step.uses : [...step.uses, step.of];
    if (readsRun(step) || before.some((name) => names.has(name))) names.add(step.name);
  }
  const tools = steps.flatMap(({ name, of }) => (names.has(name) ? [name, of ?? name] : []));
  const kinds = new Set(
    steps
      .filter(({ name, kind }) => tools.includes(name) && kind.tool)
      .map(({ kind }) => kind.name),
  );
  return ({ kind, tasks, outputs = [] }) =>
    kinds.has(kind) ||
    [...tasks, ...outputs.map(({ task }) => task)].some((task) => names.has(stepOf(task)));
}

/** Whether any request depends on the run. */
export const readsRuns = (steps: readonly Step[]): boolean => steps.some(readsRun);

function readsRun({ with: body, condition, fan }: Step): boolean {
  const expressions = expressionsOf(body).map(({ expression }) => expression);
  if (condition !== undefined) expressions.push(condition);
  if (fan !== undefined)
    expressions.push(...expressionsOf(fan.list).map(({ expression }) => expression));
  return expressions.some(({ references }) => references.some(({ root }) => root === 'run'));
}
