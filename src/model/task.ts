// Task: one step for one item, with a readable name. Its payment is a job, identified by fingerprint.
import type { Brand } from '../base/result.ts';
import type { Item } from './item.ts';

export type TaskId = Brand<string, 'TaskId'>;

/**
 * `swap:IMG_0412.jpg`. A shared task, and the task of a pipeline without items, is just `actor`. In a fan-out, the index
 * of the element follows: `up:cat.jpg[2]`, `up[2]`.
 */
export function taskId(step: string, item: Item | undefined, element?: number): TaskId {
  const task = item === undefined ? step : `${step}:${item.key}`;
  return (element === undefined ? task : `${task}[${element}]`) as TaskId;
}

/** The step of a task. Step names contain no colon and no bracket. */
export function stepOf(task: string): string {
  const colon = task.indexOf(':');
  const step = colon < 0 ? task : task.slice(0, colon);
  const bracket = step.indexOf('[');
  return bracket < 0 ? step : step.slice(0, bracket);
}

/**
 * The key of a task's item; undefined if the task is shared. `isFannedOut`: the task's step belongs to a fan-out; only then
 * is a number in brackets an index, for it may also end the key.
 */
export function itemOf(task: string, isFannedOut: boolean): string | undefined {
  const colon = task.indexOf(':');
  if (colon < 0) return undefined;
  const key = task.slice(colon + 1);
  return isFannedOut ? key.replace(/\[\d+\]$/, '') : key;
}

/** Whether the step of a task belongs to a fan-out, by the steps of the pipeline. */
export function fannedOutIn(
  steps: readonly { readonly name: string; readonly fan?: unknown }[],
): (task: string) => boolean {
  const names = new Set(steps.flatMap(({ name, fan }) => (fan === undefined ? [] : [name])));
  return (task) => names.size > 0 && names.has(stepOf(task));
}
