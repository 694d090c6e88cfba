// The exit codes of the commands.
import type { Problem } from '../operations/pipeline/problem.ts';
import type { RunEvent, RunOutcome, Summary } from '../report/run-event.ts';

/** design.md, Commands; `shotlist --help` shows them. */
export const exitCodes: Readonly<Record<RunOutcome, number>> = {
  done: 0,
  failed: 1,
  budget: 3,
  doubt: 4,
  unauthorized: 5,
  waiting: 6,
  interrupted: 130,
};

/** 2: the command line or a file is wrong, and nothing was sent. 1: this machine or the network stopped a run. */
export const problemCode = ({ reason }: Problem): number =>
  reason === 'system' || reason === 'unreachable' ? 1 : 2;

export type ShownEvent =
  | Exclude<RunEvent, { type: 'ended' }>
  | { readonly type: 'ended'; readonly summary: Summary & { readonly exitCode: number } };

/** The JSON stream and the log have the exit code beside the outcome. */
export function withExitCode(event: RunEvent): ShownEvent {
  if (event.type !== 'ended') return event;
  const { summary } = event;
  return { ...event, summary: { ...summary, exitCode: exitCodes[summary.outcome] } };
}
