// What becomes of a tool's result: whether a step downloads or uses it, and whether it is history.
import type { Step } from '../language/pipeline.ts';
import { expressionsOf } from '../language/template.ts';
import type { JobView } from '../model/job-view.ts';
import { stepOf } from '../model/task.ts';

/**
 * - `fetched`: a step downloads it. `used`: only later steps read it. `kept`: `keep: remote` leaves
 *   it at the service.
 * - `idle`: nothing fetches or uses it, or the pipeline has no such step any more.
 */
export type ResultFate = 'fetched' | 'used' | 'kept' | 'idle';

export function resultFates(steps: readonly Step[]): (step: string) => ResultFate {
  const fates = new Map<string, ResultFate>();
  for (const { name, keepRemote, isRead } of steps)
    if (keepRemote || isRead) fates.set(name, keepRemote ? 'kept' : 'used');
  for (const { kind, of } of steps)
    if (kind.operation === 'download' && of !== undefined) fates.set(of, 'fetched');
  return (step) => fates.get(step) ?? 'idle';
}

// Results that depend on when they were made: their steps read `run`, directly or through other steps. The results of
// earlier days are history, although no plan of today refers to them.

/** Tells whether a job is history. Its step may have another name by now, so its kind counts too. */
export function historyIn(
  steps: readonly Step[],
): (job: Pick<JobView, 'kind' | 'tasks' | 'outputs'>) => boolean {
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
  return ({ kind, tasks, outputs }) =>
    kinds.has(kind) ||
    [...tasks, ...outputs.map(({ task }) => task)].some((task) => names.has(stepOf(task)));
}

function readsRun({ with: body, condition, fan }: Step): boolean {
  const expressions = expressionsOf(body).map(({ expression }) => expression);
  if (condition !== undefined) expressions.push(condition);
  if (fan !== undefined)
    expressions.push(...expressionsOf(fan.list).map(({ expression }) => expression));
  return expressions.some(({ references }) => references.some(({ root }) => root === 'run'));
}
