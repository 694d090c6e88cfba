// shotlist status: what the state file says. Reads, sends nothing.

import { holderOf } from '../adapters/lock/lock.ts';
import { loadState } from '../adapters/state/load-state.ts';
import { memoryStore } from '../journal/ledger.ts';
import { checkOwnFolder } from '../operations/files/own-folder.ts';
import { loadPipeline } from '../operations/pipeline/load.ts';
import { problem, stateTrouble } from '../operations/pipeline/problem.ts';
import { locateState } from '../operations/state/locate-state.ts';
import { resultFates } from '../plan/result-fate.ts';
import { statusOf, statusText } from '../report/status.ts';
import type { PipelineFlags } from './options.ts';
import { caution, print, printJson, refuse } from './terminal.ts';

export interface StatusFlags extends PipelineFlags {
  /** Milliseconds. */
  readonly expiring?: number;
}

export async function statusCommand(file: string, flags: StatusFlags): Promise<number> {
  const json = flags.json === true;
  const loaded = await loadPipeline(file, { inputs: flags.input ?? {} });
  if (!loaded.ok) return refuse(loaded.error, json);
  const { paths } = locateState(loaded.value, flags);
  const refused = checkOwnFolder(paths);
  if (refused !== undefined) return refuse(refused, json);
  const { state, lock } = paths;
  // Asked for before the file is read: a run that ends meanwhile leaves nothing that looks unfinished.
  const running = await holderOf(lock);
  const read = await loadState(state, memoryStore());
  if (!read.ok) return refuse(stateTrouble(read.error, state, file), json);
  if (read.value.header === undefined)
    return refuse(
      problem(`there is no state file yet: ${state}`, file, `shotlist run ${file} creates it`),
      json,
    );
  if (read.value.header.pipeline !== loaded.value.pipeline.name) {
    const owner = read.value.header.pipeline;
    const message = `${state} belongs to the pipeline "${owner}", not to "${loaded.value.pipeline.name}"`;
    return refuse(problem(message, 'shotlist', 'use another --state'), json);
  }
  // A run that is writing may be in the middle of its last line.
  const warnings = running === undefined ? read.value.warnings : [];
  warnings.forEach(caution);
  const { expiring: expiringMs = 6 * 3_600_000 } = flags;
  const fateOf = resultFates(loaded.value.pipeline.steps);
  const status = statusOf(read.value.ledger, { now: Date.now(), expiringMs, fateOf, running });
  if (json) printJson({ state, service: read.value.header.service, ...status });
  else print(statusText(status, `${state} (${read.value.header.service})`, file));
  return status.doubts.length > 0 ? 4 : 0;
}
