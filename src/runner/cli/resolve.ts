// shotlist resolve: says what became of a creation whose answer was lost.

import { printable } from '../../contract/base/printable.ts';
import { loadPipeline } from '../operations/pipeline/load.ts';
import { problem } from '../operations/pipeline/problem.ts';
import { type Resolution, type Resolved, resolve } from '../operations/resolve.ts';
import { count } from '../report/text.ts';
import { NamedService } from './named-service.ts';
import type { PipelineFlags } from './options.ts';
import { caution, print, printJson, refuse } from './terminal.ts';

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
  const json = flags.json === true;
  const resolution = resolutionOf(flags);
  if (resolution === undefined)
    return refuse(
      problem('say what became of it: one of --project <id>, --not-charged, --abandon', 'shotlist'),
      json,
    );
  const loaded = await loadPipeline(file, { inputs: flags.input ?? {} });
  if (!loaded.ok) return refuse(loaded.error, json);
  const service = new NamedService(json);
  const resolved = await resolve(loaded.value, task, resolution, {
    ...flags,
    onWarning: caution,
    onConnect: service.name,
  });
  if (!resolved.ok) return refuse(resolved.error, json);
  if (json) printJson({ ...service.fact, ...resolved.value });
  else print(textOf(resolved.value, resolution));
  return 0;
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
        (state === 'failed' ? 'The next run tries it again.' : 'The next run goes on with it.')
      );
    case 'not-charged':
      return `${whose} was never taken: the next run sends it again.`;
    case 'abandon':
      return `${whose} is given up: ${count(credits, 'credit')} are written off as charged. The next run pays for it anew.`;
  }
}
