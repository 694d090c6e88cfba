// Which run this is, by the runs in the state file: a new one, or an interrupted one that continues.
import type { RunLine } from './record/line.ts';

export interface RequestedRun {
  /** ISO 8601: the due time of the schedule that the run is for. */
  readonly due?: string | undefined;
}

export interface RunIdentity {
  /** ISO 8601, in UTC. */
  readonly due: string | undefined;
  /** A run for this due time has ended, so it must not be repeated. */
  readonly over: boolean;
}

/**
 * A run without a due time that finds an interrupted scheduled run takes over that run's due time: otherwise, the rest of
 * that run would be made for another day.
 */
export function identityOf(
  runs: readonly Pick<RunLine, 'ended' | 'due'>[],
  { due: asked }: RequestedRun,
): RunIdentity {
  const last = runs.at(-1);
  const open = last?.ended === undefined ? last : undefined;
  const due = asked ?? open?.due;
  const latest = runs.findLast((run) => due !== undefined && run.due === due);
  return { due, over: latest?.ended !== undefined };
}
