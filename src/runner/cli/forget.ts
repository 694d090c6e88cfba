// shotlist forget: a task is to be done anew.
import { printable } from '../../contract/base/printable.ts';
import { type Forgettable, type Forgotten, forget } from '../operations/forget.ts';
import { loadPipeline } from '../operations/pipeline/load.ts';
import { problem } from '../operations/pipeline/problem.ts';
import { count } from '../report/text.ts';
import type { PipelineFlags } from './options.ts';
import { caution, print, printJson, refuse } from './terminal.ts';

export interface ForgetFlags extends PipelineFlags {
  readonly project?: string;
}

export async function forgetCommand(
  file: string,
  task: string | undefined,
  flags: ForgetFlags,
): Promise<number> {
  const json = flags.json === true;
  const which = whichOf(task, flags.project);
  if (which === undefined)
    return refuse(problem('say what to forget: a task, or --project <id>'), json);
  const loaded = await loadPipeline(file, { inputs: flags.input ?? {} });
  if (!loaded.ok) return refuse(loaded.error, json);
  const forgotten = await forget(loaded.value, which, { ...flags, onWarning: caution });
  if (!forgotten.ok) return refuse(forgotten.error, json);
  if (json) printJson(forgotten.value);
  else print(textOf(forgotten.value));
  return 0;
}

/** Exactly one of the two. */
function whichOf(task: string | undefined, project: string | undefined): Forgettable | undefined {
  if (task !== undefined && project === undefined) return { by: 'task', task };
  if (task === undefined && project !== undefined) return { by: 'project', project };
  return undefined;
}

function textOf({ tasks, what, credits, project }: Forgotten): string {
  const whose = printable(tasks.join(', '));
  if (what === 'files') return `${whose}: the next run saves its files anew.`;
  if (project === undefined) return `${whose}: the next run does it anew.`;
  return (
    `${whose}: the next run makes it anew, and pays for it anew. ${count(credits, 'credit')} stay in the ledger; ` +
    `project ${printable(project)} stays at the service as it is.`
  );
}
