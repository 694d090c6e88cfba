// The status of a state file in one line, for logs and pipes.
import { grouped } from '../../contract/base/grouped.ts';
import { creditsText } from './credits-text.ts';
import type { Status } from './status.ts';
import type { StepStatus } from './status-items.ts';
import { count } from './text.ts';

export function statusLine({
  running,
  runs,
  lastRun,
  credits,
  steps,
  engine,
}: Status & {
  readonly steps: readonly StepStatus[];
  /** Set for a distributed run, which says how far it is in its record. */
  readonly engine?: object;
}): string {
  const sum = (state: 'done' | 'failed' | 'doubt'): number =>
    steps.reduce((all, { tasks }) => all + (tasks[state] ?? 0), 0);
  const [failed, doubt] = [sum('failed'), sum('doubt')];
  const last =
    lastRun === undefined
      ? []
      : [
          `the last ${lastRun.ended === undefined ? `began ${lastRun.at}` : `ended ${lastRun.ended}`}`,
        ];
  return [
    running === undefined
      ? 'No run is active'
      : `A run is active (${running})${engine === undefined ? ' and says nothing' : ''}`,
    [count(runs, 'run'), ...last].join(', '),
    `${count(sum('done'), 'task')} done`,
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
    ...(doubt > 0 ? [`${grouped(doubt)} in doubt`] : []),
    `credits: ${creditsText(credits, running === undefined ? 'in doubt' : 'set aside')}`,
  ].join(' · ');
}
