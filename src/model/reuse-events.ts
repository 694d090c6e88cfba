// What the journal records about a task that reuses an earlier result: nothing, if it records the task already.
import type { Operation } from '../contract/kinds.ts';
import type { Ledger } from './ledger.ts';
import type { JobLine, NewEvent } from './line.ts';

export function reuseEvents(
  task: string,
  operation: Operation,
  job: JobLine,
  ledger: Ledger,
): readonly NewEvent[] {
  const failedBefore = ledger.task(task) !== undefined;
  switch (operation) {
    case 'delete':
      return [];
    case 'download':
      // The failure no longer stands. An output that is recorded again changes nothing else.
      return !failedBefore
        ? []
        : (job.outputs ?? [])
            .filter((output) => output.task === task)
            .map(({ stored: _stored, pruned: _pruned, ...output }) => ({
              event: 'output',
              job: job.job,
              ...output,
            }));
    case 'upload':
    case 'detect':
    case 'create':
      return job.tasks.includes(task) && !failedBefore
        ? []
        : [{ event: 'serves', job: job.job, task }];
  }
}
