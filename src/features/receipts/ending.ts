// What became of a creation in doubt, when a receipt knows: the journal tells it as if the answer had arrived.
import type { JobLine, NewEvent } from '../../model/line.ts';

export type Ending = Extract<NewEvent, { readonly event: 'created' | 'settled' | 'deleted' }>;

/** What became of an attempt, as events after its intent. */
export function endOf(
  job: string,
  { state, project, credits = 0, result, error }: JobLine,
): readonly Ending[] {
  const failure = error === undefined ? {} : { error };
  if (project === undefined) {
    const status = credits === 0 ? 'not_taken' : 'abandoned';
    return [{ event: 'settled', job, status, credits, ...failure }];
  }
  const created: Ending = { event: 'created', job, project, credits };
  if (state === 'failed')
    return [created, { event: 'settled', job, status: 'error', credits, ...failure }];
  if (state !== 'deleted') return [created];
  const why = 'another checkout on this machine deleted the project, as your receipts say';
  const kept = result === undefined ? {} : { result };
  return [
    created,
    { event: 'settled', job, status: 'complete', credits, ...kept },
    { event: 'deleted', job, why },
  ];
}
