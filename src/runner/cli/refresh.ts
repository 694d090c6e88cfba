// shotlist refresh: asks the service what became of every known project, and mends the state file.

import { loadPipeline } from '../operations/pipeline/load.ts';
import { refresh } from '../operations/refresh.ts';
import { refreshText } from '../report/drift-text.ts';
import { NamedService } from './named-service.ts';
import type { PipelineFlags } from './options.ts';
import { caution, print, printJson, refuse } from './terminal.ts';

export interface RefreshFlags extends PipelineFlags {
  readonly acceptMissing?: boolean;
}

export async function refreshCommand(file: string, flags: RefreshFlags): Promise<number> {
  const json = flags.json === true;
  const loaded = await loadPipeline(file, { inputs: flags.input ?? {} });
  if (!loaded.ok) return refuse(loaded.error, json);
  const service = new NamedService(json);
  const refreshed = await refresh(loaded.value, {
    ...flags,
    onWarning: caution,
    onConnect: service.name,
  });
  if (!refreshed.ok) return refuse(refreshed.error, json);
  if (json) printJson({ ...service.fact, ...refreshed.value });
  else print(refreshText(refreshed.value));
  return refreshed.value.unread.length > 0 ? 1 : 0;
}
