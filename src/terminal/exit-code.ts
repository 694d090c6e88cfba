// The exit codes of the commands.

import type { RunEvent, Summary } from '../core/run-event.ts';
import type { Problem } from '../language/load/refusal.ts';
import { exitCodes } from '../views/exit-codes.ts';

export { exitCodes };

/** 5: the service refuses the key. 2: the command line or a file is wrong, and nothing was sent. 1: this machine or the network stopped a run. */
export const problemCode = ({
  reason,
  unauthorized,
}: Pick<Problem, 'reason' | 'unauthorized'>): number =>
  unauthorized === true
    ? exitCodes.unauthorized
    : reason === 'system' || reason === 'unreachable'
      ? 1
      : 2;

export type ShownEvent =
  | Exclude<RunEvent, { type: 'ended' }>
  | { readonly type: 'ended'; readonly summary: Summary & { readonly exitCode: number } };

/** The JSON stream and the log have the exit code beside the outcome. */
export function withExitCode(event: RunEvent): ShownEvent {
  if (event.type !== 'ended') return event;
  const { summary } = event;
  return { ...event, summary: { ...summary, exitCode: exitCodes[summary.outcome] } };
}
