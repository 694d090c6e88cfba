// What the server of a live page tells the page.
import type { LiveFacts } from '../../views/live/live-facts.ts';
import type { ReportData, ReportItem, ReportTask } from './report-data.ts';

/**
 * `data` is JSON: of `report` a `ReportData`, of `trouble` why the page shows an earlier state, or
 * null if it no longer does, of `pulse` a `PagePulse`, or null while nobody runs, of `ended` null: nothing follows.
 */
export interface PageMessage {
  readonly type: 'report' | 'trouble' | 'pulse' | 'ended';
  readonly data: string;
}

// What a run says about itself while a live page follows it: what no state file has.

export interface PagePulse
  extends Pick<LiveFacts, 'elapsedMs' | 'timeLeftMs' | 'charged' | 'budget'> {
  readonly stage: LiveFacts['stage']['is'];
  /** Why it waits or stops. */
  readonly why?: string;
  /** The tasks that have been at work the longest: the name of the step, and the item, unless the task is shared. */
  readonly atWork: readonly { readonly step: string; readonly item?: string }[];
}

/** The report with the tasks at work, of which the state file may not know yet. What did not change stays the same object. */
export function withPulse(data: ReportData, pulse: PagePulse | null): ReportData {
  if (pulse === null || pulse.atWork.length === 0) return data;
  const steps = new Map(data.steps.map(({ name }, index) => [name, index]));
  const byItem = new Map<string, Set<number>>();
  for (const { step, item = '' } of pulse.atWork) {
    const number = steps.get(step);
    if (number === undefined) continue;
    const known = byItem.get(item) ?? new Set();
    byItem.set(item, known.add(number));
  }
  const atWork = (item: ReportItem): ReportItem => {
    const own = byItem.get(item.key);
    if (own === undefined) return item;
    const isNew = ({ step, state }: ReportTask): boolean => state === 'waiting' && own.has(step);
    if (!item.tasks.some(isNew)) return item;
    const tasks = item.tasks.map((task): ReportTask => {
      return isNew(task) ? { ...task, state: 'running' } : task;
    });
    return { ...item, tasks, ...(item.state === 'waiting' ? { state: 'running' } : {}) };
  };
  return { ...data, shared: atWork(data.shared), items: data.items.map(atWork) };
}
