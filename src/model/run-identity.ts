// Which run this is, by the runs in the state file: a new one, or an interrupted one that goes on.
import type { RunLine } from './record/line.ts';

/** The run that goes on: the last one, if it did not end, unless it was for another time of a schedule. `due`: ISO 8601. */
export function interrupted<Run extends Pick<RunLine, 'ended' | 'due'>>(
  runs: readonly Run[],
  due?: string,
): Run | undefined {
  const last = runs.at(-1);
  const goesOn = last?.ended === undefined && (due === undefined || last?.due === due);
  return goesOn ? last : undefined;
}

/**
 * The due time of the schedule that the run is for. A run without one that goes on with an interrupted scheduled run takes over its
 * due time: otherwise, the rest of that run would be made for another day. `over`: a run for it has ended, so it must not be repeated.
 */
export function identityOf(
  runs: readonly Pick<RunLine, 'ended' | 'due'>[],
  asked?: string,
): { readonly due: string | undefined; readonly over: boolean } {
  const due = asked ?? interrupted(runs)?.due;
  const latest = runs.findLast((run) => due !== undefined && run.due === due);
  return { due, over: latest?.ended !== undefined };
}
