// The progress of a run as one line, for logs and pipes.
import { grouped } from '../../base/grouped.ts';
import { count } from '../../base/text.ts';
import type { LiveFacts } from './live-facts.ts';
import { timeLeftText } from './time-left.ts';

/** Undefined before the plan. */
export function progressText(view: LiveFacts): string | undefined {
  const { stage, items, charged, budget } = view;
  if (stage.is === 'planning')
    return stage.of === 0
      ? undefined
      : `  planning: looked at ${grouped(stage.seen)} of ${count(stage.of, 'item')}`;
  const { done, failed, doubt, open, total } = items;
  const running = view.steps.reduce((sum, step) => sum + step.running, 0);
  const left = view.timeLeftMs;
  const parts = [
    `${grouped(done + failed + doubt + open)} of ${count(total, 'item')}`,
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
    ...(doubt > 0 ? [`${grouped(doubt)} in doubt`] : []),
    ...(running > 0 ? [`${count(running, 'task')} running`] : []),
    `${grouped(charged)}${budget === undefined ? '' : ` of ${grouped(budget)}`} credits charged`,
    ...(left === undefined ? [] : [timeLeftText(left)]),
  ];
  return `  ${parts.join(' · ')}`;
}
