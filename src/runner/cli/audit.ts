// shotlist audit: the ledger beside the service's own figures. Exit code 1: they differ.

import { audit } from '../operations/audit.ts';
import { loadPipeline } from '../operations/pipeline/load.ts';
import { auditText } from '../report/drift-text.ts';
import { NamedService } from './named-service.ts';
import type { PipelineFlags } from './options.ts';
import { caution, print, printJson, refuse } from './terminal.ts';

export async function auditCommand(file: string, flags: PipelineFlags): Promise<number> {
  const json = flags.json === true;
  const loaded = await loadPipeline(file, { inputs: flags.input ?? {} });
  if (!loaded.ok) return refuse(loaded.error, json);
  const service = new NamedService(json);
  const audited = await audit(loaded.value, {
    ...flags,
    onWarning: caution,
    onConnect: service.name,
  });
  if (!audited.ok) return refuse(audited.error, json);
  const { differences, jobs, credits } = audited.value;
  if (json) printJson({ ...service.fact, ...audited.value });
  else print(auditText(audited.value));
  return differences.length > 0 || jobs !== credits.charged - credits.refunded ? 1 : 0;
}
