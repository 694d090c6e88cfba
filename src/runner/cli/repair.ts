// shotlist repair: lists what is wrong with a state file, and proposes one that is safe. Exit code 1: it is damaged.
import { relative } from 'node:path';
import { loadPipeline } from '../operations/pipeline/load.ts';
import { type Repaired, repair } from '../operations/repair.ts';
import { proposalText, repairText } from '../repair/repair-text.ts';
import type { PipelineFlags } from './options.ts';
import { print, printJson, refuse } from './terminal.ts';

export interface RepairFlags extends PipelineFlags {
  readonly write?: string;
}

export async function repairCommand(file: string, flags: RepairFlags): Promise<number> {
  const json = flags.json === true;
  const loaded = await loadPipeline(file, { inputs: flags.input ?? {} });
  if (!loaded.ok) return refuse(loaded.error, json);
  const repaired = await repair(loaded.value, flags);
  if (!repaired.ok) return refuse(repaired.error, json);
  const { state, whole, written, pipeline, repair: found } = repaired.value;
  if (json) printJson(factsOf(repaired.value));
  else {
    print(repairText(found, near(state), pipeline));
    if (!whole)
      print(`\n${proposalText(near(state), written && near(written), `shotlist repair ${file}`)}`);
  }
  return whole ? 0 : 1;
}

/** The proposal's lines are in the file that --write makes. */
function factsOf({ state, whole, written, repair: found }: Repaired): object {
  const { damages, header, ledger, ...proposal } = found;
  return {
    state,
    whole,
    damages,
    proposal: {
      ...proposal,
      ...(header === undefined ? {} : { header }),
      jobs: [...ledger.jobs()],
      runs: ledger.runs(),
      tasks: ledger.tasks(),
    },
    ...(written === undefined ? {} : { written }),
  };
}

/** A path as a person would type it from here. */
function near(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') || short === '' ? path : short;
}
