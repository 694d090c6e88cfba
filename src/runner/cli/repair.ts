// shotlist repair: lists the damage in a state file, and proposes a state file that is safe. Exit code 1: it is
// damaged.

import { ok } from '../../contract/base/result.ts';
import { shownPath } from '../operations/files/shown-path.ts';
import { type Repaired, repair } from '../operations/repair.ts';
import { proposalText, repairText } from '../report/repair-text.ts';
import { command } from './command.ts';
import { stateLines } from './command-line.ts';
import type { RepairFlags } from './flags.ts';

export const repairCommand = (file: string, flags: RepairFlags): Promise<number> =>
  command(
    file,
    flags,
    async (pipeline, reports) => {
      const repaired = await repair(pipeline, { ...flags, ...reports });
      const again = stateLines(pipeline, flags).line('repair');
      return repaired.ok ? ok({ ...repaired.value, again }) : repaired;
    },
    {
      text: ({ again, ...repaired }) => textOf(repaired, again),
      facts: ({ pipeline: _, again: __, ...facts }) => facts,
      exitCode: ({ intact, lacking }) => (intact && !lacking ? 0 : 1),
    },
  );

function textOf(
  { state, missing, intact, lacking, written, pipeline, damages, proposal }: Repaired,
  again: string,
): string {
  const found = repairText({ damages, ...proposal }, shownPath(state), pipeline);
  if (intact && !lacking) return found;
  const next = proposalText(shownPath(state), written && shownPath(written), again, missing);
  return `${found}\n\n${next}`;
}
