// How many tasks ended in which way, as text: the same list in every place that counts tasks.
import type { Summary, TaskEnding } from '../run/run-event.ts';

/** In the order in which people read them. */
const order: readonly TaskEnding[] = [
  ...(['done', 'reused', 'skipped', 'excluded', 'failed', 'doubt'] as const),
  ...(['pending', 'blocked', 'rendering', 'later'] as const),
];

export function tasksText(tasks: Summary['tasks']): string {
  const counted = order.filter((ending) => tasks[ending] > 0);
  return counted.map((ending) => `${tasks[ending]} ${ending}`).join(', ') || 'none';
}
