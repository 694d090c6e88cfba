// shotlist tick: one short step of a run, for cron and CI. Prints only the summary: a tick may run every minute.

import { performCommand } from '../../features/run/perform-command.ts';
import type { Problem } from '../../language/load/refusal.ts';
import { exitCodes } from '../../terminal/exit-code.ts';
import type { TickFlags } from '../../terminal/flags.ts';
import { caution, fail, printJson } from '../../terminal/terminal.ts';
import { tick } from './tick.ts';

export async function tickCommand(file: string, { yes: _, ...flags }: TickFlags): Promise<number> {
  return await performCommand(file, flags, {
    operate: tick,
    shows: ({ type }) => type !== 'planned' && type !== 'generations' && type !== 'account',
    onProblem: busyOr,
  });
}

/** Another run is at work: the tick has nothing to do, and the next one looks again. */
function busyOr(problem: Problem, json: boolean): number {
  if (problem.reason !== 'locked') return fail(problem, json);
  const message = `${problem.diagnostics[0]?.message ?? 'another run is at work'}: this tick does nothing`;
  if (json) printJson({ type: 'warning', message });
  else caution(message);
  return exitCodes.waiting;
}
