// Task: one step for one item, with a readable name. Its payment is a job, identified by fingerprint.
import type { Brand } from '../../contract/base/result.ts';
import type { Item } from './item.ts';

export type TaskId = Brand<string, 'TaskId'>;

/** `swap:IMG_0412.jpg`. A shared task, and the task of a pipeline without items, is just `actor`. */
export function taskId(step: string, item: Item | undefined): TaskId {
  return (item === undefined ? step : `${step}:${item.key}`) as TaskId;
}

/** The step of a task. Step names contain no colon. */
export function stepOf(task: string): string {
  const colon = task.indexOf(':');
  return colon < 0 ? task : task.slice(0, colon);
}

/** The key of a task's item; undefined if the task is shared. */
export function itemOf(task: string): string | undefined {
  const colon = task.indexOf(':');
  return colon < 0 ? undefined : task.slice(colon + 1);
}
