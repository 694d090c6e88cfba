// shotlist forget: has the next run do a task again.

import { printable } from '../../base/printable.ts';
import { count } from '../../base/text.ts';
import type { ForgetFlags } from '../../terminal/flags.ts';
import { command } from '../command.ts';
import { refuse } from '../refuse.ts';
import { type Forgettable, type Forgotten, forget } from './forget.ts';

export async function forgetCommand(
  file: string,
  task: string | undefined,
  flags: ForgetFlags,
): Promise<number> {
  const which = whichOf(task, flags.project);
  if (which === undefined) refuse('name what to forget: a task, or --project <id>');
  return await command(
    file,
    flags,
    (pipeline, reports) => forget(pipeline, which, { ...flags, ...reports }),
    { text: textOf },
  );
}

/** Exactly one of the two. */
function whichOf(task: string | undefined, project: string | undefined): Forgettable | undefined {
  if (task !== undefined && project === undefined) return { by: 'task', task };
  if (task === undefined && project !== undefined) return { by: 'project', project };
  return undefined;
}

function textOf({ tasks, what, credits, project }: Forgotten): string {
  const whose = printable(tasks.join(', '));
  if (what === 'files') return `${whose}: the next run downloads its files again.`;
  if (project === undefined) return `${whose}: the next run does it again.`;
  return (
    `${whose}: the next run makes it again, and pays for it again. ${count(credits, 'credit')} stay in the ledger; ` +
    `project ${printable(project)} stays at the service.`
  );
}
