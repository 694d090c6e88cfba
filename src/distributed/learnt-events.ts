// What a database is told of a job that the receipts know better: a database takes events, not lines.
import { viewOf } from '../model/job-view.ts';
import type { JobLine } from '../model/line.ts';
import type { Job } from '../model/record/line.ts';
import { jobFacts, type NewJobEvent } from '../model/state.ts';

/** Empty if nothing follows. `at`: now. */
export function learntEvents(
  before: JobLine | undefined,
  known: Job,
  at: string,
): readonly NewJobEvent[] {
  const line = viewOf(known, () => undefined);
  const { job } = line;
  if (line.state === 'supplied') return [{ event: 'adopted', job, line: { ...line, adopted: at } }];
  const isSame = before?.name === line.name;
  if (before !== undefined && isSame && jobFacts[before.state].inDoubt)
    return jobFacts[line.state].inDoubt ? [] : endOf(line);
  if (isSame && before?.state === 'created' && line.state === 'deleted')
    return endOf(line).filter(({ event }) => event !== 'created');
  if (isSame && before?.state === 'complete' && line.state === 'deleted')
    return endOf(line).filter(({ event }) => event === 'deleted');
  if (before !== undefined && !jobFacts[before.state].mayBegin) return [];
  const isOpen = jobFacts[line.state].inDoubt;
  const doubt = { state: 'doubt', error: { code: 'in_doubt', message: lostAnswer } } as const;
  const adopted: JobLine = { ...line, ...(isOpen ? doubt : {}), adopted: at };
  return [{ event: 'adopted', job, line: adopted }];
}

const lostAnswer = 'no run has recorded an answer';

/** What became of an attempt, as events after its intent. */
function endOf({
  job,
  state,
  project,
  credits = 0,
  result,
  error,
}: JobLine): readonly NewJobEvent[] {
  if (project === undefined) {
    const status = credits === 0 ? 'not_taken' : 'abandoned';
    return [{ event: 'settled', job, status, credits, error }];
  }
  const created = { event: 'created', job, project, credits } as const;
  if (state === 'failed')
    return [created, { event: 'settled', job, status: 'error', credits, error }];
  if (state !== 'deleted') return [created];
  const why = 'another checkout on this machine deleted the project, as your receipts say';
  return [
    created,
    { event: 'settled', job, status: 'complete', credits, result },
    { event: 'deleted', job, why },
  ];
}
