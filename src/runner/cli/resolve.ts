// shotlist resolve: records what became of a creation whose answer was lost.

import { printable } from '../../contract/base/printable.ts';
import { problem } from '../operations/pipeline/problem.ts';
import { type Resolution, type Resolved, resolve } from '../operations/resolve.ts';
import { count } from '../report/text.ts';
import { command } from './command.ts';
import type { PipelineFlags } from './options.ts';
import { fail } from './terminal.ts';

export interface ResolveFlags extends PipelineFlags {
  readonly project?: string;
  readonly notCharged?: boolean;
  readonly abandon?: boolean;
}

export async function resolveCommand(
  file: string,
  task: string,
  flags: ResolveFlags,
): Promise<number> {
  const resolution = resolutionOf(flags);
  if (resolution === undefined)
    return fail(
      problem('say what became of the task: --project <id>, --not-charged or --abandon'),
      flags.json === true,
    );
  return await command(
    file,
    flags,
    (pipeline, reports) => resolve(pipeline, task, resolution, { ...flags, ...reports }),
    { text: (resolved) => textOf(resolved, resolution) },
  );
}

/** Exactly one of the three. */
function resolutionOf({ project, notCharged, abandon }: ResolveFlags): Resolution | undefined {
  const said: Resolution[] = [
    ...(project === undefined ? [] : [{ how: 'project', project } as const]),
    ...(notCharged === true ? [{ how: 'not-charged' } as const] : []),
    ...(abandon === true ? [{ how: 'abandon' } as const] : []),
  ];
  return said.length === 1 ? said[0] : undefined;
}

function textOf({ tasks, name, state, credits, project }: Resolved, { how }: Resolution): string {
  const whose = printable(`${tasks.join(', ')} (${JSON.stringify(name)})`);
  switch (how) {
    case 'project':
      return (
        `${whose} is project ${printable(project ?? '')}: ${state}, ${count(credits, 'credit')}. ` +
        (state === 'failed' ? 'The next run tries it again.' : 'The next run continues with it.')
      );
    case 'not-charged':
      return `The service never took ${whose}: the next run sends it again.`;
    case 'abandon':
      return `${whose} is written off: ${count(credits, 'credit')} count as charged. The next run pays for it again.`;
  }
}
